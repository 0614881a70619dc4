#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_PARALLELISM_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_PARALLELISM_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/base/once_per_key.h"
#include "model/base/units.h"
#include "model/job/recording.h"

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

/// What a capture shows of the work that is divided.
struct DividedWork {
  std::size_t layers = 0;        ///< linear layers of the forward passes that tensor-parallel ranks divide
  std::size_t whole_layers = 0;  ///< linear layers of the forward passes that each of them computes
  /// Heads of keys and values of an attention, if layers are divided: tensor-parallel ranks are a divisor of them. 0 if
  /// no operator shows them.
  std::int64_t key_heads = 0;
  /// Number of repeated layers in each part of the pipeline, a stage or a part of one: Parallelism::split, or else as
  /// first_layers() cuts the step. Empty if there are no parts.
  std::vector<std::size_t> layers_of_parts;
  std::size_t repeated_layers = 0;  ///< layers that are computed again, or whose parameters are gathered; else 0
  Bytes gradients{};                ///< gradients of a step; 0 if there is one replica
  std::uint32_t experts = 0;        ///< experts of a layer, if they are divided; else 0
};

/// Returns what with_parallelism() would divide. Throws CannotAnswer, with a sentence that names no key, if the capture
/// has several ranks, collectives, or no kernels, or if it does not show what is to be divided: layers of a
/// transformer, all layers that repeat, gradients with sizes, and which layers they belong to. O(tasks log tasks +
/// edges).
[[nodiscard]] DividedWork divided_work(const Capture& capture, const Parallelism& parallelism);

/// A captured step and its divisions. Many plans of a search divide it alike: what does not depend on the numbers of
/// replicas, stages and microbatches is computed once. Thread-safe.
class DividedStep {
 public:
  /// `capture` must outlive this object.
  explicit DividedStep(const Capture& capture) : capture_(capture) {}

  /// Returns divided_work(). Parallelism::split is ignored, because later changes may still change the number of parts.
  [[nodiscard]] DividedWork work(const Parallelism& parallelism);
  /// Returns with_parallelism() of the captured job with other settings, whose tasks know their origin. O(tasks *
  /// microbatches * log) for a division of its layers that is known.
  [[nodiscard]] Capture job(const Parallelism& parallelism, const Job& settings);

 private:
  /// The part of a Parallelism that decides what one rank does of a layer.
  struct OfLayer {
    std::uint32_t tensor = 1;
    bool sequence = false;
    bool tensor_overlap = true;
    std::uint32_t expert = 1;
    std::uint32_t distance = 1;  ///< of the ranks that divide the experts
    Recompute recompute = Recompute::kNothing;
    bool is_one_step = false;
    friend auto operator<=>(const OfLayer&, const OfLayer&) = default;
  };
  [[nodiscard]] Capture divide_layers(const Parallelism& parallelism) const;
  [[nodiscard]] std::shared_ptr<const Capture> divided_layers(const Parallelism& parallelism);

  const Capture& capture_;
  OncePerKey<Parallelism, DividedWork> works_;
  OncePerKey<OfLayer, std::shared_ptr<const Capture>> layers_;
};

/// Returns the capture of one device as rank 0, and the first rank of each other stage, of a job with that parallelism.
/// The other ranks do the same as these and have no tasks (Group::copy_of).
///
/// - Tensor: layers are divided as divide_calls() describes. Work keeps its recorded duration, and
///   OperatorTable::Use::divided says which part of it the rank does (part_of_rank(), model/cost/device/device_work.h).
///   Its collectives are added on a stream of their own. Each waits for the calls that compute what it sums or gathers,
///   and the first work that needs the result waits for it. Ranks of a stage send the next one 1 / tensor of the
///   activations each; without `sequence`, the receivers gather the whole (Megatron-LM 2's
///   scatter_gather_tensors_in_pipeline, and DeepSpeed's pipelines).
/// - Experts: as with_expert_parallel() describes (experts.h). Gradients of experts are reduced among the replicas that
///   have the same ones, apart from those of other parameters.
/// - Recomputation: as with_recomputation() describes (recompute.h).
/// - Pipeline and microbatches: as with_stages() describes (pipeline.h).
/// - Data: gradients are reduced as DistributedDataParallel does it, on a stream of their own: in buckets of
///   Job::bucket_bytes (by default 25 MiB, and 1 MiB for the first), each when its last gradient is ready in the last
///   microbatch. The first work after the backward pass waits for all of them. With tensor parallelism, every gradient
///   is divided by the number of ranks. With `zero`, replicas send each other what replicas.h describes; from 2 on,
///   gradients of each microbatch are reduced.
///
/// Durations and payloads of activations (Collective::of_activations) are those of all samples, also in microbatches.
/// Every added collective takes kCollectiveCall of the host's time. Throws what divided_work() throws, and CannotAnswer
/// if device work was launched together where a collective would have to run in between, or if replicas would exchange
/// less than their gradients. O(tasks * microbatches * log + edges * microbatches).
[[nodiscard]] Capture with_parallelism(const Capture& capture, const Parallelism& asked);

/// Host time of PyTorch's call of a collective on NCCL under its profiler, without waiting. In 14 captures
/// (shared/traces/kineto) the median of all-reduces is 42 to 278 us, and that of the medians 82 us.
inline constexpr Duration kCollectiveCall{80'000};

}  // namespace stepsim

#endif
