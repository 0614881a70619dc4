#include "sim/analysis/intervals.h"

#include <algorithm>
#include <cstddef>

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

namespace {

/// Sorts the intervals by begin and calls `take` with each interval of their union, in order.
template <class F>
void visit_union(std::span<Interval> intervals, F take) {
  sort_runs(intervals, [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  for (std::size_t i = 0; i < intervals.size();) {
    Interval whole = intervals[i++];
    for (; i < intervals.size() && intervals[i].begin <= whole.end; ++i)
      whole.end = std::max(whole.end, intervals[i].end);
    if (whole.begin < whole.end) take(whole);
  }
}

}  // namespace

Duration union_length(std::span<Interval> intervals) {
  Duration length{};
  visit_union(intervals, [&length](const Interval& one) { length += one.end - one.begin; });
  return length;
}

std::vector<Interval> disjoint(std::vector<Interval> intervals) {
  std::vector<Interval> parts;
  visit_union(intervals, [&parts](const Interval& one) { parts.push_back(one); });
  return parts;
}

}  // namespace stepsim::sim
