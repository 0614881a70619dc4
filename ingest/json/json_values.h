#ifndef STEPSIM_INGEST_JSON_JSON_VALUES_H
#define STEPSIM_INGEST_JSON_JSON_VALUES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Converts the text of JSON values. Numbers are exact: they never pass through a double. A quoted number counts as a
/// number, and also accepts spellings that JSON does not have: "+5", ".5", "5.".
namespace stepsim::ingest {

/// Parses an integer in any spelling ("12", "\"12\"", "12.0", "1.2e1"). Returns nullopt if the text is not an integer
/// or does not fit.
[[nodiscard]] std::optional<std::int64_t> as_integer(std::string_view raw) noexcept;
/// Returns a decimal number times 10^power, rounded to the nearest integer, halves away from zero. Returns nullopt if
/// the text is not a number or the result does not fit.
[[nodiscard]] std::optional<std::int64_t> scaled_decimal(std::string_view raw, int power) noexcept;
/// Converts microseconds ("12.345", "1e3") to nanoseconds. Same result as scaled_decimal(raw, 3), with a fast path for
/// the usual form of timestamps.
[[nodiscard]] std::optional<std::int64_t> microseconds_as_ns(std::string_view raw) noexcept;
/// The content of a string; other values as written.
[[nodiscard]] std::string as_text(std::string_view raw);

/// Iterates over the members of a JSON object, or the elements of an array, given its text. Keys are returned without
/// quotes; values are returned as written, strings with their quotes. The views are parts of the text. Stops at the
/// first syntax error. Does not recurse. Copies the text once, because a Scanner needs padding after it.
class ItemCursor {
 public:
  explicit ItemCursor(std::string_view container);
  ItemCursor(const ItemCursor&) = delete;
  ItemCursor& operator=(const ItemCursor&) = delete;

  /// Moves to the next member. Returns false after the last one, and if the text is not an object.
  [[nodiscard]] bool next(std::string_view& key, std::string_view& value);
  /// Moves to the next element. Returns false after the last one, and if the text is not an array.
  [[nodiscard]] bool next(std::string_view& value);

 private:
  [[nodiscard]] bool at_item(char opening);
  [[nodiscard]] const char* end() const noexcept { return padded_.data() + text_.size(); }
  [[nodiscard]] std::string_view original(const char* begin, const char* end) const noexcept;

  std::string_view text_;
  std::string padded_;  // text_ followed by zeros
  const char* at_;      // position in padded_
  bool inside_ = false;
};

}  // namespace stepsim::ingest

#endif
