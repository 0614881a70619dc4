#include "ingest/json/scanner.h"

#include <simdjson.h>

#include <cstring>

#include "ingest/json/escape.h"

namespace stepsim::ingest::json {

bool Scanner::accept_deviation(const char* p, const char* what) noexcept {
  odd_ = true;
  return rules_ == Rules::kLenient || fail(p, what) != nullptr;
}

// Returns the position after the escape at the backslash `p`, or after the backslash if it does not begin an escape, or
// end_ if the text ends inside the escape.
const char* Scanner::escape_at(const char* p) noexcept {
  const Escape escape = decode_escape({p, static_cast<std::size_t>(end_ - p)});
  if (escape.kind == Escape::Kind::kWhole) return p + escape.length;
  if (escape.kind == Escape::Kind::kCut) return end_;
  const bool half = escape.kind == Escape::Kind::kHalf;
  const char* const expected =
      half ? "both halves of a surrogate pair" : R"(an escape: \\, \", \/, \b, \f, \n, \r, \t or \u0000)";
  if (!accept_deviation(p, expected)) return nullptr;
  return p + (half ? escape.length : 1);
}

// Scans the rest of a string whose content begins at `begin`. The caller has found no escape, quote or control
// character before `p`.
const char* Scanner::odd_string_at(const char* begin, const char* p, bool ascii, Value& value) {
  bool plain = true;
  for (; *p != '"'; p = find_string_stop(p, ascii)) {
    if (*p == '\\') {
      plain = false;
      p = escape_at(p);
    } else if (p != end_) {
      p = accept_deviation(p, "it escaped") ? p + 1 : nullptr;
    }
    if (p == nullptr) return nullptr;
    if (p == end_) return fail(end_, "");
  }
  value = {{begin, static_cast<std::size_t>(p - begin)}, Type::kString, plain};
  if (!ascii && !simdjson::validate_utf8(begin, value.raw.size())) {
    odd_ = true;
    value.plain = false;
  }
  return p + 1;
}

// Scans a number (RFC 8259, section 6), or a spelling of "not a number" that begins with a minus.
const char* Scanner::fraction_at(const char* begin, const char* p, Value& value) {
  if (*p == '-') ++p;
  if (!is_digit(*p)) return p == end_ ? fail(end_, "") : literal_at(begin, value);
  p = *p == '0' ? p + 1 : skip_digits(p);
  bool complete = true;
  if (*p == '.') {
    const char* const decimals = p + 1;
    p = skip_digits(decimals);
    complete = p != decimals;
  }
  if (complete && (*p == 'e' || *p == 'E')) {
    const char* const exponent = p[1] == '+' || p[1] == '-' ? p + 2 : p + 1;
    p = skip_digits(exponent);
    complete = p != exponent;
  }
  if (p == end_ || !complete) return fail(p, "a digit");
  value = {{begin, static_cast<std::size_t>(p - begin)}, Type::kNumber, true};
  return p;
}

const char* Scanner::literal_at(const char* p, Value& value) {
  struct Word {
    std::string_view text;
    bool strict;
  };
  // The words from "NaN" on are how Python and C++ streams print numbers that JSON cannot represent.
  static constexpr Word kWords[] = {{"true", true}, {"false", true}, {"null", true},      {"NaN", false},
                                    {"nan", false}, {"-nan", false}, {"Infinity", false}, {"-Infinity", false},
                                    {"inf", false}, {"-inf", false}};
  const auto left = static_cast<std::size_t>(end_ - p);
  for (const Word& word : kWords) {
    if (rules_ == Rules::kStrict && !word.strict) continue;
    if (left < word.text.size()) {
      if (std::memcmp(p, word.text.data(), left) == 0) return fail(end_, "");
    } else if (std::memcmp(p, word.text.data(), word.text.size()) == 0) {
      value = {{p, word.text.size()}, Type::kLiteral, true};
      odd_ = odd_ || !word.strict;
      return p + word.text.size();
    }
  }
  return fail(p, "a value");
}

// Scans an object or array to its end. An open bracket costs one bit and no stack: the innermost 64 are kept in a
// register, the others in a vector.
const char* Scanner::container_at(const char* p, Value& value) {
  const char* const begin = p;
  std::uint64_t brackets = 0;  // one bit per open bracket; 1 = object
  std::size_t depth = 0;
  std::string_view name;
  Value inner;
  outer_brackets_.clear();
  while (true) {
    // The position is at the beginning of a value.
    if (*p == '{' || *p == '[') {
      if (depth > 0 && depth % 64 == 0) outer_brackets_.push_back(brackets);
      ++depth;
      const bool is_object = *p == '{';
      brackets = (brackets << 1) | (is_object ? 1U : 0U);
      p = json::skip_blanks(p + 1, end_);
      if (*p != (is_object ? '}' : ']')) {
        if (is_object && (p = key_at(p, name)) == nullptr) return nullptr;
        continue;
      }
    } else if (*p == '"') {
      if ((p = string_at(p, inner)) == nullptr) return nullptr;
    } else if ((p = is_digit(*p) || *p == '-' ? number_at(p, inner) : literal_at(p, inner)) == nullptr) {
      return nullptr;
    }
    // The position is after a value, or at the end of an empty container.
    while (true) {
      const bool in_object = (brackets & 1U) != 0;
      const char close = in_object ? '}' : ']';
      p = json::skip_blanks(p, end_);
      if (*p == ',') {
        p = json::skip_blanks(p + 1, end_);
        if (*p != close) {
          if (in_object && (p = key_at(p, name)) == nullptr) return nullptr;
          break;
        }
        if (!accept_deviation(p, in_object ? "a key" : "a value")) return nullptr;
      }
      if (*p != close) return fail(p, in_object ? "',' or '}'" : "',' or ']'");
      ++p;
      if (--depth == 0) {
        value = {{begin, static_cast<std::size_t>(p - begin)}, *begin == '{' ? Type::kObject : Type::kArray, true};
        return p;
      }
      if (depth % 64 == 0) {
        brackets = outer_brackets_.back();
        outer_brackets_.pop_back();
      } else {
        brackets >>= 1;
      }
    }
  }
}

}  // namespace stepsim::ingest::json
