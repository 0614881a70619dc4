#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_REPLICAS_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_REPLICAS_H

#include "model/job/recording.h"
#include "model/rewrite/parallel/parallelism.h"

/// What replicas of a job send each other: gradients and, if they divide the optimizer's states, parameters
/// (Rajbhandari et al. 2020, "ZeRO"). A parameter has the size of its gradient; with tensor parallelism, each is
/// divided by the number of ranks. All collectives of a rank are on one stream, because NCCL runs those of a group in
/// order.
namespace stepsim {

/// Adds reductions of gradients in buckets, each when its last gradient is ready: all-reduces, or reduce-scatters from
/// ZeRO 1 on. The first work after the backward pass, and what waits for that pass, wait for all of them. A bucket has
/// gradients of one part of the pipeline, also where the parts are still to be made. O(tasks log tasks + edges).
[[nodiscard]] Capture with_reduced_gradients(const Capture& capture, const Parallelism& parallelism);

/// ZeRO 1 and 2: adds an all-gather of the updated parameters after each optimizer's step, or after the backward pass
/// if there is none. The first work after it waits for it. O(tasks log tasks + edges).
[[nodiscard]] Capture with_gathered_parameters(const Capture& capture, const Parallelism& parallelism);

/// ZeRO 3, of a capture of one step: parameters of each repeated layer, of what comes before the layers and of what
/// comes after are a unit. A unit's parameters are gathered before its forward and before its backward pass, while the
/// unit before it computes, as FullyShardedDataParallel does; the first unit of a part of the pipeline waits. Gradients
/// of a unit are reduced when the last of them is ready. Throws CannotAnswer if no layers are found (layers_of()).
/// O(tasks log tasks + edges).
[[nodiscard]] Capture with_divided_parameters(const Capture& capture, const Parallelism& parallelism);

}  // namespace stepsim

#endif
