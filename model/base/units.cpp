#include "model/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>

#include "model/base/text.h"

namespace stepsim {
namespace {

__extension__ using Wide = unsigned __int128;  // a size times 1e9 overflows 64 bits from 18 GB on

struct Unit {
  std::string_view suffix;
  std::int64_t scale;
};

constexpr std::array kDurationUnits{Unit{"ns", 1}, Unit{"us", 1'000}, Unit{"ms", 1'000'000}, Unit{"s", 1'000'000'000}};
constexpr std::array kBytesUnits{Unit{"B", 1},
                                 Unit{"kB", 1'000},
                                 Unit{"MB", 1'000'000},
                                 Unit{"GB", 1'000'000'000},
                                 Unit{"TB", 1'000'000'000'000},
                                 Unit{"KiB", std::int64_t{1} << 10},
                                 Unit{"MiB", std::int64_t{1} << 20},
                                 Unit{"GiB", std::int64_t{1} << 30},
                                 Unit{"TiB", std::int64_t{1} << 40}};
constexpr std::array kRateUnits{Unit{"b/s", 1},
                                Unit{"kb/s", 1'000},
                                Unit{"Mb/s", 1'000'000},
                                Unit{"Gb/s", 1'000'000'000},
                                Unit{"Tb/s", 1'000'000'000'000},
                                Unit{"B/s", 8},
                                Unit{"kB/s", 8'000},
                                Unit{"MB/s", 8'000'000},
                                Unit{"GB/s", 8'000'000'000},
                                Unit{"TB/s", 8'000'000'000'000}};

constexpr std::string_view kBusSuffix = " bus";

/// Units that are accepted as input but never printed.
constexpr std::array kDurationAliases{Unit{"\u00b5s", 1'000},
                                      Unit{"\u03bcs", 1'000}};  // micro sign, Greek mu (both are used)
constexpr std::array kRateAliases{Unit{"bps", 1},
                                  Unit{"kbps", 1'000},
                                  Unit{"Mbps", 1'000'000},
                                  Unit{"Gbps", 1'000'000'000},
                                  Unit{"Tbps", 1'000'000'000'000},
                                  Unit{"Bps", 8},
                                  Unit{"kBps", 8'000},
                                  Unit{"MBps", 8'000'000},
                                  Unit{"GBps", 8'000'000'000},
                                  Unit{"TBps", 8'000'000'000'000}};

/// The name of a kind of quantity and its accepted forms, for error messages.
struct Forms {
  std::string_view noun;
  std::string_view accepted;
  std::span<const Unit> units;
  std::span<const Unit> aliases{};
};

constexpr Forms kDurationForms{"a duration", "a number with ns, us, ms or s, such as 5us or 1.5ms", kDurationUnits,
                               kDurationAliases};
constexpr Forms kBytesForms{"a size", "a number with B, kB, MB, GB, TB, KiB, MiB, GiB or TiB, such as 64KiB or 25MB",
                            kBytesUnits};
constexpr Forms kRateForms{"a bandwidth",
                           "a number with b/s (bits) or B/s (bytes) and k, M, G or T, such as 25Gb/s or 3GB/s",
                           kRateUnits, kRateAliases};

[[noreturn]] void refuse(std::string_view text, const Forms& forms, std::string_view problem) {
  throw std::invalid_argument(
      fmt::format("'{}' is not {}: {}; expected {}", shown(text, 60), forms.noun, problem, forms.accepted));
}

/// A decimal number as written. The last `decimals` of its digits are after the point.
struct Decimal {
  bool negative = false;
  std::int64_t digits = 0;
  int decimals = 0;
  std::string_view suffix;
};

/// Removes the zeros at the end of a fraction, so that 1.50 and 1.5 are the same number.
std::string_view without_trailing_zeros(std::string_view fraction) noexcept {
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  return fraction;
}

std::string_view take_digits(std::string_view& rest) noexcept {
  std::size_t length = 0;
  while (length < rest.size() && is_digit(rest[length])) ++length;
  const std::string_view digits = rest.substr(0, length);
  rest.remove_prefix(length);
  return digits;
}

Decimal split(std::string_view text, const Forms& forms) {
  Decimal result;
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) {
    result.negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  const std::string_view whole = take_digits(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = without_trailing_zeros(take_digits(rest));
  }
  if (whole.empty()) refuse(text, forms, "it does not start with a number");
  for (const std::string_view part : {whole, fraction}) {
    for (const char c : part) {
      const bool overflow = __builtin_mul_overflow(result.digits, 10, &result.digits) ||
                            __builtin_add_overflow(result.digits, c - '0', &result.digits);
      if (overflow) refuse(text, forms, "it has too many digits");
    }
  }
  result.decimals = static_cast<int>(fraction.size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  result.suffix = rest;
  return result;
}

bool differs_in_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

std::int64_t scale_of(std::string_view text, const Decimal& number, const Forms& forms) {
  if (number.suffix.empty()) refuse(text, forms, "the unit is missing");
  std::string near;
  for (const std::span<const Unit> units : {forms.units, forms.aliases}) {
    for (const Unit& unit : units) {
      if (unit.suffix == number.suffix) return unit.scale;
      if (differs_in_case(unit.suffix, number.suffix))
        near += fmt::format("{}'{}'", near.empty() ? "; did you mean " : " or ", unit.suffix);
    }
  }
  refuse(text, forms,
         fmt::format("'{}' is not a valid unit{}{}", shown(number.suffix, 30), near, near.empty() ? "" : "?"));
}

/// Returns 10^exponent. Precondition: 0 <= exponent <= 18.
std::int64_t power_of_ten(int exponent) noexcept {
  std::int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

/// Parses `text` into the smallest unit of its kind. Throws if the number is not exact in that unit.
std::int64_t parse_exactly(std::string_view text, const Forms& forms) {
  const Decimal number = split(text, forms);
  if (number.digits == 0 && number.suffix.empty()) return 0;
  const std::int64_t scale = scale_of(text, number, forms);
  if (number.decimals > 18) refuse(text, forms, "it has too many decimals");
  const std::int64_t divisor = power_of_ten(number.decimals);
  const std::int64_t common = std::gcd(scale, divisor);
  if (number.digits % (divisor / common) != 0) {
    refuse(text, forms, fmt::format("it is not a whole number of {}", forms.units.front().suffix));
  }
  std::int64_t value = 0;
  if (__builtin_mul_overflow(number.digits / (divisor / common), scale / common, &value)) {
    refuse(text, forms, "it is too large");
  }
  return number.negative ? -value : value;
}

/// Returns an expression for a number with one of the units. A slash has no special meaning in it.
std::string pattern_of(const Forms& forms) {
  std::string units;
  for (const std::span<const Unit> part : {forms.units, forms.aliases}) {
    for (const Unit& unit : part) units += fmt::format("{}{}", units.empty() ? "" : "|", unit.suffix);
  }
  return fmt::format("\\+?[0-9]+(\\.[0-9]*)? *({})", units);
}

/// Returns `value` / `step`, rounded half up.
std::uint64_t rounded(std::uint64_t value, std::uint64_t step) noexcept {
  return value / step + (value % step >= step - step / 2 ? 1 : 0);
}

/// Returns `value` with a point before its last `decimals` digits.
std::string fixed(std::uint64_t value, int decimals) {
  if (decimals == 0) return std::to_string(value);
  const auto one = static_cast<std::uint64_t>(power_of_ten(decimals));
  return fmt::format("{}.{:0{}}", value / one, value % one, decimals);
}

/// Returns the same as fixed(), without trailing zeros.
std::string decimal(std::uint64_t value, int decimals) {
  for (; decimals > 0 && value % 10 == 0; value /= 10) --decimals;
  return fixed(value, decimals);
}

std::uint64_t magnitude_of(std::int64_t value) noexcept {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

}  // namespace

Duration transfer_time(Bytes size, Bandwidth rate) noexcept {
  const double bytes_per_second = rate.bytes_per_second();
  const auto bytes = static_cast<std::uint64_t>(size.count());
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  constexpr auto kLongest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (bytes_per_second < kExactIntegers && std::floor(bytes_per_second) == bytes_per_second) {
    const auto divisor = static_cast<std::uint64_t>(bytes_per_second);
    const Wide exact = (Wide{bytes} * 1'000'000'000U + (divisor - 1)) / divisor;
    return Duration{exact > kLongest ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(exact)};
  }
  const double nanoseconds = std::ceil(static_cast<double>(bytes) * 1e9 / bytes_per_second);
  return nanoseconds >= 0x1p63 ? Duration::max() : Duration{static_cast<std::int64_t>(nanoseconds)};
}

Bytes parse_bytes(std::string_view text) {
  const std::int64_t count = parse_exactly(text, kBytesForms);
  if (count < 0) refuse(text, kBytesForms, "it is negative");
  return Bytes{count};
}

Bandwidth parse_bandwidth(std::string_view text) {
  const Decimal number = split(text, kRateForms);
  const auto scale = static_cast<double>(scale_of(text, number, kRateForms));
  const double bits = static_cast<double>(number.digits) * scale / std::pow(10.0, number.decimals);
  if (number.negative || number.digits == 0) refuse(text, kRateForms, "it is not above zero");
  return Bandwidth::from_bits_per_second(bits);
}

LinkRate parse_link_rate(std::string_view text) {
  const bool is_bus = text.ends_with(kBusSuffix);
  return {parse_bandwidth(is_bus ? text.substr(0, text.size() - kBusSuffix.size()) : text), is_bus};
}

Duration parse_duration(std::string_view text) { return Duration{parse_exactly(text, kDurationForms)}; }

std::string bytes_pattern() { return pattern_of(kBytesForms); }

std::string bandwidth_pattern() { return pattern_of(kRateForms); }

std::string link_rate_pattern() { return fmt::format("({})({})?", bandwidth_pattern(), kBusSuffix); }

std::string duration_pattern() { return pattern_of(kDurationForms); }

std::string to_text(Duration duration) {
  const std::uint64_t magnitude = magnitude_of(duration.count());
  const std::string_view sign = duration.count() < 0 ? "-" : "";
  if (magnitude < 1000) return fmt::format("{}{} ns", sign, magnitude);
  for (const Unit& unit : {kDurationUnits[1], kDurationUnits[2], kDurationUnits[3]}) {
    const auto scale = static_cast<std::uint64_t>(unit.scale);
    const int decimals = magnitude >= 1000 * scale ? 0 : magnitude >= 100 * scale ? 1 : magnitude >= 10 * scale ? 2 : 3;
    const std::uint64_t step = scale / static_cast<std::uint64_t>(power_of_ten(decimals));
    const std::uint64_t value = rounded(magnitude, step);
    const std::uint64_t whole = value / static_cast<std::uint64_t>(power_of_ten(decimals));
    if (whole < 1000) {
      const bool is_round = magnitude % step == 0 && value % 100 == 0;  // true if two digits express it exactly
      return fmt::format("{}{} {}", sign, is_round ? decimal(value, decimals) : fixed(value, decimals), unit.suffix);
    }
    if (unit.suffix == kDurationUnits.back().suffix) return fmt::format("{}{} {}", sign, grouped(whole), unit.suffix);
  }
  return {};
}

std::string microseconds(Duration duration) {
  const std::int64_t nanoseconds = duration.count();
  const std::string_view sign = nanoseconds < 0 ? "-" : "";
  const std::uint64_t size =
      nanoseconds < 0 ? 0 - static_cast<std::uint64_t>(nanoseconds) : static_cast<std::uint64_t>(nanoseconds);
  return fmt::format("{}{}.{:03}", sign, size / 1000, size % 1000);
}

std::string short_microseconds(Duration duration) {
  std::string text = microseconds(duration);
  if (text.ends_with(".000")) text.resize(text.size() - 4);
  return text;
}

std::string to_text(Bytes size) {
  const std::uint64_t magnitude = magnitude_of(size.count());
  const std::string_view sign = size.count() < 0 ? "-" : "";
  if (magnitude < 1000) return fmt::format("{}{}B", sign, magnitude);
  for (const Unit& unit : {kBytesUnits[1], kBytesUnits[2], kBytesUnits[3], kBytesUnits[4]}) {
    const std::uint64_t tenth = static_cast<std::uint64_t>(unit.scale) / 10;
    const std::uint64_t value = magnitude / tenth + (magnitude % tenth >= tenth / 2 ? 1 : 0);
    const bool last = unit.suffix == kBytesUnits[4].suffix;
    if (last || value < 10'000) return fmt::format("{}{}{}", sign, decimal(value, 1), unit.suffix);
  }
  return {};
}

std::string to_text(Bandwidth rate) {
  double value = rate.bytes_per_second();
  for (const std::string_view unit : {"B/s", "kB/s", "MB/s", "GB/s"}) {
    if (value < 999.95) return fmt::format("{:.4g}{}", value, unit);
    value /= 1000;
  }
  return fmt::format("{:.4g}TB/s", value);
}

}  // namespace stepsim
