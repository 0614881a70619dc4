#ifndef STEPSIM_SIM_ANALYSIS_INTERVALS_H
#define STEPSIM_SIM_ANALYSIS_INTERVALS_H

#include <span>

#include "model/base/units.h"

namespace stepsim::sim {

/// A stretch of time, begin included, end not.
struct Interval {
  Time begin;
  Time end;
};

/// The part of `interval` within `window`; empty (begin == end) if there is none.
[[nodiscard]] Interval clipped(Interval interval, Interval window) noexcept;

/// a + b, or the longest Duration if that does not fit: the lengths of tasks come from input, and their sum
/// must not overflow. Precondition: neither is negative.
[[nodiscard]] Duration saturated_sum(Duration a, Duration b) noexcept;

/// part / whole; 0 if `whole` is 0.
[[nodiscard]] double ratio(Duration part, Duration whole) noexcept;

/// Length of time that at least one of `intervals` covers. Sorts them by begin. O(n log n).
[[nodiscard]] Duration union_length(std::span<Interval> intervals);

}  // namespace stepsim::sim

#endif
