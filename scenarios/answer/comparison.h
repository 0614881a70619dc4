#ifndef STEPSIM_SCENARIOS_ANSWER_COMPARISON_H
#define STEPSIM_SCENARIOS_ANSWER_COMPARISON_H

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/answer/what_if_answer.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {

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
