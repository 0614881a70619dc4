#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_GPU_PASSES_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_GPU_PASSES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/base/diagnostics.h"

/// The passes that make a RecordedGpu of what the files of a GPU hold, in the order of arrange_gpus().
namespace stepsim::ingest {

/// The names of gradients by number, as gradient_name_list.* has them.
class TensorNames {
 public:
  explicit TensorNames(const std::vector<std::string>& names);
  /// The number of a recorded tensor: i of "byteps.gradient_<i>", else that of its name, with or without a "byteps."
  /// prefix. Nothing if it is not listed.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view recorded) const;

 private:
  std::size_t size_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// Adds the tensors of `stages` to `gpu`, in the same order, with the names and sizes that `list`
/// (null if there is none) has for them.
void add_tensors(RecordedGpu& gpu, const StageTrace& stages, const TensorTable* list);

/// Finds the tensor of a GPU for which a "Comm.<name>" node stands. dPRO writes '_' for each '.'
/// within a name, so names are also compared with that done to both.
class TensorNodes {
 public:
  /// `gpu` has its tensors, and must outlive this.
  explicit TensorNodes(const RecordedGpu& gpu);

  /// Index into gpu.tensors; nothing for names that are no tensor's.
  [[nodiscard]] std::optional<std::uint32_t> find(TextId name) const;

 private:
  const RecordedGpu& gpu_;
  std::unordered_map<TextId, std::uint32_t> by_node_;
  std::unordered_map<std::string, std::uint32_t> by_plain_name_;
};

/// Groups the stages of a comm.json into chains, ordered by the start of their first stage. Their
/// steps are still unknown.
///
/// The stages of one key are taken in order of time. A new chain begins where a stage does not
/// come later in the pipeline than the one before it. Counting each stage's occurrences instead
/// would shift every later chain by one where a record is missing. A stage that is recorded twice
/// is used once and counted in `diagnostics`. O(events log events).
[[nodiscard]] std::vector<StageChain> stage_chains(const StageTrace& trace, Diagnostics& diagnostics);

/// Completes the steps of gpu.operators, which are in order of time. Where some have an args.step,
/// the others belong to the step of the one before them, and are counted in `diagnostics`. Where
/// none has, a step begins at each run of the first forward operator, and numbers count from 0.
void number_operators(RecordedGpu& gpu, Diagnostics& diagnostics);

/// Gives each chain the step of its tensor's producer: of the last run that began before the chain
/// did. Chains without a step of their own are left out and counted, with `folder` as the place.
void number_chains_by_producer(RecordedGpu& gpu, const std::string& folder, Diagnostics& diagnostics);

/// The same for a GPU without operators: the k-th chain of a key belongs to the k-th of `numbers`,
/// or to step k if that is empty.
void number_chains_by_occurrence(RecordedGpu& gpu, const std::vector<std::int64_t>& numbers, const std::string& folder,
                                 Diagnostics& diagnostics);

/// Gives a GPU without operators one opaque segment up to each release of a tensor, in place of
/// the operators that ran there. A tensor is released when its `total` event in `stages` begins,
/// else when its first partition's first stage does. A step's first segment begins with the last
/// release of the step before; behind a global barrier it waits for that step's tensors, and
/// begins when they are there. Precondition: the chains of `gpu` have their steps.
void add_opaque_segments(RecordedGpu& gpu, const StageTrace& stages, Barrier barrier);

/// Finds which operators produce and consume each tensor of `gpu`, and completes the operators'
/// inputs. Three sources, in this order:
///
/// * the inputs of operator events, which `gpu` has already;
/// * dag.gml (`graph`; null if there is none), which also gives inputs to operators whose events name none;
/// * naming, for tensors without a producer or consumer: "x_weight" comes from "BW.x", and UPDATE
///   operators wait for it behind a global barrier, else "FW.x".
///
/// Only operators that ran are entered. O(operators * inputs + edges of the graph).
void find_tensor_uses(RecordedGpu& gpu, const TensorNodes& nodes, const OperatorGraph* graph, Barrier barrier);

}  // namespace stepsim::ingest

#endif
