#ifndef STEPSIM_SCENARIOS_ANSWER_EFFECT_FIELDS_H
#define STEPSIM_SCENARIOS_ANSWER_EFFECT_FIELDS_H

#include <array>

#include "scenarios/answer/effect.h"
#include "sim/report/field.h"

namespace stepsim::scenarios {

/// The fields of a change and its range in JSON.
inline constexpr auto kRelativeChange = std::to_array<sim::Field<Range<double>>>({
    {"change", sim::at<&Range<double>::mid>},
    {"low_change", sim::at<&Range<double>::low>},
    {"high_change", sim::at<&Range<double>::high>},
});

}  // namespace stepsim::scenarios

#endif
