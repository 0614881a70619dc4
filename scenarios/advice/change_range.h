#ifndef STEPSIM_SCENARIOS_ADVICE_CHANGE_RANGE_H
#define STEPSIM_SCENARIOS_ADVICE_CHANGE_RANGE_H

#include "scenarios/answer/factors.h"
#include "scenarios/answer/interval.h"
#include "scenarios/answer/predict.h"

namespace stepsim::scenarios {

/// How far a change is known: the range of `changed` divided by `captured`, as factors of that ratio of iterations.
///
/// It is mostly narrower than the range of the iteration, because both are predictions of the same steps. So sources
/// that are about the captured steps (IntervalSource::of_capture) are replaced by what the change does to them:
///
/// * steps: the ratio of each step that is whole in both replays, on the rank that is slowest as captured;
/// * repetition: the ratio of iterations in the long run;
/// * profiler: the ratio where both take as much less as the profiler may have cost;
/// * transient: cancels.
///
/// All other sources stay, the model's error on the captured iteration too: it may be in one of the two only. O(tasks).
[[nodiscard]] Factors change_range(const Prediction& captured, const Prediction& changed,
                                   const AnswerInterval& changed_range);

}  // namespace stepsim::scenarios

#endif
