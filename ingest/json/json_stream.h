#ifndef STEPSIM_INGEST_JSON_JSON_STREAM_H
#define STEPSIM_INGEST_JSON_JSON_STREAM_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/bytes/text_input.h"

namespace stepsim::ingest {

/// A JSON document read front to back, value by value, as the caller asks for it: for small
/// formats whose every error has a byte offset. Memory is one value's text; nesting costs a
/// bit a level and no stack. (Traces go through ChromeEventReader, which is faster.)
///
///     JsonStream::Scope members;
///     json.enter_object(members);
///     while (json.next_member(members, key)) { key == "id" ? id = json.number() : json.skip(); }
///
/// Every function throws InputError with the offset of what it did not expect.
class JsonStream {
 public:
  enum class Kind : std::uint8_t { kObject, kArray, kString, kNumber, kWord, kEnd };
  /// An object or array that is being read.
  struct Scope {
    bool object = false;
    bool first = true;
  };

  /// `input` must outlive the stream. A byte order mark at the front is skipped.
  explicit JsonStream(TextInput& input);

  /// What the next value is; kWord is true, false, null or no JSON at all.
  [[nodiscard]] Kind peek();
  void enter_object(Scope& scope);
  void enter_array(Scope& scope);
  /// Goes to the value of the object's next member; false after its last.
  [[nodiscard]] bool next_member(Scope& scope, std::string& key);
  /// Goes to the array's next element; false after its last.
  [[nodiscard]] bool next_element(Scope& scope);
  /// A string, unescaped. At most 1 MiB.
  [[nodiscard]] std::string text();
  /// A number as it is written.
  [[nodiscard]] std::string number();
  /// Any value, without looking at it.
  void skip();
  /// Checks that nothing follows the document.
  void expect_end();

  /// Offset of the next character that is not blank.
  [[nodiscard]] std::uint64_t offset();
  [[noreturn]] void fail(std::uint64_t offset, std::string_view problem) const;

 private:
  void skip_blanks();
  void take(char expected, std::string_view what);
  [[nodiscard]] bool at_end_of(Scope& scope, char closing, std::string_view where);
  void skip_scalar();
  void escape(std::string& out);
  [[nodiscard]] char32_t hex_code();
  [[nodiscard]] std::string shown_next();

  TextInput& input_;
};

/// `digits` in decimal or scientific notation times 10^power, rounded to the nearest integer
/// (halves away from zero), exactly; nothing if it is no number or beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> scaled_decimal(std::string_view digits, int power) noexcept;

}  // namespace stepsim::ingest

#endif
