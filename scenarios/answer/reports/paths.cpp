// The critical paths of both replays, by class. For people; programs find them in "baseline" and
// "scenario".

#include <fmt/format.h>

#include "scenarios/answer/comparison.h"
#include "scenarios/answer/what_if_document.h"
#include "sim/report/path_sections.h"

namespace stepsim::scenarios {
namespace {

std::vector<sim::Section> paths_sections(const WhatIfAnswer& answer) {
  return {{.title = "Critical paths, by class",
           .table = table_of("on the path", compared_paths(answer)),
           .sentences = {fmt::format("baseline: {}; scenario: {}", path_subject(answer.baseline.path),
                                     path_subject(answer.scenario.path))}}};
}

}  // namespace

extern const WhatIfReport paths_report;
const WhatIfReport paths_report{.id = "paths", .sections = paths_sections};

}  // namespace stepsim::scenarios
