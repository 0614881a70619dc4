#ifndef STEPSIM_SCENARIOS_ANSWER_WHY_H
#define STEPSIM_SCENARIOS_ANSWER_WHY_H

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/answer/what_if_answer.h"
#include "sim/analysis/critical_path.h"
#include "sim/report/table.h"

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

/// A row of a comparison: a duration in the replay of the captured job and in that of the scenario.
struct ComparedTime {
  std::string_view id;     ///< name in JSON and CSV: "exposed transfer"
  std::string_view title;  ///< name in the text report
  bool is_part = false;    ///< true if it is a part of the row above
  Duration before{};
  Duration after{};
};

/// Returns the step time of the slowest rank, then the parts of this step (compute, communication, ...).
[[nodiscard]] std::vector<ComparedTime> compared_breakdowns(const WhatIfAnswer& answer);
/// Returns the lengths of the two critical paths, then the time of each class of work on them.
[[nodiscard]] std::vector<ComparedTime> compared_paths(const WhatIfAnswer& answer);

/// Returns the row that explains most of the change of the step time. The step time is the first row of `breakdown`,
/// and the result is the part that changed most in the same direction. Null if no part changed in this direction.
[[nodiscard]] const ComparedTime* largest_change(const std::vector<ComparedTime>& breakdown);

/// Returns a table titled `title` with the times that are above 0 in at least one replay, and their differences.
[[nodiscard]] sim::Table table_of(std::string title, const std::vector<ComparedTime>& times);

}  // namespace stepsim::scenarios

#endif
