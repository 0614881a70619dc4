// How transfers were timed. For programs.

#include "scenarios/answer/what_if_document.h"
#include "sim/report/fits.h"

namespace stepsim::scenarios {
namespace {

void network_members(sim::JsonWriter& json, const WhatIfAnswer& answer) {
  json.key("network").begin_object().key("model").value(answer.network->name);
  sim::write_fits(json, answer.calibration != nullptr ? answer.calibration->fits : std::vector<Fit>{});
  json.end_object();
}

}  // namespace

extern const WhatIfReport network_report;
const WhatIfReport network_report{.id = "network", .members = network_members};

}  // namespace stepsim::scenarios
