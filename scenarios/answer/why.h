#ifndef STEPSIM_SCENARIOS_ANSWER_WHY_H
#define STEPSIM_SCENARIOS_ANSWER_WHY_H

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "scenarios/answer/what_if_answer.h"
#include "sim/analysis/critical_path.h"

namespace stepsim::scenarios {

/// The difference between the replays of the captured job and of a scenario. Durations are scenario minus captured job.
struct ReplayDifference {
  /// Change of the total time of all tasks, by class of work. The time that members of a collective wait for each other
  /// does not count.
  std::array<Duration, sim::kPathClassCount> work{};
  /// True if both replays have the same graph, so that tasks can be compared one by one. `changed`, `changed_on_path`
  /// and `path_tasks` are set only in this case.
  bool same_graph = false;
  std::size_t changed = 0;          ///< number of tasks whose time changes
  std::size_t changed_on_path = 0;  ///< number of changed tasks on the baseline's critical path
  Duration path_tasks{};            ///< total change of the tasks on the baseline's critical path
};

/// Compares two replays. O(tasks).
[[nodiscard]] ReplayDifference difference_of(const PredictionView& baseline, const PredictionView& scenario);

/// Returns sentences that explain surprising answers: the step time does not change, changes by less than its
/// uncertainty, changes less than the tasks of the critical path do, or changes in the opposite direction. Usually
/// empty.
[[nodiscard]] std::vector<std::string> reasons_of(const WhatIfAnswer& answer);

}  // namespace stepsim::scenarios

#endif
