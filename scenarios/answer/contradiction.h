#ifndef STEPSIM_SCENARIOS_ANSWER_CONTRADICTION_H
#define STEPSIM_SCENARIOS_ANSWER_CONTRADICTION_H

#include <map>

#include "model/job/recording.h"
#include "scenarios/answer/factors.h"
#include "sim/analysis/rank_steps.h"
#include "sim/engine/timeline.h"

namespace stepsim::scenarios {

/// A correct model predicts a captured iteration within this error (docs/fidelity.md). An alternative that is further
/// off than that is wrong.
constexpr double kUsualError = 0.03;

/// The captured steps of all ranks, each relative to its rank's iteration (scenarios/answer/step_spread.h). The widest
/// rank counts. No range if nothing was measured.
[[nodiscard]] Factors step_factors(const std::map<Rank, sim::RankSteps>& ranks);

/// How far the model may be from the captured iteration and yet be right: kUsualError, or as far as the captured steps
/// differ. `timeline` is a replay of capture.dag. O(tasks log ranks).
[[nodiscard]] double usual_error_of_capture(const Capture& capture, const sim::Timeline& timeline);

}  // namespace stepsim::scenarios

#endif
