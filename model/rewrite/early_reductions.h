#ifndef STEPSIM_MODEL_REWRITE_EARLY_REDUCTIONS_H
#define STEPSIM_MODEL_REWRITE_EARLY_REDUCTIONS_H

#include <cstddef>

#include "model/job/recording.h"

namespace stepsim {

/// How the kernels that reduce gradients were launched, over all ranks and steps of a capture.
struct ReductionStarts {
  std::size_t during = 0;   ///< between the first and the last gradient of their step, as hooks launch them
  std::size_t movable = 0;  ///< after the last gradient, and it is known which one each carries
  std::size_t packed = 0;   ///< after the last gradient, and after kernels that make their input from gradients
  std::size_t unknown = 0;  ///< after the last gradient, and it is not known which one each carries
  bool by_order = false;    ///< true if some movable reductions were matched by order, not by size
};

/// Returns how the reductions of `capture` were launched. O(tasks log tasks + edges).
[[nodiscard]] ReductionStarts reduction_starts(const Capture& capture);

/// Starts the movable reductions when their gradients are ready, as if hooks of the backward pass launched them: the
/// call moves to the thread of the backward pass, after the gradient, and the kernel waits for the work that this
/// thread had launched by then, and for the reductions launched before it. What waits for a reduction stays.
///
/// A reduction that was launched after its step's last gradient carries the latest gradient of its payload's size that
/// is not taken; if there is none, the latest run of such gradients whose sizes sum to its payload. Of equal payloads,
/// the one that was launched first carries the gradient that is ready first. If sizes are not recorded, the reductions
/// and the gradients for which the backward thread launched work are matched in order, if they are as many. Reductions
/// stay in place if their thread launched work for them after the backward pass, such as copies into one buffer; work
/// that waits for an earlier reduction is not for them. If other ranks were not captured and most of the time of the
/// reduction that was launched first is a wait for them, it exchanges its gradient with the one of the first gradient.
/// O(tasks log tasks + edges).
[[nodiscard]] Capture with_early_reductions(const Capture& capture);

}  // namespace stepsim

#endif
