#ifndef STEPSIM_SCENARIOS_ANSWER_STEP_SPREAD_H
#define STEPSIM_SCENARIOS_ANSWER_STEP_SPREAD_H

#include <optional>
#include <vector>

#include "model/base/units.h"
#include "scenarios/answer/factors.h"

namespace stepsim::scenarios {

/// How far the steps of one more step may be from a single captured one, each way. No capture of one step shows it.
constexpr double kOneStepSpread = 0.05;

/// The range, as factors of `iteration`, that a rank's captured steps allow:
///
/// * from the tenth to the ninetieth percentile of the steps, so that a typical step lies in it, and
/// * the 90 % confidence interval of their mean, which few steps make wide: `u(n)` times the range of the steps (Lord,
///   "The use of range in place of standard deviation in the t-test", Biometrika 34, 1947). For two steps u is 3.2;
///   one range is used, because the interval would say nothing.
///
/// One step, or a capture without steps, gives kOneStepSpread. No range if `iteration` is 0. O(steps log steps).
[[nodiscard]] Factors spread_of(std::vector<Duration> steps, Duration iteration);

/// Steps that shorten or lengthen throughout: the last one relative to `iteration`; nothing if they do not. At least
/// four steps, each shorter (or each longer) than the one before, and the last a tenth from the first.
[[nodiscard]] std::optional<double> trend_of(const std::vector<Duration>& steps, Duration iteration);

}  // namespace stepsim::scenarios

#endif
