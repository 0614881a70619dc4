#ifndef STEPSIM_MODEL_BASE_TIME_LIMITS_H
#define STEPSIM_MODEL_BASE_TIME_LIMITS_H

#include <limits>

#include "model/base/units.h"

namespace stepsim {

/// Sums of hostile durations stop here, at 146 years, instead of overflowing; half the range, so
/// that the difference of two times is still a Duration.
inline constexpr Time kEndOfTime{Duration{std::numeric_limits<std::int64_t>::max() / 2}};

/// `duration` after `time`, at most kEndOfTime. Precondition: duration >= 0.
[[nodiscard]] constexpr Time later(Time time, Duration duration) noexcept {
  return time > kEndOfTime - duration ? kEndOfTime : time + duration;
}

}  // namespace stepsim

#endif
