#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_MODEL_CALLS_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_MODEL_CALLS_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/job/recording.h"

namespace stepsim {

/// A call of a framework's operator with the device work that it launched.
struct ModelCall {
  std::uint32_t which = 0;        ///< index into OperatorTable::operators
  Pass pass = Pass::kForward;     ///< kUpdate in an optimizer's step
  std::vector<std::size_t> uses;  ///< indices into OperatorTable::uses, ascending
  TaskId first;                   ///< its first device work
  TaskId last;                    ///< its last device work
};

/// Returns the calls of a capture of one rank, in the order in which they were made. Device work without a known
/// operator belongs to none. O(uses log uses).
[[nodiscard]] std::vector<ModelCall> model_calls(const Capture& capture);

/// Throws CannotAnswer if less than 80 % of the time of the model's kernels is of operators with shapes, so that the
/// calls are not those of the whole model. O(tasks).
void need_shapes(const Capture& capture);

}  // namespace stepsim

#endif
