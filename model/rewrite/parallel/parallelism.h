#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_PARALLELISM_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_PARALLELISM_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepsim {

/// No job is divided among more devices than this.
constexpr std::uint32_t kMostDevices = 65'536;

/// The order in which a pipeline stage computes its microbatches.
enum class PipelineSchedule : std::uint8_t {
  kOneForwardOneBackward,  ///< each backward pass as soon as it can run (PipeDream-Flush, Megatron's default)
  kAllForwardFirst,        ///< GPipe
};

/// What a rank keeps of its layers' activations between the forward and the backward pass, and computes again.
enum class Recompute : std::uint8_t {
  kNothing,
  kAttention,  ///< "selective" (Korthikanti et al. 2022): the products of attention and what lies between them
  kLayers,     ///< "all": each layer, from its input
  kNeeded,     ///< "early_stop": each layer, from its input to the last tensor that its backward pass needs
};

/// How ranks are numbered: those of a tensor-parallel group follow each other, and then come
enum class RankOrder : std::uint8_t {
  kReplicas,  ///< the replicas of a stage, and then the stages: "tp-dp-pp", as Megatron-LM does
  kStages,    ///< the stages of a replica, and then the replicas: "tp-pp-dp" (Megatron-LM's use_tp_pp_dp_mapping)
};

/// How a training job is divided among devices.
struct Parallelism {
  std::uint32_t data = 1;          ///< number of replicas, each with its own samples
  std::uint32_t tensor = 1;        ///< number of ranks that divide each layer
  std::uint32_t pipeline = 1;      ///< number of stages, each with its own layers
  std::uint32_t microbatches = 1;  ///< parts of a step's samples, computed one after another
  // Numbers of samples, if they are not those of the captured step; else 0. With both, microbatches = global_batch /
  // (micro_batch * data).
  std::uint32_t micro_batch = 0;   ///< samples of a microbatch
  std::uint32_t global_batch = 0;  ///< samples of a step of all replicas
  /// Number of parts of each stage, which are not next to each other in the model. Above 1, the schedule is
  /// kOneForwardOneBackward, and there are several stages and a multiple of as many microbatches.
  std::uint32_t interleave = 1;
  PipelineSchedule schedule = PipelineSchedule::kOneForwardOneBackward;
  /// True if tensor-parallel ranks divide by tokens what they do not divide otherwise (Korthikanti et al. 2022).
  bool sequence = false;
  /// True if products of the backward pass go on while tensor-parallel ranks sum the gradients of activations
  /// (Megatron-LM's async_tensor_model_parallel_allreduce).
  bool tensor_overlap = true;
  /// What replicas divide (Rajbhandari et al. 2020): 0 nothing, 1 the optimizer's states, 2 also gradients, 3 also
  /// parameters.
  std::uint32_t zero = 0;
  Recompute recompute = Recompute::kNothing;
  /// Number of replicas that divide each layer's experts among themselves; `data` is a multiple of it. Above 1,
  /// `tensor` is 1.
  std::uint32_t expert = 1;
  RankOrder order = RankOrder::kReplicas;
  /// Number of repeated layers in each part of the pipeline, in order; empty if the longest part is as short as
  /// possible.
  std::vector<std::uint32_t> split;

  [[nodiscard]] std::uint64_t ranks() const noexcept { return std::uint64_t{data} * tensor * pipeline; }
  /// Returns the first rank of a stage.
  [[nodiscard]] std::uint32_t first_rank(std::size_t stage) const noexcept {
    return static_cast<std::uint32_t>(stage) * (order == RankOrder::kReplicas ? data * tensor : tensor);
  }
  [[nodiscard]] std::uint32_t stage_of(std::uint32_t rank) const noexcept {
    return order == RankOrder::kReplicas ? rank / (data * tensor) : rank / tensor % pipeline;
  }
  /// Returns how far apart the ranks are that do the same for two replicas that follow each other.
  [[nodiscard]] std::uint32_t distance_of_replicas() const noexcept {
    return order == RankOrder::kReplicas ? tensor : tensor * pipeline;
  }
  [[nodiscard]] std::uint32_t parts_of_pipeline() const noexcept { return pipeline * interleave; }
  [[nodiscard]] bool has_pieces() const noexcept { return pipeline > 1 || microbatches > 1; }
  friend auto operator<=>(const Parallelism&, const Parallelism&) = default;
};

}  // namespace stepsim

#endif
