// The scenario's changes, as they could be typed after --set, and what each applies to.

#include "scenarios/answer/what_if_document.h"

namespace stepsim::scenarios {
namespace {

std::vector<sim::Section> changes_sections(const WhatIfAnswer& answer) {
  sim::Section section{.title = "Changes"};
  for (std::size_t i = 0; i < answer.changes.size(); ++i) {
    const auto& selection = answer.selections[i];
    section.sentences.push_back({answer.changes[i], selection ? "applies to " + text_of(*selection) : std::string()});
  }
  return {std::move(section)};
}

void write_selection(sim::JsonWriter& json, const Selection& selection) {
  json.begin_object().key("change").value(selection.change).key("parts").begin_array();
  for (const Selection::Part& part : selection.parts) {
    json.begin_object().key("of").value(to_text(part.of)).key("tasks").value(part.tasks);
    json.key("time_ns").value(part.time).key("all_ns").value(part.all).end_object();
  }
  json.end_array().key("hint").value(selection.hint).end_object();
}

void changes_members(sim::JsonWriter& json, const WhatIfAnswer& answer) {
  json.key("changes").begin_array();
  for (const std::string& change : answer.changes) json.value(change);
  json.end_array().key("selections").begin_array();
  for (const auto& selection : answer.selections) {
    if (selection) write_selection(json, *selection);
  }
  json.end_array();
}

}  // namespace

extern const WhatIfReport changes_report;
const WhatIfReport changes_report{.id = "changes", .sections = changes_sections, .members = changes_members};

}  // namespace stepsim::scenarios
