#ifndef STEPSIM_SCENARIOS_ANSWER_WHY_H
#define STEPSIM_SCENARIOS_ANSWER_WHY_H

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "scenarios/answer/what_if_answer.h"
#include "sim/analysis/critical_path.h"

namespace stepsim::scenarios {

/// What two replays show of a change. Differences are after minus before.
struct ReplayDifference {
  /// Of all tasks, by class. What members of a collective wait for each other does not count.
  std::array<Duration, sim::kPathClassCount> work{};
  /// The next three only where both replays are of one graph, so that tasks compare one by one.
  bool same_graph = false;
  std::size_t changed = 0;          ///< tasks that take a different time
  std::size_t changed_on_path = 0;  ///< those of the baseline's critical path
  Duration path_tasks{};            ///< what the tasks of that path take less or more, all together
};

/// O(tasks).
[[nodiscard]] ReplayDifference difference_of(const PredictionView& baseline, const PredictionView& scenario);

/// Why an answer is not what one would expect of its changes, each as a sentence: no change, a change within the range,
/// less than the critical path's tasks would give, or one in the other direction. Mostly empty: most answers are as
/// expected.
[[nodiscard]] std::vector<std::string> reasons_of(const WhatIfAnswer& answer);

}  // namespace stepsim::scenarios

#endif
