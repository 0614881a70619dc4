#ifndef STEPSIM_INGEST_JSON_SCANNER_INLINE_H
#define STEPSIM_INGEST_JSON_SCANNER_INLINE_H

#include "ingest/json/scanner.h"

/// The part of Scanner that runs for every token of a well-formed trace. What runs for every key is
/// inlined by force: as calls, key_at and skip_blanks took 8 % of a Kineto file's time.
namespace stepsim::ingest::json {

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
      if (*p == '}' && !let_pass(p, "a key")) return nullptr;
    } else if (*p != '}') {
      return fail(p, "',' or '}'");
    }
  }
  return p + 1;
}

}  // namespace stepsim::ingest::json

#endif
