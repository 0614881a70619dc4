#ifndef STEPSIM_INGEST_JSON_JSON_VALUES_H
#define STEPSIM_INGEST_JSON_JSON_VALUES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What the text of a JSON value means. Numbers are exact: no double in between. A number in
/// quotes counts as the number, and may be written in ways that JSON has not: "+5", ".5", "5.".
namespace stepsim::ingest {

/// An integer in any spelling ("12", "\"12\"", "12.0", "1.2e1"); nothing if it is none or does
/// not fit.
[[nodiscard]] std::optional<std::int64_t> as_integer(std::string_view raw) noexcept;
/// A decimal number times 10^power, rounded to the nearest integer, halves away from zero;
/// nothing if it is no number or does not fit.
[[nodiscard]] std::optional<std::int64_t> scaled_decimal(std::string_view raw, int power) noexcept;
/// Microseconds ("12.345", "1e3") as nanoseconds: scaled_decimal(raw, 3), but fast for what
/// nearly all time stamps look like.
[[nodiscard]] std::optional<std::int64_t> microseconds_as_ns(std::string_view raw) noexcept;
/// The content of a string; other values as they are written.
[[nodiscard]] std::string as_text(std::string_view raw);

/// Walks over the members of a JSON object, or the elements of an array, given its text. Keys
/// come without quotes, strings with them, both as written; the views are parts of that text.
/// Stops at the first thing that is not JSON. No recursion. The text is copied once, because a
/// Scanner needs padding behind it.
class ItemCursor {
 public:
  explicit ItemCursor(std::string_view container);
  ItemCursor(const ItemCursor&) = delete;
  ItemCursor& operator=(const ItemCursor&) = delete;

  /// The next member; false behind the last one, and if the text is no object.
  [[nodiscard]] bool next(std::string_view& key, std::string_view& value);
  /// The next element; false behind the last one, and if the text is no array.
  [[nodiscard]] bool next(std::string_view& value);

 private:
  [[nodiscard]] bool at_item(char opening);
  [[nodiscard]] const char* end() const noexcept { return padded_.data() + text_.size(); }
  [[nodiscard]] std::string_view original(const char* begin, const char* end) const noexcept;

  std::string_view text_;
  std::string padded_;  // text_ and zeros
  const char* at_;      // in padded_
  bool inside_ = false;
};

}  // namespace stepsim::ingest

#endif
