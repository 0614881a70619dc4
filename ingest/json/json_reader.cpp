#include "ingest/json/json_reader.h"

#include <fmt/format.h>

#include "ingest/json/escape.h"
#include "model/base/text.h"

namespace stepsim::ingest {

namespace {

std::string content(const json::Value& text) { return text.plain ? std::string{text.raw} : json::unescaped(text.raw); }

}  // namespace

JsonReader::JsonReader(ByteSource& source) : text_(source, json::Rules::kStrict), file_(source.name()) {
  text_.skip_byte_order_mark();
}

std::uint64_t JsonReader::offset() {
  static_cast<void>(text_.next_char());
  return text_.at();
}

void JsonReader::fail(std::uint64_t offset, std::string_view problem) const {
  throw InputError({file_, offset, {}}, problem);
}

void JsonReader::fail_here(std::string_view expected) {
  ended_ = text_.at_end();
  fail(text_.at(), text_.unexpected(expected));
}

void JsonReader::fail_scan() {
  ended_ = text_.outcome() == Outcome::kCut;
  fail(text_.stopped_at(), text_.problem());
}

void JsonReader::open(char bracket, std::string_view expected) {
  if (peek() != bracket) fail_here(expected);
  text_.advance();
}

bool JsonReader::closes(char bracket, bool is_first) {
  const char next = peek();
  if (next == bracket) {
    text_.advance();
    return true;
  }
  if (is_first) return false;
  if (next != ',') fail_here(fmt::format("',' or '{}'", bracket));
  text_.advance();
  return false;
}

std::string JsonReader::key() {
  if (peek() != '"') fail_here("a key in double quotes");
  std::string_view raw;
  if (text_.scan([&raw](json::Scanner& scanner) { return scanner.key(raw); }) != Outcome::kDone) fail_scan();
  return raw.find('\\') == std::string_view::npos ? std::string{raw} : json::unescaped(raw);
}

json::Value JsonReader::value() {
  static_cast<void>(peek());
  if (text_.at_end()) fail_here("a value");
  json::Value value;
  if (text_.scan([&value](json::Scanner& scanner) { return scanner.value(value); }) != Outcome::kDone) fail_scan();
  return value;
}

std::string JsonReader::text() {
  if (peek() != '"') fail_here("a text in double quotes");
  return content(value());
}

std::string_view JsonReader::number() {
  const char first = peek();
  if (first != '-' && !is_digit(first)) fail_here("a number");
  return value().raw;
}

// Skips member by member, because all members together may be longer than a window.
void JsonReader::skip() {
  switch (peek()) {
    case '{': return object([this](const std::string&) { static_cast<void>(value()); });
    case '[': return array([this] { static_cast<void>(value()); });
    default: static_cast<void>(value());
  }
}

void JsonReader::expect_end() {
  static_cast<void>(peek());
  if (!text_.at_end()) fail_here("the end of the file");
}

}  // namespace stepsim::ingest
