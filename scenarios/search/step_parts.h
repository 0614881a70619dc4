#ifndef STEPSIM_SCENARIOS_SEARCH_STEP_PARTS_H
#define STEPSIM_SCENARIOS_SEARCH_STEP_PARTS_H

#include <string_view>

#include "model/base/units.h"
#include "scenarios/answer/predict.h"

namespace stepsim::scenarios {

/// The predicted step of a divided job, as parts of the time of the device whose work ends last. Communication counts
/// while that device does not compute; of several kinds at once, the first one listed counts.
struct StepParts {
  Duration compute{};
  Duration tensor{};    ///< communication of divided layers
  Duration pipeline{};  ///< messages between stages
  Duration data{};      ///< reductions of gradients
  Duration idle{};      ///< the rest: waiting for other stages and for the host
  bool has_stages = false;
  /// Returns the largest part but compute, as a word: "tensor", "pipeline", "data", or for the idle time "bubble" if
  /// there are several stages, otherwise "idle"; "compute" if all of them together are less than a tenth of the step.
  [[nodiscard]] std::string_view limit() const noexcept;
};

/// Returns the parts of a predicted step. O(tasks log tasks).
[[nodiscard]] StepParts step_parts(const Prediction& prediction);

}  // namespace stepsim::scenarios

#endif
