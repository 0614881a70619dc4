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

/// Tag clock: simulated time is never read from the host, so there is no now().
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

/// A quantity of data. Never implicitly an integer.
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

/// A data rate in bytes per second. Bits enter only through from_bits_per_second.
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

/// Time to move `size` at `rate`, rounded up so that no transfer is free.
/// Precondition: `rate` is positive and `size` is not negative.
[[nodiscard]] Duration transfer_time(Bytes size, Bandwidth rate) noexcept;

/// Parses "64KiB", "25MB", "0B": SI (kB, MB, GB, TB) and binary (KiB ... TiB) prefixes.
/// Bare 0 is accepted, any other bare number is not. Throws std::invalid_argument whose
/// what() says what was found and which forms are accepted.
[[nodiscard]] Bytes parse_bytes(std::string_view text);

/// Parses "25Gb/s" (bits), "3GB/s" (bytes), SI prefixes k, M, G, T. Errors as parse_bytes;
/// zero and negative rates are errors.
[[nodiscard]] Bandwidth parse_bandwidth(std::string_view text);

/// Parses "5us", "1.5ms", "-20ns", "2s" exactly to the nanosecond (no double in between).
/// Bare 0 is accepted. Errors as parse_bytes.
[[nodiscard]] Duration parse_duration(std::string_view text);

/// "1.234 ms", "22 us": at most three digits after the point, the unit chosen so that 1 <= value < 1000.
[[nodiscard]] std::string to_text(Duration duration);

/// "12.345", "-0.001", "12.000": microseconds with three decimals, exact.
[[nodiscard]] std::string microseconds(Duration duration);

/// The same without decimals that are all 0: "12".
[[nodiscard]] std::string short_microseconds(Duration duration);

/// "25MB", "1.5kB": SI prefixes, as parse_bytes() reads them.
[[nodiscard]] std::string to_text(Bytes size);

/// "119.6MB/s": four digits, SI prefixes, bytes, as parse_bandwidth() reads them.
[[nodiscard]] std::string to_text(Bandwidth rate);

/// Sums of hostile durations stop here, at 146 years, instead of overflowing; half the range, so
/// that the difference of two times is still a Duration.
inline constexpr Time kEndOfTime{Duration{std::numeric_limits<std::int64_t>::max() / 2}};

/// `duration` after `time`, at most kEndOfTime. Precondition: duration >= 0.
[[nodiscard]] constexpr Time later(Time time, Duration duration) noexcept {
  return time > kEndOfTime - duration ? kEndOfTime : time + duration;
}

}  // namespace stepsim

#endif
