#ifndef STEPSIM_SIM_STATS_INTERVAL_SET_H
#define STEPSIM_SIM_STATS_INTERVAL_SET_H

#include <vector>

#include "model/base/units.h"
#include "sim/analysis/intervals.h"

/// Sets of instants as sorted intervals that do not touch each other. begin is included, end is not, so lengths add
/// up to the nanosecond.
namespace stepsim::sim {

class IntervalSet {
 public:
  IntervalSet() = default;
  /// The instants that at least one of `intervals` covers; empty and reversed ones cover none.
  /// O(n) if they are sorted by begin, else O(n log n).
  explicit IntervalSet(std::vector<Interval> intervals);

  [[nodiscard]] const std::vector<Interval>& intervals() const noexcept { return intervals_; }
  [[nodiscard]] bool empty() const noexcept { return intervals_.empty(); }
  [[nodiscard]] Duration length() const noexcept;

 private:
  std::vector<Interval> intervals_;
};

/// What is in one of them at least. O(a + b).
[[nodiscard]] IntervalSet united(const IntervalSet& a, const IntervalSet& b);

/// Length of what is in both. O(a + b).
[[nodiscard]] Duration common_length(const IntervalSet& a, const IntervalSet& b) noexcept;

}  // namespace stepsim::sim

#endif
