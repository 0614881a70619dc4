#ifndef STEPSIM_INGEST_JSON_SCANNER_H
#define STEPSIM_INGEST_JSON_SCANNER_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/json/json_bytes.h"

namespace stepsim::ingest::json {

enum class Type : std::uint8_t { kString, kNumber, kLiteral, kObject, kArray };

/// A view of a JSON value in the text: strings without their quotes, other values as written.
struct Value {
  std::string_view raw;
  Type type = Type::kLiteral;
  bool plain = true;  ///< true if `raw` is the content; false for a string with escapes or invalid UTF-8
};

/// The rules for the text that a Scanner accepts.
enum class Rules : std::uint8_t {
  /// Also accepts deviations that profilers are known to write and whose meaning is clear: control characters and lone
  /// backslashes in strings, half a surrogate pair, an extra comma, NaN and Infinity.
  kLenient,
  kStrict,  ///< RFC 8259
};

/// Scans JSON text token by token, without recursion and without copying. Each step returns false if the text ends
/// first (ended()) or breaks the rules (error()). Both rule sets accept bytes in strings that are not UTF-8. odd() is
/// true after the scanner accepted something that strict JSON does not allow.
class Scanner {
 public:
  /// Precondition: kPadding zero bytes follow `end`.
  Scanner(const char* begin, const char* end, Rules rules = Rules::kLenient) noexcept
      : at_(begin), end_(end), rules_(rules) {}

  [[nodiscard]] const char* at() const noexcept { return at_; }
  [[nodiscard]] bool ended() const noexcept { return error_ == nullptr; }
  /// Describes what was expected at at(); null if the text ended.
  [[nodiscard]] const char* error() const noexcept { return error_; }
  [[nodiscard]] bool odd() const noexcept { return odd_; }

  void skip_blanks() noexcept { at_ = json::skip_blanks(at_, end_); }
  /// Skips blanks and sets `next` to the character after them.
  [[nodiscard]] bool next_char(char& next) noexcept {
    skip_blanks();
    next = *at_;
    return at_ != end_ || fail(end_, "") != nullptr;
  }
  /// Scans a key, its colon and the blanks around them.
  [[nodiscard]] bool key(std::string_view& name) { return moved(key_at(at_, name)); }
  /// Scans any value. Precondition: at() is its first character.
  [[nodiscard]] bool value(Value& value) { return moved(value_at(at_, value)); }
  /// Scans an object, starting at its brace; see members_at().
  template <class ValueAt>
  [[nodiscard]] bool object(ValueAt&& take_value) {
    return moved(members_at(at_, take_value));
  }

  // The functions below scan without moving at(). Each takes the position where its token begins and returns the
  // position after the token, or null on failure.

  /// Scans the members of an object. `take_value(name, p)` scans the value at p and returns the position after it.
  template <class ValueAt>
  const char* members_at(const char* p, ValueAt&& take_value);
  const char* value_at(const char* p, Value& value);

 private:
  const char* key_at(const char* p, std::string_view& name);
  const char* string_at(const char* p, Value& value);
  const char* number_at(const char* p, Value& value);
  const char* odd_string_at(const char* begin, const char* p, bool ascii, Value& value);
  const char* fraction_at(const char* begin, const char* p, Value& value);
  const char* literal_at(const char* p, Value& value);
  const char* container_at(const char* p, Value& value);
  const char* escape_at(const char* p) noexcept;
  /// Handles a deviation from strict JSON at `p`. Lenient rules record it in odd() and return true; strict rules stop
  /// with "expected `what`" and return false.
  [[gnu::cold]] bool accept_deviation(const char* p, const char* what) noexcept;

  /// Stops at `p` with "expected `what`", or with "ended" if the text ends there.
  const char* fail(const char* p, const char* what) noexcept {
    at_ = p;
    error_ = p == end_ ? nullptr : what;
    return nullptr;
  }
  bool moved(const char* p) noexcept {
    if (p != nullptr) at_ = p;
    return p != nullptr;
  }

  const char* at_;
  const char* end_;
  const char* error_ = nullptr;
  bool odd_ = false;
  Rules rules_;
  std::vector<std::uint64_t> outer_brackets_;  // open brackets except the 64 innermost
};

/// The part of Scanner that runs for every token of a well-formed trace. The functions that run for every key are
/// force-inlined: as ordinary calls, key_at and skip_blanks took 8 % of the time to read a Kineto file.

inline const char* Scanner::string_at(const char* p, Value& value) {
  const char* const begin = p + 1;
  bool ascii = true;
  p = find_string_stop(begin, ascii);
  if (*p != '"' || !ascii) return odd_string_at(begin, p, ascii, value);
  value = {{begin, static_cast<std::size_t>(p - begin)}, Type::kString, true};
  return p + 1;
}

inline const char* Scanner::number_at(const char* p, Value& value) {
  const char* const begin = p;
  if (*p == '0' || !is_digit(*p)) return fraction_at(begin, p, value);
  p = skip_digits(p);
  if (*p == '.' || *p == 'e' || *p == 'E' || p == end_) return fraction_at(begin, begin, value);
  value = {{begin, static_cast<std::size_t>(p - begin)}, Type::kNumber, true};
  return p;
}

inline const char* Scanner::value_at(const char* p, Value& value) {
  if (*p == '"') return string_at(p, value);
  if (is_digit(*p) || *p == '-') return number_at(p, value);
  if (*p == '{' || *p == '[') return container_at(p, value);
  return literal_at(p, value);
}

[[gnu::always_inline]] inline const char* Scanner::key_at(const char* p, std::string_view& name) {
  Value text;
  if (*p != '"') return fail(p, "a key or '}'");
  p = string_at(p, text);
  if (p == nullptr) return nullptr;
  p = json::skip_blanks(p, end_);
  if (*p != ':') return fail(p, "':'");
  name = text.raw;
  return json::skip_blanks(p + 1, end_);
}

template <class ValueAt>
const char* Scanner::members_at(const char* p, ValueAt&& take_value) {
  p = json::skip_blanks(p + 1, end_);
  while (*p != '}') {
    std::string_view name;
    p = key_at(p, name);
    if (p == nullptr) return nullptr;
    p = take_value(name, p);
    if (p == nullptr) return nullptr;
    p = json::skip_blanks(p, end_);
    if (*p == ',') {
      p = json::skip_blanks(p + 1, end_);
      if (*p == '}' && !accept_deviation(p, "a key")) return nullptr;
    } else if (*p != '}') {
      return fail(p, "',' or '}'");
    }
  }
  return p + 1;
}

}  // namespace stepsim::ingest::json

#endif
