#ifndef STEPSIM_MODEL_BASE_UNITS_H
#define STEPSIM_MODEL_BASE_UNITS_H

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace stepsim {

/// A length of simulated or recorded time. Signed 64-bit nanoseconds: +-292 years.
using Duration = std::chrono::duration<std::int64_t, std::nano>;

/// Clock tag for simulated time. It has no now(), because simulated time is never read from the host.
struct SimClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<SimClock, Duration>;
  static constexpr bool is_steady = true;
};

/// A point in simulated or recorded time, in nanoseconds since an origin that the
/// owner states (the Unix epoch for traces, the start of the replay for timelines).
using Time = SimClock::time_point;

/// An amount of data. Does not convert implicitly to or from an integer.
class Bytes {
 public:
  constexpr Bytes() noexcept = default;
  constexpr explicit Bytes(std::int64_t count) noexcept : count_(count) {}
  [[nodiscard]] constexpr std::int64_t count() const noexcept { return count_; }
  friend constexpr auto operator<=>(Bytes, Bytes) noexcept = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) noexcept { return Bytes{a.count_ + b.count_}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) noexcept { return Bytes{a.count_ - b.count_}; }
  constexpr Bytes& operator+=(Bytes other) noexcept {
    count_ += other.count_;
    return *this;
  }

 private:
  std::int64_t count_ = 0;
};

/// A data rate in bytes per second. Only from_bits_per_second() accepts bits.
class Bandwidth {
 public:
  constexpr Bandwidth() noexcept = default;
  [[nodiscard]] static constexpr Bandwidth from_bytes_per_second(double rate) noexcept { return Bandwidth{rate}; }
  [[nodiscard]] static constexpr Bandwidth from_bits_per_second(double rate) noexcept { return Bandwidth{rate / 8}; }
  [[nodiscard]] constexpr double bytes_per_second() const noexcept { return bytes_per_second_; }
  friend constexpr auto operator<=>(Bandwidth, Bandwidth) noexcept = default;

 private:
  constexpr explicit Bandwidth(double rate) noexcept : bytes_per_second_(rate) {}
  double bytes_per_second_ = 0;
};

/// Returns the time to move `size` at `rate`, rounded up so that no transfer is free. Precondition: `rate` is positive
/// and `size` is not negative.
[[nodiscard]] Duration transfer_time(Bytes size, Bandwidth rate) noexcept;

/// Parses "64KiB", "25MB", "0B": SI (kB, MB, GB, TB) and binary (KiB ... TiB) prefixes.
/// Bare 0 is accepted, any other bare number is not. Throws std::invalid_argument whose
/// what() says what was found and which forms are accepted.
[[nodiscard]] Bytes parse_bytes(std::string_view text);

/// Parses "25Gb/s" (bits), "3GB/s" (bytes), SI prefixes k, M, G, T. Throws as parse_bytes() does, also for zero and
/// negative rates.
[[nodiscard]] Bandwidth parse_bandwidth(std::string_view text);

/// A rate of a link, as a user gives it.
struct LinkRate {
  Bandwidth rate;
  bool is_bus = false;  ///< true if it is a bus bandwidth: the payload that collectives were measured to carry
};

/// Parses a rate as parse_bandwidth() does, with " bus" after it if it is a bus bandwidth: "4.13GB/s bus".
[[nodiscard]] LinkRate parse_link_rate(std::string_view text);

/// Parses "5us", "1.5ms", "-20ns", "2s" exactly to the nanosecond (no double in between). Bare 0 is accepted. Throws as
/// parse_bytes() does.
[[nodiscard]] Duration parse_duration(std::string_view text);

/// Return regular expressions (of ECMAScript, and unanchored) for what the parse functions accept; signs are left out.
[[nodiscard]] std::string bytes_pattern();
[[nodiscard]] std::string bandwidth_pattern();
[[nodiscard]] std::string link_rate_pattern();
[[nodiscard]] std::string duration_pattern();

/// Returns the duration with four significant digits, for sentences that people read: "534.1 ms", "156.0 ms", "1,234
/// s". Uses the unit in which 1 <= value < 1000. If two significant digits express the value exactly, zeros at the end
/// of the fraction are omitted: "22 us", "1.5 ms".
[[nodiscard]] std::string to_text(Duration duration);

/// Returns exact microseconds with three decimals: "12.345", "-0.001", "12.000".
[[nodiscard]] std::string microseconds(Duration duration);

/// Returns microseconds like microseconds(), but without decimals if they are all 0: "12".
[[nodiscard]] std::string short_microseconds(Duration duration);

/// Returns the size with an SI prefix, as parse_bytes() reads it: "25MB", "1.5kB".
[[nodiscard]] std::string to_text(Bytes size);

/// Returns the rate in bytes per second with four digits and an SI prefix, as parse_bandwidth() reads it: "119.6MB/s".
[[nodiscard]] std::string to_text(Bandwidth rate);

/// Sums of extreme durations stop at this value (146 years) instead of overflowing. It is half the range, so the
/// difference of two times is still a Duration.
inline constexpr Time kEndOfTime{Duration{std::numeric_limits<std::int64_t>::max() / 2}};

/// Returns the time `duration` after `time`, but at most kEndOfTime. Precondition: duration >= 0.
[[nodiscard]] constexpr Time later(Time time, Duration duration) noexcept {
  return time > kEndOfTime - duration ? kEndOfTime : time + duration;
}

}  // namespace stepsim

#endif
