#include "sim/analysis/intervals.h"

#include <algorithm>

#include "model/base/sort_runs.h"

namespace stepsim::sim {

Interval clipped(Interval interval, Interval window) noexcept {
  const Time begin = std::max(interval.begin, window.begin);
  return {begin, std::max(begin, std::min(interval.end, window.end))};
}

Duration saturated_sum(Duration a, Duration b) noexcept { return a > Duration::max() - b ? Duration::max() : a + b; }

double ratio(Duration part, Duration whole) noexcept {
  return whole == Duration{} ? 0 : static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

Duration union_length(std::span<Interval> intervals) {
  sort_runs(intervals, [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  Duration length{};
  Time covered = Time::min();
  for (const Interval& interval : intervals) {
    const Time begin = std::max(interval.begin, covered);
    if (interval.end <= begin) continue;
    length += interval.end - begin;
    covered = interval.end;
  }
  return length;
}

}  // namespace stepsim::sim
