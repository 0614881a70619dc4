#include "ingest/chrome/chrome_events.h"

// A walk over JSON text that need not be padded, for arguments a reader looks into.
namespace stepsim::ingest {

namespace {

bool is_blank(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string_view skip_blanks(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size() && is_blank(text[at])) ++at;
  return text.substr(at);
}

/// Length of the string `text` begins with, quotes included; 0 if it has no end.
std::size_t string_length(std::string_view text) noexcept {
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    // A backslash takes the next character with it, but a lone one before a control character does not.
    if (text[at] == '\\') ++at;
  }
  return 0;
}

/// Length of the object or array `text` begins with; 0 if it has no end.
std::size_t container_length(std::string_view text) noexcept {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"': {
        const std::size_t length = string_length(text.substr(at));
        if (length == 0) return 0;
        at += length - 1;
        break;
      }
      case '{':
      case '[': ++depth; break;
      case '}':
      case ']':
        if (--depth == 0) return at + 1;
        break;
      default: break;
    }
  }
  return 0;
}

std::size_t scalar_length(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size() && !is_blank(text[at]) && text[at] != ',' && text[at] != '}' && text[at] != ']') ++at;
  return at;
}

std::size_t value_length(std::string_view text) noexcept {
  if (text.empty()) return 0;
  if (text.front() == '"') return string_length(text);
  if (text.front() == '{' || text.front() == '[') return container_length(text);
  return scalar_length(text);
}

}  // namespace

MemberCursor::MemberCursor(std::string_view object) noexcept : rest_(skip_blanks(object)) {
  if (rest_.empty() || rest_.front() != '{') {
    rest_ = {};
  } else {
    rest_.remove_prefix(1);
  }
}

bool MemberCursor::next(std::string_view& key, std::string_view& value) noexcept {
  rest_ = skip_blanks(rest_);
  while (!rest_.empty() && rest_.front() == ',') rest_ = skip_blanks(rest_.substr(1));
  if (rest_.empty() || rest_.front() != '"') return false;
  const std::size_t key_length = string_length(rest_);
  if (key_length == 0) return false;
  key = rest_.substr(1, key_length - 2);
  std::string_view after = skip_blanks(rest_.substr(key_length));
  if (after.empty() || after.front() != ':') return false;
  after = skip_blanks(after.substr(1));
  const std::size_t length = value_length(after);
  if (length == 0) return false;
  value = after.substr(0, length);
  rest_ = after.substr(length);
  return true;
}

ElementCursor::ElementCursor(std::string_view array) noexcept : rest_(skip_blanks(array)) {
  if (rest_.empty() || rest_.front() != '[') {
    rest_ = {};
  } else {
    rest_.remove_prefix(1);
  }
}

bool ElementCursor::next(std::string_view& value) noexcept {
  rest_ = skip_blanks(rest_);
  while (!rest_.empty() && rest_.front() == ',') rest_ = skip_blanks(rest_.substr(1));
  const std::size_t length = value_length(rest_);
  if (length == 0 || rest_.front() == ']') return false;
  value = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return true;
}

}  // namespace stepsim::ingest
