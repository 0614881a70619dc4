#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_PIPELINE_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_PIPELINE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "model/job/recording.h"
#include "model/rewrite/parallel/layers.h"
#include "model/rewrite/parallel/model_calls.h"
#include "model/rewrite/parallel/parallelism.h"

namespace stepsim {

/// A training step divided into the stages of a pipeline. The calls of stage s begin at forward[s] and at backward[s],
/// which are indices of calls. The forward pass has the stages in order, the backward pass in reverse.
struct StageCuts {
  std::vector<std::size_t> forward;
  std::vector<std::size_t> backward;
  std::size_t update = 0;             ///< the first call after the backward pass; the number of calls if there is none
  std::vector<std::uint32_t> layers;  ///< number of repeated layers of each stage
  std::vector<Bytes> activations;     ///< what each stage but the last sends to the next one, for all samples
};

/// Returns the device time of each layer, in front that of what comes before them, and at the end of what comes after.
/// What a layer computes again (`recompute`) counts twice. Throws CannotAnswer if a layer has nothing of that kind.
[[nodiscard]] std::vector<double> layer_times(const Capture& capture, const std::vector<ModelCall>& calls,
                                              const StepLayers& layers, Recompute recompute = Recompute::kNothing);

/// Returns the first layer of each stage, so that the longest stage is as short as possible, or stages have as many
/// layers as `split` says. `times` are layer_times(). Everything that cuts a pipeline calls this function with the
/// times of the captured step. The first and the last stage may have no layers if something comes before or after them,
/// as Megatron-LM counts the embedding and the loss. Throws CannotAnswer if another stage would have none, or if there
/// are not the layers of `split`. O(stages * layers).
[[nodiscard]] std::vector<std::size_t> first_layers(const std::vector<double>& times, std::uint32_t stages,
                                                    std::span<const std::uint32_t> split);

/// Returns how many forward passes of its parts a stage does before its first backward pass; then one of each follows
/// the other. Pass i is through part i / stages % parts.
///
/// With several parts, as many microbatches as there are stages pass one part, and then the next one (Narayanan et al.
/// 2021, 2.2, and Megatron-LM's schedules.py, which says how many passes are ahead).
[[nodiscard]] std::size_t passes_ahead(const Parallelism& parallelism, std::size_t stage) noexcept;

/// Cuts the calls of a step between layers, as first_layers() says. The first stage also has what comes before the
/// layers, the last one what comes after. `recompute` is what stages will compute again; calls that do so already count
/// as they are. Throws CannotAnswer if no such layers are found, fewer than stages, or not those of `split`. O(calls *
/// calls of a layer).
[[nodiscard]] StageCuts stage_cuts(const Capture& capture, const std::vector<ModelCall>& calls, std::uint32_t stages,
                                   std::span<const std::uint32_t> split = {},
                                   Recompute recompute = Recompute::kNothing);

/// Returns when the pieces of a step begin, but for the first: the forward parts of the stages, their backward parts
/// from the last stage to the first, and the update. Work belongs to the piece in which it was launched. The last
/// gradient is ready before the update. `call_of` is calls_by_work(). O(stages * log work + gradients).
[[nodiscard]] std::vector<Time> piece_begins(const Capture& capture, const std::vector<ModelCall>& calls,
                                             const std::map<TaskId, TaskId>& call_of, const StageCuts& cuts);

/// Returns the capture of one device as the first ranks of the stages of a pipeline, which compute the step of
/// calls_of_typical_step() in microbatches. A stage has a copy of its part (or parts, Parallelism::interleave) of the
/// forward and of the backward pass for each microbatch, in the order of the schedule, and does its share of what
/// follows the backward pass once. Parts of a rank follow each other on its threads and streams. Activations and their
/// gradients are sent when the last work of a part is done, and received when the receiver has done its part before;
/// the first work of its next part and the thread that launches it wait for them. A rank does not wait for what it
/// sends. Collectives of the captured rank are repeated with every copy and get that stage's group. Durations and
/// payloads are those of all samples. O(tasks * microbatches + edges * microbatches).
[[nodiscard]] Capture with_stages(const Capture& capture, const Parallelism& parallelism);

}  // namespace stepsim

#endif
