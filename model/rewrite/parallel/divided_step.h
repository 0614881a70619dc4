#ifndef STEPSIM_MODEL_REWRITE_PARALLEL_DIVIDED_STEP_H
#define STEPSIM_MODEL_REWRITE_PARALLEL_DIVIDED_STEP_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "model/base/once_per_key.h"
#include "model/base/units.h"
#include "model/cost/device/device_work.h"
#include "model/job/recording.h"
#include "model/rewrite/parallel/experts.h"
#include "model/rewrite/parallel/parallelism.h"
#include "model/rewrite/parallel/step_memory.h"

namespace stepsim {

/// What a capture shows of the work that is divided.
struct DividedWork {
  std::size_t layers = 0;        ///< linear layers of the forward passes that tensor-parallel ranks divide
  std::size_t whole_layers = 0;  ///< linear layers of the forward passes that each of them computes
  /// Heads of keys and values of an attention, if layers are divided: tensor-parallel ranks are a divisor of them. 0 if
  /// no operator shows them.
  std::int64_t key_heads = 0;
  std::size_t repeated_layers = 0;  ///< layers that are cut, computed again, or whose parameters are gathered; else 0
  Bytes gradients{};                ///< gradients of a step; 0 if there is one replica
  std::uint32_t experts = 0;        ///< experts of a layer, if they are divided; else 0
};

/// A captured step and its divisions: the one description of a divided job that its graph, its times, its memory and
/// the bounds of its step come from. Many plans of a search divide it alike: what does not depend on the numbers of
/// replicas and microbatches is computed once. Thread-safe.
class DividedStep {
 public:
  /// `capture` must outlive this object.
  explicit DividedStep(const Capture& capture) : capture_(capture) {}

  [[nodiscard]] const Capture& capture() const noexcept { return capture_; }
  /// Returns what job() would divide. Parallelism::split is ignored, because later changes may still change the number
  /// of parts. Throws CannotAnswer, with a sentence that names no key, if the capture has several ranks, collectives,
  /// or no kernels, or if it does not show what is to be divided: layers of a transformer, all layers that repeat,
  /// gradients with sizes, and which layers they belong to. O(tasks log tasks + edges) for a division that is not
  /// known.
  [[nodiscard]] DividedWork work(const Parallelism& parallelism);
  /// Returns the same parallelism with the number of layers of each part of the pipeline (Parallelism::split). Throws
  /// what stage_cuts() throws. O(1) for parts that are known.
  [[nodiscard]] Parallelism cut(const Parallelism& asked);
  /// Returns with_parallelism() of the captured job with other settings, whose tasks know their origin. O(tasks *
  /// microbatches * log) for a division of its layers that is known.
  [[nodiscard]] Capture job(const Parallelism& asked, const Job& settings);
  /// Returns the part of a piece of the captured device's work that each rank does: of what tensor-parallel ranks
  /// divide (DeviceWork::divided), of experts, and of the optimizer, whose parameters both divide, or replicas (zero).
  /// O(1).
  [[nodiscard]] DeviceWork part_of_rank(const DeviceWork& piece, const Parallelism& parallelism);
  /// Returns the memory of a divided job (StepMemory::of()). Throws what StepMemory() and cut() throw.
  [[nodiscard]] MemoryParts memory(const Parallelism& parallelism, double samples, MemorySide side,
                                   double activation_bytes = 0);
  /// Throws what its constructor throws.
  [[nodiscard]] const StepMemory& step_memory();

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
  /// The part of a Parallelism that decides where the layers are cut.
  struct OfParts {
    std::uint32_t parts = 1;
    Recompute recompute = Recompute::kNothing;
    std::vector<std::uint32_t> split;
    friend auto operator<=>(const OfParts&, const OfParts&) = default;
  };
  /// The experts of a step, and their share of its parameters.
  struct OfExperts {
    Experts experts;
    double share = 0;
  };
  [[nodiscard]] DividedWork find_work(const Parallelism& parallelism);
  [[nodiscard]] std::shared_ptr<const OfExperts> experts();
  [[nodiscard]] Capture divide_layers(const Parallelism& parallelism) const;
  [[nodiscard]] std::shared_ptr<const Capture> divided_layers(const Parallelism& parallelism);

  const Capture& capture_;
  OncePerKey<Parallelism, DividedWork> works_;
  OncePerKey<OfParts, std::vector<std::uint32_t>> cuts_;
  OncePerKey<OfLayer, std::shared_ptr<const Capture>> layers_;
  OncePerKey<std::monostate, std::shared_ptr<const OfExperts>> experts_;
  OncePerKey<std::monostate, std::shared_ptr<const StepMemory>> memory_;
};

/// Returns the capture of one device as rank 0, and the first rank of each other stage, of a job with that parallelism.
/// The other ranks do the same as these and have no tasks (Group::copy_of).
///
/// - Tensor: layers are divided as divide_calls() describes. Work keeps its recorded duration, and
///   OperatorTable::Use::divided says which part of it the rank does (part_of_rank(), model/cost/device/device_work.h).
///   Its collectives are added on a stream of their own. Each waits for the calls whose results it sums or gathers,
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
/// Every added collective takes kCollectiveCall of the host's time. Throws what DividedStep::work() throws, and
/// CannotAnswer if device work was launched together where a collective would have to run in between, or if replicas
/// would exchange less than their gradients. O(tasks * microbatches * log + edges * microbatches).
[[nodiscard]] Capture with_parallelism(const Capture& capture, const Parallelism& asked);

}  // namespace stepsim

#endif
