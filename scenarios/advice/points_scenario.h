#ifndef STEPSIM_SCENARIOS_ADVICE_POINTS_SCENARIO_H
#define STEPSIM_SCENARIOS_ADVICE_POINTS_SCENARIO_H

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/question/points.h"

namespace stepsim::scenarios {

/// A sweep over these points, none of them empty.
[[nodiscard]] Scenario scenario_of(const std::vector<std::vector<Setting>>& points);

/// A sentence about a point of such a scenario, without the place that errors name first.
[[nodiscard]] std::string without_place(std::string_view problem);

}  // namespace stepsim::scenarios

#endif
