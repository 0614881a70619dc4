#ifndef STEPSIM_SCENARIOS_ANSWER_WHY_H
#define STEPSIM_SCENARIOS_ANSWER_WHY_H

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "scenarios/answer/what_if_answer.h"
#include "sim/analysis/critical_path.h"

namespace stepsim::scenarios {

/// The difference between two replays. Differences are after minus before.
struct ReplayDifference {
  /// Change of the time of all tasks, by class, without the time that members of a collective wait for each other.
  std::array<Duration, sim::kPathClassCount> work{};
  /// True if both replays have the same graph, so that tasks can be compared individually. The next three members are
  /// only set in this case.
  bool same_graph = false;
  std::size_t changed = 0;          ///< number of tasks whose time changes
  std::size_t changed_on_path = 0;  ///< number of changed tasks on the baseline's critical path
  Duration path_tasks{};            ///< total change of the tasks on the baseline's critical path
};

/// Compares two replays. O(tasks).
[[nodiscard]] ReplayDifference difference_of(const PredictionView& baseline, const PredictionView& scenario);

/// Returns sentences that explain why an answer differs from what its changes suggest: no change, a change within the
/// range, less than the tasks of the critical path would give, or a change in the other direction. Usually empty.
[[nodiscard]] std::vector<std::string> reasons_of(const WhatIfAnswer& answer);

}  // namespace stepsim::scenarios

#endif
