#ifndef STEPSIM_MODEL_BASE_MEDIAN_H
#define STEPSIM_MODEL_BASE_MEDIAN_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepsim {

/// Returns the middle value; for an even number of values, the mean of the two in the middle; for none, T{}. T is a
/// number or a Duration, whose mean is rounded down. O(values).
template <class T>
[[nodiscard]] T median(std::vector<T> values) {
  if (values.empty()) return T{};
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

/// Returns the middle value; for an even number of values, the larger of the two in the middle. The result is therefore
/// always one of the values. O(values).
template <class T>
[[nodiscard]] T upper_median(std::vector<T> values) {
  if (values.empty()) return T{};
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  return *upper;
}

/// Returns how many of n sorted values the middle half leaves out at each end: ceil(n / 4), or none of up to two. Of up
/// to six values it keeps the one or the two in the middle.
[[nodiscard]] constexpr std::size_t outside_middle_half(std::size_t n) noexcept { return n > 2 ? (n + 3) / 4 : 0; }

/// Returns the mean of durations, rounded down; T{} for none. It does not overflow. O(values).
template <class T>
[[nodiscard]] T mean(const std::vector<T>& values) {
  const auto count = static_cast<std::int64_t>(values.size());
  T mean{};
  T rest{};  // a separate sum of remainders, because the sum of extreme times would overflow
  for (const T value : values) {
    mean += value / count;
    rest += value % count;
  }
  return count == 0 ? T{} : mean + rest / count;
}

/// Returns the mean of the middle half of durations (the midmean; Tukey, "Exploratory Data Analysis", 1977); T{} for
/// none. O(values log values).
template <class T>
[[nodiscard]] T midmean(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  const auto left_out = static_cast<std::ptrdiff_t>(outside_middle_half(values.size()));
  return mean(std::vector<T>(values.begin() + left_out, values.end() - left_out));
}

}  // namespace stepsim

#endif
