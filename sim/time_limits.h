#ifndef STEPSIM_SIM_TIME_LIMITS_H
#define STEPSIM_SIM_TIME_LIMITS_H

#include <limits>

#include "model/units.h"

namespace stepsim::sim {

/// Before a task is known to start or end.
inline constexpr Time kUnknown = Time::min();
/// Sums of hostile durations stop here instead of overflowing; half the range, so that the
/// difference of two times is still a Duration.
inline constexpr Time kEndOfTime{Duration{std::numeric_limits<std::int64_t>::max() / 2}};

[[nodiscard]] constexpr Time later(Time time, Duration duration) noexcept {
  return time > kEndOfTime - duration ? kEndOfTime : time + duration;
}

}  // namespace stepsim::sim

#endif
