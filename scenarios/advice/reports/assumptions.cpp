// All that every prediction rests on.

#include "scenarios/advice/advice_document.h"
#include "sim/report/members.h"

namespace stepsim::scenarios {
namespace {

std::vector<sim::Section> advice_assumptions_sections(const AdviceFindings& findings) {
  return {{.title = "Assumptions", .sentences = sim::as_list(sentences_of(findings.advice.assumptions))}};
}

void advice_assumptions_members(sim::JsonWriter& json, const AdviceFindings& findings) {
  sim::write_assumptions(json, findings.advice.assumptions);
}

}  // namespace

extern const AdviceReport assumptions_advice_report;
const AdviceReport assumptions_advice_report{
    .id = "assumptions", .sections = advice_assumptions_sections, .members = advice_assumptions_members};

}  // namespace stepsim::scenarios
