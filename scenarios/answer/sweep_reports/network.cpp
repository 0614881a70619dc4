// How transfers were timed. For programs.

#include "scenarios/answer/sweep_document.h"

namespace stepsim::scenarios {
namespace {

void sweep_network_members(sim::JsonWriter& json, const SweepAnswer& answer) {
  json.key("network").begin_object().key("model").value(answer.head.network).end_object();
}

}  // namespace

extern const SweepReport network_sweep_report;
const SweepReport network_sweep_report{.id = "network", .members = sweep_network_members};

}  // namespace stepsim::scenarios
