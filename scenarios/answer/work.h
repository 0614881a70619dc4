#ifndef STEPSIM_SCENARIOS_ANSWER_WORK_H
#define STEPSIM_SCENARIOS_ANSWER_WORK_H

#include "scenarios/change/plan.h"
#include "sim/analysis/throughput.h"

namespace stepsim::scenarios {

/// What a step of the plan's job does. The plan that changes nothing does captured_work(), which counts workers that
/// were not captured; another number of workers is that number. O(collectives).
[[nodiscard]] sim::StepWork work_of(const Plan& plan);

}  // namespace stepsim::scenarios

#endif
