// Why the answer is not what one would expect of its changes.

#include "scenarios/answer/why.h"
#include "scenarios/answer/what_if_document.h"
#include "sim/report/members.h"

namespace stepsim::scenarios {
namespace {

std::vector<sim::Section> why_sections(const WhatIfAnswer& answer) {
  return {{.title = "Why", .sentences = sim::as_list(reasons_of(answer))}};
}

void why_members(sim::JsonWriter& json, const WhatIfAnswer& answer) {
  json.key("why").begin_array();
  for (const std::string& reason : reasons_of(answer)) json.value(reason);
  json.end_array();
}

}  // namespace

extern const WhatIfReport why_report;
const WhatIfReport why_report{.id = "why", .sections = why_sections, .members = why_members};

}  // namespace stepsim::scenarios
