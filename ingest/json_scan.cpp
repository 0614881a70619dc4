#include "ingest/json_scan.h"

#include <simdjson.h>

#include <bit>
#include <cstring>

namespace stepsim::ingest::json {

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_hex(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

const char* skip_digits(const char* at) noexcept {
  while (is_digit(*at)) ++at;
  return at;
}

}  // namespace

void Scanner::skip_blank_run() noexcept {
#if defined(__SSE2__)
  // Only spaces come in long runs worth a vector; the caller's loop takes what is left.
  const __m128i space = _mm_set1_epi8(' ');
  while (end_ - at_ >= 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at_));
    const auto blank = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, space)));
    if (blank != 0xFFFFU) {
      at_ += std::countr_one(blank);
      return;
    }
    at_ += 16;
  }
#endif
}

// Moves to the next quote, backslash or control character; `ascii` turns false if a byte
// beyond ASCII was passed.
void Scanner::find_string_stop(bool& ascii) noexcept {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i control = _mm_set1_epi8(0x1f);
  // Reading past end_ is fine up to kPadding, and the zero there is a control character.
  while (true) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at_));
    const __m128i stop = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)),
                                      _mm_cmpeq_epi8(_mm_min_epu8(block, control), block));
    const auto stops = static_cast<unsigned>(_mm_movemask_epi8(stop));
    const auto high = static_cast<unsigned>(_mm_movemask_epi8(block));
    if (stops != 0) {
      const int first = std::countr_zero(stops);
      if ((high & ((1U << first) - 1U)) != 0) ascii = false;
      at_ += first;
      return;
    }
    if (high != 0) ascii = false;
    at_ += 16;
  }
#else
  while (*at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20) {
    if (static_cast<unsigned char>(*at_) >= 0x80) ascii = false;
    ++at_;
  }
#endif
}

// At a backslash: passes the escape, or the backslash alone if it begins none.
bool Scanner::escape() noexcept {
  const char kind = at_[1];
  if (kind == 'u') {
    int digits = 0;
    while (digits < 4 && is_hex(at_[2 + digits])) ++digits;
    if (digits < 4 && at_ + 2 + digits == end_) return false;
    if (digits < 4) odd_ = true;
    at_ += digits < 4 ? 2 : 6;
    return true;
  }
  if (at_ + 1 == end_) return false;
  if (kind == '"' || kind == '\\') {
    at_ += 2;
    return true;
  }
  if (std::memchr("/bfnrt", kind, 6) == nullptr) {
    odd_ = true;
    ++at_;
    return true;
  }
  at_ += 2;
  return true;
}

bool Scanner::string(Value& value) {
  const char* const begin = ++at_;
  bool ascii = true;
  value.type = Type::kString;
  value.plain = true;
  for (find_string_stop(ascii); *at_ != '"'; find_string_stop(ascii)) {
    if (*at_ == '\\') {
      value.plain = false;
      if (!escape()) {
        at_ = end_;
        return fail("");
      }
    } else {
      if (at_ == end_) return fail("");
      odd_ = true;
      ++at_;
    }
  }
  value.raw = {begin, static_cast<std::size_t>(at_ - begin)};
  ++at_;
  if (!ascii && !simdjson::validate_utf8(value.raw.data(), value.raw.size())) {
    odd_ = true;
    value.plain = false;
  }
  return true;
}

// RFC 8259 section 6, and the spellings of "not a number" that Python and C++ streams print.
bool Scanner::number(Value& value) {
  const char* const begin = at_;
  const char* p = at_ + (*at_ == '-' ? 1 : 0);
  if (!is_digit(*p)) {
    if (p == end_) {
      at_ = end_;
      return fail("");
    }
    return literal(value);
  }
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
  at_ = p;
  if (p == end_) return fail("");
  if (!complete) return fail("a digit");
  value = {{begin, static_cast<std::size_t>(p - begin)}, Type::kNumber, true};
  return true;
}

bool Scanner::literal(Value& value) {
  struct Word {
    std::string_view text;
    bool strict;
  };
  static constexpr Word kWords[] = {{"true", true},  {"false", true},      {"null", true},      {"NaN", false},
                                    {"nan", false},  {"-nan", false},      {"-NaN", false},     {"Infinity", false},
                                    {"inf", false},  {"-Infinity", false}, {"-inf", false}};
  const auto left = static_cast<std::size_t>(end_ - at_);
  for (const Word& word : kWords) {
    // "inf" is the beginning of no other word here; "Inf" alone is none.
    if (left < word.text.size() && std::memcmp(at_, word.text.data(), left) == 0) {
      at_ = end_;
      return fail("");
    }
    if (left < word.text.size() || std::memcmp(at_, word.text.data(), word.text.size()) != 0) continue;
    value = {{at_, word.text.size()}, Type::kLiteral, true};
    at_ += word.text.size();
    odd_ = odd_ || !word.strict;
    return true;
  }
  return fail("a value");
}

bool Scanner::scalar(Value& value) {
  if (*at_ == '"') return string(value);
  if (is_digit(*at_) || *at_ == '-') return number(value);
  if (at_ == end_) return fail("");
  return literal(value);
}

bool Scanner::value(Value& value) {
  if (*at_ == '{' || *at_ == '[') return container(value);
  return scalar(value);
}

// A key with its colon and the blanks around.
bool Scanner::key() noexcept {
  Value name;
  if (*at_ != '"') return fail("a key or '}'");
  if (!string(name)) return false;
  skip_blanks();
  if (!take(':')) return fail("':'");
  skip_blanks();
  return true;
}

// An object or array to its end. Brackets are kept as one bit each, so that depth costs no stack.
bool Scanner::container(Value& value) {
  const char* const begin = at_;
  value.type = *at_ == '{' ? Type::kObject : Type::kArray;
  open_.clear();
  Value inner;
  bool expects_value = true;
  do {
    if (expects_value && (*at_ == '{' || *at_ == '[')) {
      const bool is_object = *at_ == '{';
      open_.push_back(is_object);
      ++at_;
      skip_blanks();
      if (*at_ == (is_object ? '}' : ']')) {
        expects_value = false;
        continue;
      }
      if (is_object && !key()) return false;
      continue;
    }
    if (expects_value && !scalar(inner)) return false;
    // After a value: a comma leads to the next one, a bracket closes.
    skip_blanks();
    const bool in_object = open_.back();
    const char close = in_object ? '}' : ']';
    expects_value = false;
    if (take(',')) {
      skip_blanks();
      if (*at_ == close) {
        odd_ = true;
      } else {
        expects_value = true;
        if (in_object && !key()) return false;
        continue;
      }
    }
    if (!take(close)) return fail(in_object ? "',' or '}'" : "',' or ']'");
    open_.pop_back();
  } while (!open_.empty());
  value.raw = {begin, static_cast<std::size_t>(at_ - begin)};
  value.plain = true;
  return true;
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
