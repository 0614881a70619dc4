#include "scenarios/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stepsim::scenarios {

void Plan::begin_together() {
  begins_together_ = true;
  structure += "workers begin together\n";
}

Bandwidth scaled(Bandwidth rate, double factor) noexcept {
  return Bandwidth::from_bytes_per_second(rate.bytes_per_second() * factor);
}

Duration scaled(Duration duration, double factor) noexcept {
  if (factor == 1) return duration;
  constexpr double kMost = static_cast<double>(std::numeric_limits<std::int64_t>::max() / 2);
  return Duration{std::llround(std::min(kMost, static_cast<double>(duration.count()) * factor))};
}

}  // namespace stepsim::scenarios
