#ifndef STEPSIM_SCENARIOS_ANSWER_COMPARISON_H
#define STEPSIM_SCENARIOS_ANSWER_COMPARISON_H

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/answer/what_if_answer.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {

/// A duration in both replays.
struct ComparedTime {
  std::string_view id;     ///< name in JSON and CSV: "exposed transfer"
  std::string_view title;  ///< name in the text report
  bool is_part = false;    ///< true if it is a part of the row above
  Duration before{};
  Duration after{};
};

/// Returns the parts of a step of the slowest rank.
[[nodiscard]] std::vector<ComparedTime> compared_breakdowns(const WhatIfAnswer& answer);
/// Returns the times of the critical paths by class.
[[nodiscard]] std::vector<ComparedTime> compared_paths(const WhatIfAnswer& answer);

/// Returns the row that explains most of the difference of the step times: the one that changed most in the same
/// direction, apart from the first, which is the step time itself. Null if there is none.
[[nodiscard]] const ComparedTime* largest_change(const std::vector<ComparedTime>& breakdown);

/// Returns a table titled `title` with the times that are above 0 in at least one replay, and their differences.
[[nodiscard]] sim::Table table_of(std::string title, const std::vector<ComparedTime>& times);

}  // namespace stepsim::scenarios

#endif
