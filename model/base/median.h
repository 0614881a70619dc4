#ifndef STEPSIM_MODEL_BASE_MEDIAN_H
#define STEPSIM_MODEL_BASE_MEDIAN_H

#include <algorithm>
#include <cstddef>
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

}  // namespace stepsim

#endif
