#ifndef STEPSIM_TESTS_GROWTH_H
#define STEPSIM_TESTS_GROWTH_H

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <limits>

namespace stepsim::testing {

/// Returns how many times as much processor time `work(8 * size)` takes as `work(size)`, at the best of three tries:
/// about 8 if the work is linear, 64 if it is quadratic. `work(size)` should take a millisecond or more.
template <class Work>
double growth(std::size_t size, const Work& work) {
  const auto time_of = [&](std::size_t n) {
    std::clock_t best = std::numeric_limits<std::clock_t>::max();
    for (int tries = 0; tries < 3; ++tries) {
      const std::clock_t begin = std::clock();
      work(n);
      best = std::min(best, std::clock() - begin);
    }
    return static_cast<double>(std::max<std::clock_t>(1, best));
  };
  const double one = time_of(size);
  return time_of(8 * size) / one;
}

/// A bound for growth(): between linear, or n log n, and quadratic work.
inline constexpr double kLessThanQuadratic = 24;

}  // namespace stepsim::testing

#endif
