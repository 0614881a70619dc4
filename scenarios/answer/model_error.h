#ifndef STEPSIM_SCENARIOS_ANSWER_MODEL_ERROR_H
#define STEPSIM_SCENARIOS_ANSWER_MODEL_ERROR_H

#include "scenarios/answer/factors.h"

/// How far models are off, by the measured runs of docs/test-data.md (docs/fidelity.md, "Intervals", says how these
/// figures were found, and how they do on groups that they were not found on).
namespace stepsim::scenarios {

/// A model that was not told a run predicts it within this, in nine runs of ten, if only rates changed.
constexpr double kUsualModelError = 0.012;
/// The same if the job's own settings changed: partitions, buckets, schedule, workers, servers.
constexpr double kSettingsError = 0.02;
/// What comes to these for each factor e between the captured iteration and the predicted one.
constexpr double kExtrapolationError = 0.03;

/// What is known of an answer without another replay.
struct ModelCase {
  double change = 1;              ///< the predicted iteration relative to that of the job as captured, predicted
  bool settings_changed = false;  ///< the job's settings differ from the captured ones
  double link_rate_error = 0;     ///< how far the links' rate may be off, relative to it
};

/// Symmetric in the logarithm.
[[nodiscard]] Factors usual_error(const ModelCase& of);
/// The part that grows with the distance from what was captured. Where links were fitted badly that is more: if a part
/// of an iteration T goes as the links' rate, and that is off by r, a change to T' is off by r |T / T' - 1|, because as
/// captured the other parts make up for it.
[[nodiscard]] Factors extrapolation_error(const ModelCase& of);
/// Whether the links' fit makes extrapolation worse than usual.
[[nodiscard]] bool is_worse_for_links(const ModelCase& of);

}  // namespace stepsim::scenarios

#endif
