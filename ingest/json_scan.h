#ifndef STEPSIM_INGEST_JSON_SCAN_H
#define STEPSIM_INGEST_JSON_SCAN_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace stepsim::ingest::json {

/// Bytes that must be readable (and zero) behind the text a Scanner is given.
inline constexpr std::size_t kPadding = 64;

enum class Type : std::uint8_t { kString, kNumber, kLiteral, kObject, kArray };

/// A JSON value where it stands: strings without their quotes, all else as written.
struct Value {
  std::string_view raw;
  Type type = Type::kLiteral;
  bool plain = true;  ///< a string without escapes and with valid UTF-8: raw is its content
};

/// Walks over JSON text token by token, without recursion and without copying. Each step
/// returns false if the text ends first (ended()) or is not JSON (error()). Beyond strict
/// JSON it lets pass what profilers are known to print and whose meaning is clear: control
/// characters, lone backslashes and bytes that are not UTF-8 in strings, a comma too many,
/// NaN and Infinity. odd() tells that it met one of these.
class Scanner {
 public:
  /// `end` is followed by kPadding zero bytes.
  Scanner(const char* begin, const char* end) noexcept : at_(begin), end_(end) {}

  [[nodiscard]] const char* at() const noexcept { return at_; }
  void move_to(const char* at) noexcept { at_ = at; }
  [[nodiscard]] char peek() const noexcept { return *at_; }
  [[nodiscard]] bool ended() const noexcept { return error_ == nullptr; }
  /// What was expected at at(); null if the text ended.
  [[nodiscard]] const char* error() const noexcept { return error_; }
  [[nodiscard]] bool odd() const noexcept { return odd_; }

  void skip_blanks() noexcept {
    while (is_blank(*at_)) {
      ++at_;
      if (is_blank(*at_)) skip_blank_run();
    }
  }
  /// Passes `wanted` if it is next.
  [[nodiscard]] bool take(char wanted) noexcept {
    if (*at_ != wanted) return false;
    ++at_;
    return true;
  }
  /// A string; at() is its opening quote.
  [[nodiscard]] bool string(Value& value);
  /// Any value; at() is its first character.
  [[nodiscard]] bool value(Value& value);
  /// The members of an object, from its brace on: `member(key, value)` for each.
  template <class Member>
  [[nodiscard]] bool object(Member&& member);
  /// Stops with "expected `what`", or with "ended" if the text ends here.
  bool fail(const char* what) noexcept {
    error_ = at_ == end_ ? nullptr : what;
    return false;
  }
  void mark_odd() noexcept { odd_ = true; }

 private:
  static bool is_blank(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  void skip_blank_run() noexcept;
  void find_string_stop(bool& ascii) noexcept;
  bool escape() noexcept;
  bool number(Value& value);
  bool literal(Value& value);
  bool container(Value& value);
  bool scalar(Value& value);
  bool key() noexcept;

  const char* at_;
  const char* end_;
  const char* error_ = nullptr;
  bool odd_ = false;
  std::vector<bool> open_;  // of each bracket around: is it an object's
};

template <class Member>
bool Scanner::object(Member&& member) {
  ++at_;
  for (skip_blanks(); !take('}'); skip_blanks()) {
    Value name;
    Value content;
    if (*at_ != '"') return fail("a key or '}'");
    if (!string(name)) return false;
    skip_blanks();
    if (!take(':')) return fail("':'");
    skip_blanks();
    if (!value(content)) return false;
    member(name, content);
    skip_blanks();
    if (*at_ == '}') continue;
    if (!take(',')) return fail("',' or '}'");
    skip_blanks();
    if (*at_ == '}') odd_ = true;
  }
  return true;
}

/// The content of a string: escapes replaced, bytes that are not UTF-8 as U+FFFD.
[[nodiscard]] std::string unescaped(std::string_view raw);

}  // namespace stepsim::ingest::json

#endif
