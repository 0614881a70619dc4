#include "ingest/json/json_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::size_t kLongestText = 1U << 20U;
constexpr std::size_t kLongestNumber = 1U << 10U;
constexpr std::size_t kDeepest = 1U << 24U;

bool is_blank(int character) noexcept {
  return character == ' ' || character == '\n' || character == '\t' || character == '\r';
}

bool is_digit(int character) noexcept { return character >= '0' && character <= '9'; }

bool is_word(int character) noexcept {
  return is_digit(character) || (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         character == '-' || character == '+' || character == '.' || character == '_';
}

/// JSON's grammar of a number.
bool is_number(std::string_view text) noexcept {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t before = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i > before;
  };
  if (i < text.size() && text[i] == '-') ++i;
  const bool leading_zero = i + 1 < text.size() && text[i] == '0' && is_digit(text[i + 1]);
  if (leading_zero || !digits()) return false;
  if (i < text.size() && text[i] == '.' && (++i, !digits())) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

/// "e-05" as -5, "" as 0; beyond +-100,000 it makes no difference.
std::int64_t exponent_of(std::string_view text) noexcept {
  if (text.empty()) return 0;
  text.remove_prefix(1);
  const bool down = text.front() == '-';
  if (down || text.front() == '+') text.remove_prefix(1);
  std::int64_t exponent = 0;
  for (const char digit : text) exponent = std::min<std::int64_t>(exponent * 10 + (digit - '0'), 100'000);
  return down ? -exponent : exponent;
}

/// An integer that grows digit by digit and notices when it leaves 63 bits.
struct Accumulator {
  static constexpr std::uint64_t kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t sum = 0;
  bool overflow = false;

  void shift_in(std::uint64_t digit) noexcept {
    overflow = overflow || sum > (kLargest - digit) / 10;
    if (!overflow) sum = sum * 10 + digit;
  }
  void add_one() noexcept {
    overflow = overflow || sum == kLargest;
    if (!overflow) ++sum;
  }
};

}  // namespace

JsonStream::JsonStream(TextInput& input) : input_(input) {
  for (const int byte : {0xEF, 0xBB, 0xBF}) {
    if (input_.peek() != byte) break;
    input_.get();
  }
}

void JsonStream::skip_blanks() {
  while (is_blank(input_.peek())) input_.get();
}

std::uint64_t JsonStream::offset() {
  skip_blanks();
  return input_.offset();
}

void JsonStream::fail(std::uint64_t offset, std::string_view problem) const {
  throw InputError(input_.at_offset(offset), problem);
}

std::string JsonStream::shown_next() {
  const int next = input_.peek();
  if (next == TextInput::kEnd)
    return input_.source().truncated() ? "the gzip stream is cut short" : "the file ends here";
  return fmt::format("'{}' found", shown(std::string(1, static_cast<char>(next))));
}

JsonStream::Kind JsonStream::peek() {
  skip_blanks();
  switch (const int next = input_.peek()) {
    case '{': return Kind::kObject;
    case '[': return Kind::kArray;
    case '"': return Kind::kString;
    case TextInput::kEnd: return Kind::kEnd;
    default: return next == '-' || is_digit(next) ? Kind::kNumber : Kind::kWord;
  }
}

void JsonStream::take(char expected, std::string_view what) {
  skip_blanks();
  if (input_.peek() != static_cast<unsigned char>(expected))
    fail(input_.offset(), fmt::format("{}; expected {}", shown_next(), what));
  input_.get();
}

void JsonStream::enter_object(Scope& scope) {
  take('{', "an object");
  scope = {true, true};
}

void JsonStream::enter_array(Scope& scope) {
  take('[', "an array");
  scope = {false, true};
}

bool JsonStream::at_end_of(Scope& scope, char closing, std::string_view where) {
  skip_blanks();
  if (input_.peek() == static_cast<unsigned char>(closing)) {
    input_.get();
    return true;
  }
  if (!scope.first) take(',', fmt::format("',' or '{}' {}", closing, where));
  scope.first = false;
  return false;
}

bool JsonStream::next_member(Scope& scope, std::string& key) {
  if (at_end_of(scope, '}', "in an object")) return false;
  key = text();
  take(':', "':' after a key");
  return true;
}

bool JsonStream::next_element(Scope& scope) { return !at_end_of(scope, ']', "in an array"); }

std::string JsonStream::text() {
  take('"', "a text in double quotes");
  const std::uint64_t begin = input_.offset();
  std::string out;
  for (;;) {
    const int next = input_.peek();
    if (next == TextInput::kEnd) fail(input_.offset(), fmt::format("{}; expected the end of a text", shown_next()));
    if (next < 0x20) fail(input_.offset(), fmt::format("{} in a text; expected it escaped", shown_next()));
    if (out.size() > kLongestText) fail(begin, "a text of more than 1 MiB; expected a name");
    input_.get();
    if (next == '"') return out;
    if (next == '\\') {
      escape(out);
    } else {
      out.push_back(static_cast<char>(next));
    }
  }
}

void JsonStream::escape(std::string& out) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  const std::uint64_t begin = input_.offset();
  const int name = input_.get();
  if (name == 'u') {
    char32_t code = hex_code();
    if (code >= 0xD800 && code <= 0xDBFF && input_.peek() == '\\') {
      input_.get();
      const char32_t low = input_.get() == 'u' ? hex_code() : U'\0';
      if (low < 0xDC00 || low > 0xDFFF) fail(begin, "half a surrogate pair; expected the other half");
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    }
    append_utf8(out, code >= 0xD800 && code <= 0xDFFF ? U'\uFFFD' : code);
    return;
  }
  const std::size_t place = name == TextInput::kEnd ? std::string_view::npos : kNames.find(static_cast<char>(name));
  if (place == std::string_view::npos) fail(begin, "a backslash before no escape; expected one of \" \\ / b f n r t u");
  out.push_back(kValues[place]);
}

char32_t JsonStream::hex_code() {
  char32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const int next = input_.peek();
    const int lower = next | 0x20;
    const bool letter = lower >= 'a' && lower <= 'f';
    if (!is_digit(next) && !letter)
      fail(input_.offset(), fmt::format("{} after \\u; expected four hexadecimal digits", shown_next()));
    code = code << 4U | static_cast<char32_t>(letter ? lower - 'a' + 10 : next - '0');
    input_.get();
  }
  return code;
}

std::string JsonStream::number() {
  const std::uint64_t begin = offset();
  std::string digits;
  while (is_word(input_.peek()) && digits.size() < kLongestNumber) digits.push_back(static_cast<char>(input_.get()));
  if (digits.empty()) fail(begin, fmt::format("{}; expected a number", shown_next()));
  if (!is_number(digits)) fail(begin, fmt::format("'{}' found; expected a number", shown(digits, 40)));
  return digits;
}

void JsonStream::skip_scalar() {
  switch (peek()) {
    case Kind::kString: static_cast<void>(text()); return;
    case Kind::kNumber: static_cast<void>(number()); return;
    default: break;
  }
  const std::uint64_t begin = offset();
  std::string word;
  while (is_word(input_.peek()) && word.size() < 10) word.push_back(static_cast<char>(input_.get()));
  if (word == "true" || word == "false" || word == "null") return;
  fail(begin, word.empty() ? fmt::format("{}; expected a value", shown_next())
                           : fmt::format("'{}' found; expected a value", word));
}

void JsonStream::skip() {
  std::vector<bool> open;  // an object a level, else an array
  Scope scope;
  std::string key;
  const auto enter_or_skip = [&] {
    const Kind kind = peek();
    if (kind != Kind::kObject && kind != Kind::kArray) return skip_scalar();
    if (open.size() == kDeepest) fail(offset(), "brackets nested 16 million deep; expected fewer");
    kind == Kind::kObject ? enter_object(scope) : enter_array(scope);
    open.push_back(scope.object);
  };
  enter_or_skip();
  while (!open.empty()) {
    if (scope.object ? next_member(scope, key) : next_element(scope)) {
      enter_or_skip();
    } else {
      open.pop_back();
      scope = {!open.empty() && open.back(), false};  // what has closed was a member of this one
    }
  }
}

void JsonStream::expect_end() {
  if (peek() != Kind::kEnd)
    fail(offset(), fmt::format("{} after the document; expected the end of the file", shown_next()));
}

std::optional<std::int64_t> scaled_decimal(std::string_view digits, int power) noexcept {
  if (!is_number(digits)) return std::nullopt;
  const bool negative = digits.front() == '-';
  digits.remove_prefix(negative ? 1 : 0);
  const std::size_t e = std::min(digits.find_first_of("eE"), digits.size());
  const std::int64_t exponent = exponent_of(digits.substr(e));
  digits = digits.substr(0, e);
  // Digit i has the weight 10^(whole - 1 - i + exponent + power): those from `keep` on are below one.
  const auto whole = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const std::int64_t keep = whole + exponent + power;
  Accumulator value;
  std::int64_t place = 0;
  bool round_up = false;
  for (const char digit : digits) {
    if (digit == '.') continue;
    if (place == keep) round_up = digit >= '5';
    if (place < keep) value.shift_in(static_cast<std::uint64_t>(digit - '0'));
    ++place;
  }
  for (; place < keep && value.sum != 0 && !value.overflow; ++place) value.shift_in(0);
  if (round_up) value.add_one();
  if (value.overflow) return std::nullopt;
  const auto result = static_cast<std::int64_t>(value.sum);
  return negative ? -result : result;
}

}  // namespace stepsim::ingest
