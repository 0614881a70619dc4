#ifndef STEPSIM_SCENARIOS_CHANGE_REFUSE_H
#define STEPSIM_SCENARIOS_CHANGE_REFUSE_H

#include <string_view>

#include "model/base/yaml_value.h"
#include "scenarios/change/plan.h"

namespace stepsim::scenarios {

/// Throws CannotAnswer at `field`: the capture lacks what the change needs. For a value that is wrong, whatever the
/// capture, there are YamlField::fail() and reject().
[[noreturn]] void cannot_answer(const YamlField& field, std::string_view problem);

/// For changes that take a network model, where the plan has none. If the plan's hardware has links, `recorded` was
/// asked for: throws InputError at `field`. Else the capture does not show how fast they are: throws CannotAnswer.
[[noreturn]] void refuse_as_recorded(const YamlField& field, const Plan& plan, std::string_view problem);

}  // namespace stepsim::scenarios

#endif
