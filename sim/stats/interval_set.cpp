#include "sim/stats/interval_set.h"

#include <algorithm>
#include <iterator>

namespace stepsim::sim {
namespace {

bool begins_before(const Interval& a, const Interval& b) noexcept { return a.begin < b.begin; }

}  // namespace

IntervalSet::IntervalSet(std::vector<Interval> intervals) : intervals_(std::move(intervals)) {
  if (!std::is_sorted(intervals_.begin(), intervals_.end(), begins_before))
    std::sort(intervals_.begin(), intervals_.end(), begins_before);
  std::size_t kept = 0;
  for (const Interval& next : intervals_) {
    if (next.end <= next.begin) continue;
    if (kept > 0 && next.begin <= intervals_[kept - 1].end) {
      intervals_[kept - 1].end = std::max(intervals_[kept - 1].end, next.end);
    } else {
      intervals_[kept++] = next;
    }
  }
  intervals_.resize(kept);
}

Duration IntervalSet::length() const noexcept {
  Duration length{};
  for (const Interval& each : intervals_) length += each.end - each.begin;
  return length;
}

IntervalSet united(const IntervalSet& a, const IntervalSet& b) {
  std::vector<Interval> both;
  both.reserve(a.intervals().size() + b.intervals().size());
  std::merge(a.intervals().begin(), a.intervals().end(), b.intervals().begin(), b.intervals().end(),
             std::back_inserter(both), begins_before);
  return IntervalSet{std::move(both)};
}

Duration common_length(const IntervalSet& a, const IntervalSet& b) noexcept {
  Duration length{};
  auto of_a = a.intervals().begin();
  auto of_b = b.intervals().begin();
  while (of_a != a.intervals().end() && of_b != b.intervals().end()) {
    const Time begin = std::max(of_a->begin, of_b->begin);
    const Time end = std::min(of_a->end, of_b->end);
    if (begin < end) length += end - begin;
    of_a->end < of_b->end ? ++of_a : ++of_b;
  }
  return length;
}

}  // namespace stepsim::sim
