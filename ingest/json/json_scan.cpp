#include "ingest/json/json_scan.h"

#include <simdjson.h>

#include <cstring>

namespace stepsim::ingest::json {

// At a backslash: the place behind the escape, or behind the backslash if it begins none.
const char* Scanner::escape_at(const char* p) noexcept {
  const char kind = p[1];
  if (kind == 'u') {
    int digits = 0;
    while (digits < 4 && is_hex(p[2 + digits])) ++digits;
    if (digits == 4) return p + 6;
    if (p + 2 + digits == end_) return end_;
  } else {
    if (p + 1 == end_) return end_;
    if (std::memchr("\"\\/bfnrt", kind, 8) != nullptr) return p + 2;
  }
  odd_ = true;
  return p + 1;
}

// The rest of a string that begins at `begin` and is plain up to `p`.
const char* Scanner::odd_string_at(const char* begin, const char* p, bool ascii, Value& value) {
  bool plain = true;
  for (; *p != '"'; p = find_string_stop(p, ascii)) {
    if (*p == '\\') {
      plain = false;
      p = escape_at(p);
    } else {
      odd_ = odd_ || p != end_;
      if (p != end_) ++p;
    }
    if (p == end_) return fail(end_, "");
  }
  value = {{begin, static_cast<std::size_t>(p - begin)}, Type::kString, plain};
  if (!ascii && !simdjson::validate_utf8(begin, value.raw.size())) {
    odd_ = true;
    value.plain = false;
  }
  return p + 1;
}

// RFC 8259 section 6, and the spellings of "not a number" that begin with a minus.
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
  // The last ones are how Python and C++ streams print what JSON has no number for.
  static constexpr Word kWords[] = {{"true", true}, {"false", true}, {"null", true},      {"NaN", false},
                                    {"nan", false}, {"-nan", false}, {"Infinity", false}, {"-Infinity", false},
                                    {"inf", false}, {"-inf", false}};
  const auto left = static_cast<std::size_t>(end_ - p);
  for (const Word& word : kWords) {
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

// An object or array to its end. A bracket around costs one bit and no stack: the innermost
// 64 in a register, the others in a vector.
const char* Scanner::container_at(const char* p, Value& value) {
  const char* const begin = p;
  std::uint64_t brackets = 0;  // 1: an object's
  std::size_t depth = 0;
  std::string_view name;
  Value inner;
  outer_brackets_.clear();
  while (true) {
    // At a value.
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
    // Behind a value, or at the end of something empty.
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
        odd_ = true;
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

namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

constexpr std::uint32_t kReplacement = 0xFFFD;

/// The four hexadecimal digits at `at`; more than 0xFFFF if they are not there.
std::uint32_t hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return 0x10000;
  std::uint32_t code = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const char c = text[i];
    if (!is_hex(c)) return 0x10000;
    code = code * 16 + static_cast<std::uint32_t>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return code;
}

/// Appends the escape that begins with the backslash at `at`; returns where it ends.
std::size_t append_escape(std::string& out, std::string_view raw, std::size_t at) {
  const char kind = at + 1 < raw.size() ? raw[at + 1] : '\0';
  if (kind == 'u') {
    std::uint32_t code = hex4(raw, at + 2);
    if (code > 0xFFFF) {
      out += '\\';
      return at + 1;
    }
    std::size_t end = at + 6;
    if (code >= 0xD800 && code < 0xDC00 && raw.substr(end, 2) == "\\u") {
      const std::uint32_t low = hex4(raw, end + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        end += 6;
      }
    }
    append_utf8(out, code >= 0xD800 && code < 0xE000 ? kReplacement : code);
    return end;
  }
  constexpr std::string_view kKinds = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  const std::size_t known = kKinds.find(kind);
  if (known == std::string_view::npos) {
    out += '\\';
    return at + 1;
  }
  out += kMeant[known];
  return at + 2;
}

/// Length of the UTF-8 sequence at the start of `text`; 0 if there is none (RFC 3629).
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return length <= text.size() && simdjson::validate_utf8(text.data(), length) ? length : 0;
}

}  // namespace

std::string unescaped(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] == '\\') {
      at = append_escape(out, raw, at);
    } else if (static_cast<unsigned char>(raw[at]) < 0x80) {
      out += raw[at++];
    } else if (const std::size_t length = sequence_length(raw.substr(at)); length > 0) {
      out += raw.substr(at, length);
      at += length;
    } else {
      append_utf8(out, kReplacement);
      ++at;
    }
  }
  return out;
}

}  // namespace stepsim::ingest::json
