#ifndef STEPSIM_SCENARIOS_ANSWER_EFFECT_H
#define STEPSIM_SCENARIOS_ANSWER_EFFECT_H

#include <string>

#include "scenarios/answer/interval.h"
#include "scenarios/answer/predict.h"

namespace stepsim::scenarios {

/// True if the range of a change includes none, so that its sign is uncertain.
[[nodiscard]] inline bool may_be_none(const Range<double>& change) noexcept {
  return change.low <= 0 && change.high >= 0;
}

/// Returns the reason of the largest source of a change's range, as a sentence without the period; empty if none has an
/// effect.
[[nodiscard]] std::string widest_source(const Range<double>& change);

/// What a change does to the job's step time, as a fraction of the captured job's: -0.1 means 10 % shorter.
struct Effect {
  Range<double> typical;  ///< of the iteration
  /// Of the mean of the slowest captured rank's steps. It differs from `typical` if steps differ: a slow step may wait
  /// for data, for example, and a typical one not. Equal to it if no step is whole in both replays.
  Range<double> mean;
};

/// Returns the effect of a change that turns the prediction `captured` into `changed`, whose range is `changed_range`.
///
/// The range of the effect is usually narrower than that of the changed iteration, because both predictions are of the
/// same steps. Each source of the changed iteration has a range for the change (RangeSource::change). If it is also
/// uncertain for the captured job, both jobs are replayed with it. Sources about the captured steps alone are replaced:
///
/// - steps: by the ratios of the single steps of the slowest captured rank, for steps that are whole in both replays;
/// - repetition: by the ratio of the iterations in the long run;
/// - transient: by nothing, because it affects both iterations alike.
///
/// The effect on the mean is that on the time from the first whole step's start to the last one's end; it has the same
/// sources, but for the single steps, which the mean averages. Both are widened like `changed_range`. A change without
/// effect has no width. Precondition: captured.iteration > 0. O(tasks).
[[nodiscard]] Effect effect_of(const Prediction& captured, const Prediction& changed,
                               const Range<Duration>& changed_range);

}  // namespace stepsim::scenarios

#endif
