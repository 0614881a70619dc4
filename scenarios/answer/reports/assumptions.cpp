// All that the answer rests on.

#include "scenarios/answer/what_if_document.h"
#include "sim/report/members.h"

namespace stepsim::scenarios {
namespace {

std::vector<sim::Section> assumptions_sections(const WhatIfAnswer& answer) {
  return {{.title = "Assumptions", .sentences = sim::as_list(sentences_of(answer.assumptions))}};
}

void assumptions_members(sim::JsonWriter& json, const WhatIfAnswer& answer) {
  sim::write_assumptions(json, answer.assumptions);
}

}  // namespace

extern const WhatIfReport assumptions_report;
const WhatIfReport assumptions_report{
    .id = "assumptions", .sections = assumptions_sections, .members = assumptions_members};

}  // namespace stepsim::scenarios
