#ifndef STEPSIM_SIM_ANALYSIS_INTERVALS_H
#define STEPSIM_SIM_ANALYSIS_INTERVALS_H

#include <span>
#include <vector>

#include "model/base/units.h"

namespace stepsim::sim {

/// An interval of time, including its begin, excluding its end.
struct Interval {
  Time begin;
  Time end;
};

/// Returns the part of `interval` within `window`; empty (begin == end) if there is none.
[[nodiscard]] Interval clipped(Interval interval, Interval window) noexcept;

/// Returns a + b, or the longest Duration if the sum overflows, which is possible because input files determine the
/// lengths of tasks. Precondition: neither is negative.
[[nodiscard]] Duration saturated_sum(Duration a, Duration b) noexcept;

/// Returns part / whole; 0 if `whole` is 0.
[[nodiscard]] double ratio(Duration part, Duration whole) noexcept;

/// Returns the length of time that at least one of `intervals` covers. Sorts them by begin. O(n log n).
[[nodiscard]] Duration union_length(std::span<Interval> intervals);
/// Returns the time that at least one of `intervals` covers, as intervals that do not touch, by begin. O(n log n).
[[nodiscard]] std::vector<Interval> disjoint(std::vector<Interval> intervals);

}  // namespace stepsim::sim

#endif
