#ifndef STEPSIM_SIM_ANALYSIS_ACTIVITY_H
#define STEPSIM_SIM_ANALYSIS_ACTIVITY_H

#include <vector>

#include "model/job/dag.h"
#include "sim/analysis/intervals.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// A rank's intervals by what fills them.
struct Activity {
  std::vector<Interval> compute;
  std::vector<Interval> communication;  ///< moving data, without waiting for other ranks
  std::vector<Interval> copies;
  std::vector<Interval> collective_wait;  ///< in a collective before its last member arrived
  std::vector<Interval> host;

  /// Adds what `task` does within `window`; neighbours become one interval. Precondition: `timeline` is of `dag`.
  void add(const Dag& dag, const Timeline& timeline, TaskId task, Interval window);
};

/// Appends `what` to `to`.
void append(std::vector<Interval>& to, const std::vector<Interval>& what);

}  // namespace stepsim::sim

#endif
