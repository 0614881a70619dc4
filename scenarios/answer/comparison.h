#ifndef STEPSIM_SCENARIOS_ANSWER_COMPARISON_H
#define STEPSIM_SCENARIOS_ANSWER_COMPARISON_H

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/answer/what_if_answer.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {

/// A length of time in both replays.
struct ComparedTime {
  std::string_view what;
  bool is_part = false;  ///< of the row above
  Duration before{};
  Duration after{};
};

/// Where an iteration of the slowest rank goes.
[[nodiscard]] std::vector<ComparedTime> compared_breakdowns(const WhatIfAnswer& answer);
/// The critical paths, by class.
[[nodiscard]] std::vector<ComparedTime> compared_paths(const WhatIfAnswer& answer);

/// The times that are not 0 in both, and their differences, under `title`.
[[nodiscard]] sim::Table table_of(std::string title, const std::vector<ComparedTime>& times);

}  // namespace stepsim::scenarios

#endif
