#include "ingest/json/escape.h"

#include <algorithm>

#include "ingest/json/json_bytes.h"
#include "model/base/text.h"

namespace stepsim::ingest::json {

namespace {

using Kind = Escape::Kind;

constexpr char32_t kReplacement = 0xFFFD;

/// Decodes "\uXXXX" at the front of `text` as a single UTF-16 unit.
Escape decode_unit(std::string_view text) noexcept {
  constexpr std::size_t kLength = 6;
  constexpr std::string_view kPrefix = "\\u";
  char32_t code = 0;
  for (std::size_t i = 0; i < kLength; ++i) {
    if (i == text.size()) return {Kind::kCut};
    const char c = text[i];
    if (i < kPrefix.size() ? c != kPrefix[i] : !is_hex(c)) return {Kind::kNone};
    if (i >= kPrefix.size()) code = code << 4U | static_cast<char32_t>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return {Kind::kWhole, code, kLength};
}

/// True if strict JSON allows this text between the quotes of a string.
bool is_strict_string(std::string_view raw) {
  while (!raw.empty()) {
    if (static_cast<unsigned char>(raw.front()) < 0x20) return false;
    std::size_t length = 1;
    if (raw.front() == '\\') {
      const Escape escape = decode_escape(raw);
      length = escape.kind == Kind::kWhole ? escape.length : 0;
    } else {
      const Character character = decode_utf8(raw);
      length = character.valid ? character.length : 0;
    }
    if (length == 0) return false;
    raw.remove_prefix(length);
  }
  return true;
}

/// Length of the string at the front of `text`, including its quotes.
std::size_t quoted_length(std::string_view text) {
  std::size_t at = 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2U : 1U;
  return std::min(at + 1, text.size());
}

}  // namespace

Escape decode_escape(std::string_view text) noexcept {
  if (text.size() < 2) return {Kind::kCut};
  if (text[1] != 'u') {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    const std::size_t known = kNames.find(text[1]);
    if (known == std::string_view::npos) return {Kind::kNone};
    return {Kind::kWhole, static_cast<unsigned char>(kValues[known]), 2};
  }
  const Escape first = decode_unit(text);
  if (first.kind != Kind::kWhole || first.code < 0xD800 || first.code > 0xDFFF) return first;
  const Escape second = first.code < 0xDC00 ? decode_unit(text.substr(first.length)) : Escape{};
  if (second.kind == Kind::kWhole && second.code >= 0xDC00 && second.code <= 0xDFFF)
    return {Kind::kWhole, 0x10000 + ((first.code - 0xD800) << 10U) + (second.code - 0xDC00), 12};
  return {second.kind == Kind::kCut ? Kind::kCut : Kind::kHalf, kReplacement, first.length};
}

std::string unescaped(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  while (!raw.empty()) {
    std::size_t length = 1;
    if (raw.front() == '\\') {
      const Escape escape = decode_escape(raw);
      if (escape.length > 0) append_utf8(out, escape.code);
      if (escape.length == 0) out += '\\';
      length = escape.length > 0 ? escape.length : 1;
    } else {
      const Character character = decode_utf8(raw);
      length = character.length;
      if (character.valid) out += raw.substr(0, length);
      if (!character.valid) append_utf8(out, kReplacement);
    }
    raw.remove_prefix(length);
  }
  return out;
}

std::string strict_json(std::string_view value) {
  constexpr std::string_view kBetweenTokens = " \t\r\n,:{}[]\"";
  std::string out;
  out.reserve(value.size());
  while (!value.empty()) {
    std::size_t length = 1;
    if (value.front() == '"') {
      length = quoted_length(value);
      const std::string_view raw = value.substr(1, length - 2);
      if (is_strict_string(raw)) {
        out += value.substr(0, length);
      } else {
        append_exact_json_string(out, unescaped(raw));
      }
    } else if (kBetweenTokens.find(value.front()) == std::string_view::npos) {
      length = std::min(value.find_first_of(kBetweenTokens), value.size());
      const std::string_view word = value.substr(0, length);
      const char first = word[word.starts_with('-') ? 1 : 0];
      const bool is_json = is_digit(first) || word == "true" || word == "false" || word == "null";
      if (is_json) {
        out += word;
      } else {
        append_exact_json_string(out, word);
      }
    } else if (value.front() == ',') {
      const std::size_t next = value.find_first_not_of(" \t\r\n", 1);
      if (next == std::string_view::npos || (value[next] != '}' && value[next] != ']')) out += ',';
    } else {
      out += value.front();
    }
    value.remove_prefix(length);
  }
  return out;
}

}  // namespace stepsim::ingest::json
