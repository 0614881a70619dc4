#ifndef STEPSIM_SCENARIOS_ANSWER_EFFECT_H
#define STEPSIM_SCENARIOS_ANSWER_EFFECT_H

#include <string>

#include "scenarios/answer/interval.h"
#include "scenarios/answer/predict.h"

namespace stepsim::scenarios {

/// A change as a fraction of the captured job's time, with its range: low <= by <= high. -0.1 means 10 % shorter.
struct RelativeChange {
  double by = 0;
  double low = 0;
  double high = 0;
  std::string widest{};  ///< the largest source of the range, as a sentence without the period; may be empty
  /// True if the range includes no change, so that its sign is uncertain.
  [[nodiscard]] bool may_be_none() const noexcept { return low <= 0 && high >= 0; }
};

/// What a change does to the job's step time.
struct Effect {
  RelativeChange typical;  ///< of the iteration
  /// Of the mean of the slowest captured rank's steps. It differs from `typical` if steps differ: a slow step may wait
  /// for data, for example, and a typical one not. Equal to it if no step is whole in both replays.
  RelativeChange mean;
};

/// Returns the effect of a change that turns the prediction `captured` into `changed`, whose range is `changed_range`.
///
/// The range of the effect is usually narrower than that of the changed iteration, because both predictions are of the
/// same steps. Sources of uncertainty about the captured steps (IntervalSource::of_capture) are therefore replaced:
///
/// - steps: by the ratios of the single steps of the slowest captured rank, for steps that are whole in both replays;
/// - repetition: by the ratio of the iterations in the long run;
/// - profiler: by the ratio of the two iterations without the possible cost of the profiler;
/// - transient: by nothing, because it affects both iterations alike.
///
/// All other sources stay. This includes the model's error on the captured iteration, which may affect only one of the
/// two iterations. The effect on the mean is that on the time from the first whole step's start to the last one's end;
/// it has the same sources, but for the single steps, which the mean averages. Precondition: captured.iteration > 0.
/// O(tasks).
[[nodiscard]] Effect effect_of(const Prediction& captured, const Prediction& changed,
                               const AnswerInterval& changed_range);

}  // namespace stepsim::scenarios

#endif
