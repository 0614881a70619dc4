#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_RECOMPUTE_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_RECOMPUTE_H

#include <cstddef>
#include <vector>

#include "model/job/recording.h"
#include "model/rewrite/parallel/layers.h"
#include "model/rewrite/parallel/model_calls.h"
#include "model/rewrite/parallel/parallelism.h"

namespace stepsim {

/// Calls that are made again: from `first` up to `last`, before call `before`.
struct RecomputedPart {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t before = 0;
};

/// Returns what each layer does again, in the order of the backward pass; see with_recomputation(). Throws CannotAnswer
/// if a layer has no attention to compute again.
[[nodiscard]] std::vector<RecomputedPart> recomputed_parts(const Capture& capture, const std::vector<ModelCall>& calls,
                                                           const StepLayers& layers, Recompute recompute);

/// Returns the capture of one step in which each repeated layer computes again, before its backward pass, what it does
/// not keep: its forward pass, the part of it that the backward pass needs, or the attention in it, which is what lies
/// from the first to the last product of attention. A backward pass does not need the last product of its layer and the
/// sums after it, whose gradients are computed from what went into them (PyTorch's torch.utils.checkpoint). The thread
/// of the backward pass makes the calls again, and their work runs on the same streams, also the collectives. Nothing
/// else waits for collectives at the end of a layer. Recorded times of what follows are later by what the calls took.
/// Throws CannotAnswer if no layers are found (layers_of()), or no attention in one of them. O(tasks log tasks +
/// edges).
[[nodiscard]] Capture with_recomputation(const Capture& capture, Recompute recompute);

}  // namespace stepsim

#endif
