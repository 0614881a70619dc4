// All that the answer rests on.

#include "scenarios/answer/sweep_document.h"
#include "sim/report/members.h"

namespace stepsim::scenarios {
namespace {

std::vector<sim::Section> sweep_assumptions_sections(const SweepAnswer& answer) {
  return {{.title = "Assumptions", .sentences = sim::as_list(sentences_of(answer.head.assumptions))}};
}

void sweep_assumptions_members(sim::JsonWriter& json, const SweepAnswer& answer) {
  sim::write_assumptions(json, answer.head.assumptions);
}

}  // namespace

extern const SweepReport assumptions_sweep_report;
const SweepReport assumptions_sweep_report{
    .id = "assumptions", .sections = sweep_assumptions_sections, .members = sweep_assumptions_members};

}  // namespace stepsim::scenarios
