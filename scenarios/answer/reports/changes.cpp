// The scenario's changes, as they could be typed after --set.

#include "scenarios/answer/what_if_document.h"

namespace stepsim::scenarios {
namespace {

std::vector<sim::Section> sections(const WhatIfAnswer& answer) {
  return {{.title = "Changes", .sentences = sim::as_list(answer.changes)}};
}

void members(sim::JsonWriter& json, const WhatIfAnswer& answer) {
  json.key("changes").begin_array();
  for (const std::string& change : answer.changes) json.value(change);
  json.end_array();
}

}  // namespace

extern const WhatIfReport changes_report;
const WhatIfReport changes_report{.id = "changes", .sections = sections, .members = members};

}  // namespace stepsim::scenarios
