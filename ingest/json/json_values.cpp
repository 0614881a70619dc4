#include "ingest/json/json_values.h"

#include <bit>
#include <cstring>
#include <limits>

#include "ingest/json/escape.h"
#include "ingest/json/scanner.h"
#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// A decimal number: digits x 10^exponent. It keeps the first nineteen digits, as many as an int64 can have. The digits
/// after those only decide the rounding.
struct Decimal {
  std::uint64_t digits = 0;
  std::int64_t exponent = 0;
  bool negative = false;
  bool dropped = false;       ///< nonzero digits were dropped
  bool dropped_half = false;  ///< the first dropped digit was 5 or more
};

class DecimalParser {
 public:
  explicit DecimalParser(std::string_view text) noexcept : at_(text.data()), end_(text.data() + text.size()) {}

  std::optional<Decimal> parse() noexcept {
    if (at_ != end_ && (*at_ == '-' || *at_ == '+')) number_.negative = *at_++ == '-';
    const bool whole = digits(false);
    bool decimals = false;
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      decimals = digits(true);
    }
    if (!whole && !decimals) return std::nullopt;
    if (at_ != end_ && !exponent()) return std::nullopt;
    return number_;
  }

 private:
  bool digits(bool behind_point) noexcept {
    const char* const begin = at_;
    constexpr std::uint64_t kFull = 1'000'000'000'000'000'000;  // a 20th digit would not fit
    for (; at_ != end_ && is_digit(*at_); ++at_) {
      const auto digit = static_cast<std::uint64_t>(*at_ - '0');
      if (number_.digits < kFull) {
        number_.digits = number_.digits * 10 + digit;
        if (behind_point) --number_.exponent;
        continue;
      }
      if (!full_) number_.dropped_half = digit >= 5;
      full_ = true;
      if (digit != 0) number_.dropped = true;
      if (!behind_point) ++number_.exponent;
    }
    return at_ != begin;
  }

  bool exponent() noexcept {
    if (*at_ != 'e' && *at_ != 'E') return false;
    ++at_;
    const bool negative = at_ != end_ && *at_ == '-';
    if (at_ != end_ && (*at_ == '-' || *at_ == '+')) ++at_;
    const char* const begin = at_;
    std::int64_t value = 0;
    constexpr std::int64_t kFar = 1'000'000'000;  // with a larger exponent every number is zero or out of range
    for (; at_ != end_ && is_digit(*at_); ++at_) value = value < kFar ? value * 10 + (*at_ - '0') : value;
    number_.exponent += negative ? -value : value;
    return at_ != begin && at_ == end_;
  }

  const char* at_;
  const char* end_;
  Decimal number_;
  bool full_ = false;
};

std::optional<std::int64_t> with_sign(std::uint64_t magnitude, bool negative) noexcept {
  if (magnitude > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  const auto value = static_cast<std::int64_t>(magnitude);
  return negative ? -value : value;
}

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

/// Returns digits x 10^power; nullopt if it does not fit.
std::optional<std::uint64_t> scaled_up(std::uint64_t digits, std::int64_t power) noexcept {
  for (; power > 0 && digits != 0; --power) {
    if (digits > kMax / 10) return std::nullopt;
    digits *= 10;
  }
  return digits;
}

/// Returns digits / 10^power, rounded half away from zero.
std::uint64_t scaled_down(std::uint64_t digits, std::int64_t power) noexcept {
  std::uint64_t divisor = 1;
  for (; power > 0; --power) {
    if (divisor > kMax / 10) return 0;
    divisor *= 10;
  }
  const std::uint64_t rest = digits % divisor;
  return digits / divisor + (rest >= divisor - rest ? 1 : 0);
}

/// Parses eight digits at `p`; nullopt if one of the characters is not a digit.
std::optional<std::uint64_t> eight_digits(const char* p) noexcept {
  static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  // A digit is 0x30 to 0x39: its high half is 3, also after adding 6.
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0U;
  if (((word & kHigh) | ((word + 0x0606060606060606U) & kHigh) >> 4) != 0x3333333333333333U) return std::nullopt;
  // Combines neighbours: eight digits become four pairs, then two groups of four, then one number.
  word = (word & 0x0F0F0F0F0F0F0F0FU) * (10 * 256 + 1) >> 8;
  word = (word & 0x00FF00FF00FF00FFU) * (100 * 65536 + 1) >> 16;
  return (word & 0x0000FFFF0000FFFFU) * (10000 * 4294967296U + 1) >> 32;
}

/// Parses the usual form of a timestamp: up to 15 digits (16 if the value fits) and up to three decimals.
std::optional<std::int64_t> plain_microseconds(std::string_view text) noexcept {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max() / 1000 - 1;
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint64_t whole = 0;
  for (int i = 0; i < 2 && end - at >= 8; ++i, at += 8) {
    const auto digits = eight_digits(at);
    if (!digits) break;
    whole = whole * 100'000'000 + *digits;
  }
  for (; at != end && is_digit(*at) && whole <= kMost / 10; ++at)
    whole = whole * 10 + static_cast<std::uint64_t>(*at - '0');
  if (whole > kMost || text.empty()) return std::nullopt;
  std::uint64_t nanoseconds = whole * 1000;
  if (at == end) return static_cast<std::int64_t>(nanoseconds);
  if (*at != '.' || at == text.data() || end - at < 2 || end - at > 4) return std::nullopt;
  std::uint64_t unit = 100;
  for (++at; at != end; ++at, unit /= 10) {
    if (!is_digit(*at)) return std::nullopt;
    nanoseconds += static_cast<std::uint64_t>(*at - '0') * unit;
  }
  return static_cast<std::int64_t>(nanoseconds);
}

/// Returns a raw string's text without its quotes; other raw values as written.
std::string_view without_quotes(std::string_view raw) noexcept {
  return raw.size() >= 2 && raw.front() == '"' && raw.back() == '"' ? raw.substr(1, raw.size() - 2) : raw;
}

}  // namespace

std::optional<std::int64_t> scaled_decimal(std::string_view raw, int power) noexcept {
  const auto number = DecimalParser{without_quotes(raw)}.parse();
  if (!number) return std::nullopt;
  const std::int64_t shift = number->exponent + power;
  if (shift < 0) return with_sign(scaled_down(number->digits, -shift), number->negative);
  const auto digits = scaled_up(number->digits, shift);
  if (!digits || (shift > 0 && number->dropped)) return std::nullopt;
  return with_sign(*digits + (number->dropped_half ? 1 : 0), number->negative);
}

std::optional<std::int64_t> microseconds_as_ns(std::string_view raw) noexcept {
  const auto plain = plain_microseconds(raw);
  return plain ? plain : scaled_decimal(raw, 3);
}

std::optional<std::int64_t> as_integer(std::string_view raw) noexcept {
  const std::string_view text = without_quotes(raw);
  if (const auto value = parse_number<std::int64_t>(text)) return value;
  const auto number = DecimalParser{text}.parse();
  if (!number || number->dropped) return std::nullopt;
  if (number->exponent >= 0) {
    const auto digits = scaled_up(number->digits, number->exponent);
    return digits ? with_sign(*digits, number->negative) : std::nullopt;
  }
  const std::uint64_t whole = scaled_down(number->digits, -number->exponent);
  const auto back = scaled_up(whole, -number->exponent);
  return back == number->digits ? with_sign(whole, number->negative) : std::nullopt;
}

std::string as_text(std::string_view raw) {
  if (raw.size() < 2 || raw.front() != '"') return std::string{raw};
  return json::unescaped(without_quotes(raw));
}

namespace {

std::string padded(std::string_view text) {
  std::string copy;
  copy.reserve(text.size() + json::kPadding);
  return copy.append(text).append(json::kPadding, '\0');
}

}  // namespace

ItemCursor::ItemCursor(std::string_view container)
    : text_(container), padded_(padded(container)), at_(padded_.data()) {}

bool ItemCursor::at_item(char opening) {
  at_ = json::skip_blanks(at_, end());
  if (!inside_ && *at_ != opening) return false;
  // Extra commas are accepted.
  while (*at_ == ',' || !inside_) {
    inside_ = true;
    at_ = json::skip_blanks(at_ + 1, end());
  }
  return true;
}

std::string_view ItemCursor::original(const char* begin, const char* end) const noexcept {
  return text_.substr(static_cast<std::size_t>(begin - padded_.data()), static_cast<std::size_t>(end - begin));
}

bool ItemCursor::next(std::string_view& key, std::string_view& value) {
  if (!at_item('{')) return false;
  json::Scanner scanner{at_, end()};
  std::string_view name;
  json::Value ignored;
  if (!scanner.key(name)) return false;
  const char* const begin = scanner.at();
  if (!scanner.value(ignored)) return false;
  at_ = scanner.at();
  key = original(name.data(), name.data() + name.size());
  value = original(begin, at_);
  return true;
}

bool ItemCursor::next(std::string_view& value) {
  if (!at_item('[')) return false;
  json::Scanner scanner{at_, end()};
  json::Value ignored;
  if (!scanner.value(ignored)) return false;
  value = original(at_, scanner.at());
  at_ = scanner.at();
  return true;
}

}  // namespace stepsim::ingest
