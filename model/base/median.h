#ifndef STEPSIM_MODEL_BASE_MEDIAN_H
#define STEPSIM_MODEL_BASE_MEDIAN_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepsim {

/// The middle of the values; of an even number, the mean of the two in the middle; T{} of none.
/// T: a number, or a Duration, whose mean is rounded down. O(values).
template <class T>
[[nodiscard]] T median(std::vector<T> values) {
  if (values.empty()) return T{};
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

/// The same, but of an even number the larger of the two in the middle: always one of the values.
/// O(values).
template <class T>
[[nodiscard]] T upper_median(std::vector<T> values) {
  if (values.empty()) return T{};
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  return *upper;
}

/// The mean of the middle half: of the values without ceil(n / 4) at each end, where n > 2 (the midmean; Tukey,
/// "Exploratory Data Analysis", 1977). Up to six values have their median. Of values of two kinds it moves little
/// with one value more or less, where a median goes from one kind to the other. T: a Duration; T{} of no values.
/// O(values log values).
template <class T>
[[nodiscard]] T midmean(std::vector<T> values) {
  if (values.empty()) return T{};
  std::sort(values.begin(), values.end());
  const std::size_t left_out = values.size() > 2 ? (values.size() + 3) / 4 : 0;
  const std::size_t kept = values.size() - 2 * left_out;
  T mean{};
  T rest{};  // summed apart, because a sum of hostile times would overflow
  for (std::size_t i = left_out; i < left_out + kept; ++i) {
    mean += values[i] / static_cast<std::int64_t>(kept);
    rest += values[i] % static_cast<std::int64_t>(kept);
  }
  return mean + rest / static_cast<std::int64_t>(kept);
}

}  // namespace stepsim

#endif
