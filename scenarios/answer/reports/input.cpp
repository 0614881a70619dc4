// What was read of the capture. For programs; replay's report tells people.

#include "scenarios/answer/what_if_document.h"
#include "sim/report/members.h"

namespace stepsim::scenarios {

extern const WhatIfReport input_report;
const WhatIfReport input_report{
    .id = "input",
    .members = [](sim::JsonWriter& json, const WhatIfAnswer& answer) { sim::write_input(json, *answer.capture); },
};

}  // namespace stepsim::scenarios
