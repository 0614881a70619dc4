// What the scenario changes at every point.

#include "scenarios/answer/sweep_document.h"

namespace stepsim::scenarios {
namespace {

std::vector<sim::Section> sweep_changes_sections(const SweepAnswer& answer) {
  return {{.title = "Changes of every point", .sentences = sim::as_list(answer.head.changes)}};
}

void sweep_changes_members(sim::JsonWriter& json, const SweepAnswer& answer) {
  json.key("changes").begin_array();
  for (const std::string& change : answer.head.changes) json.value(change);
  json.end_array();
}

}  // namespace

extern const SweepReport changes_sweep_report;
const SweepReport changes_sweep_report{
    .id = "changes", .sections = sweep_changes_sections, .members = sweep_changes_members};

}  // namespace stepsim::scenarios
