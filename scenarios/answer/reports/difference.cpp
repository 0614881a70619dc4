// Where an iteration of the slowest rank goes, in both replays. For people; programs find it in
// "baseline" and "scenario".

#include "scenarios/answer/comparison.h"
#include "scenarios/answer/what_if_document.h"

namespace stepsim::scenarios {
namespace {

std::vector<sim::Section> difference_sections(const WhatIfAnswer& answer) {
  return {{.title = "Where the difference comes from",
           .table = table_of("of an iteration of the slowest rank", compared_breakdowns(answer))}};
}

}  // namespace

extern const WhatIfReport difference_report;
const WhatIfReport difference_report{.id = "difference", .sections = difference_sections};

}  // namespace stepsim::scenarios
