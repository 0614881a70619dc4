// How transfers were timed. For programs.

#include "scenarios/advice/advice_document.h"

namespace stepsim::scenarios {
namespace {

void advice_network_members(sim::JsonWriter& json, const AdviceFindings& findings) {
  json.key("network").begin_object().key("model").value(findings.advice.network).end_object();
}

}  // namespace

extern const AdviceReport network_advice_report;
const AdviceReport network_advice_report{.id = "network", .members = advice_network_members};

}  // namespace stepsim::scenarios
