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

/// The passes that build a RecordedGpu from a GPU's files, in the order in which arrange_gpus() runs them.
namespace stepsim::ingest {

/// The names of gradients by number, from gradient_name_list.*.
class TensorNames {
 public:
  explicit TensorNames(const std::vector<std::string>& names);
  /// Returns a recorded tensor's number: i for "byteps.gradient_<i>", else the number listed for its name, with or
  /// without a "byteps." prefix. Returns nothing if the name is not listed.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view recorded) const;

 private:
  std::size_t size_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// Adds the tensors of `stages` to `gpu` in the same order, with the names and sizes from `list` (may be null).
void add_tensors(RecordedGpu& gpu, const StageTrace& stages, const TensorTable* list);

/// Finds the tensor of a GPU that a "Comm.<name>" node stands for. dPRO writes '_' for each '.' within a name, so names
/// are also compared with '.' replaced in both.
class TensorNodes {
 public:
  /// Precondition: add_tensors() has run on `gpu`, which must outlive this.
  explicit TensorNodes(const RecordedGpu& gpu);

  /// Returns an index into gpu.tensors; nothing if the name is not a tensor's.
  [[nodiscard]] std::optional<std::uint32_t> find(TextId name) const;

 private:
  const RecordedGpu& gpu_;
  std::unordered_map<TextId, std::uint32_t> by_node_;
  std::unordered_map<std::string, std::uint32_t> by_plain_name_;
};

/// Groups the stages of a comm.json into chains, sorted by the start of their first stage. Their steps are not set yet.
///
/// The stages of one key are processed in order of time. A new chain begins at a stage that is not later in the
/// pipeline than the stage before it. Counting each stage's occurrences instead would shift all later chains by one
/// after a missing record. A stage that is recorded twice is used once and counted in `diagnostics`. O(events log
/// events).
[[nodiscard]] std::vector<StageChain> stage_chains(const StageTrace& trace, Diagnostics& diagnostics);

/// Completes the steps of gpu.operators, which are sorted by time. If some operators have an args.step, each operator
/// without one gets the step of the operator before it, and is counted in `diagnostics`. If no operator has one, a step
/// begins at each run of the first forward operator, and steps are counted from 0.
void number_operators(RecordedGpu& gpu, Diagnostics& diagnostics);

/// Sets each chain's step to the step of the last run of its tensor's producer that began before the chain; if no
/// producer is known, the last run of any operator counts. A chain is left out if there is no such run, or if another
/// chain of its key already has that step. Chains that are left out are counted in `diagnostics` with `folder` as the
/// place.
void number_chains_by_producer(RecordedGpu& gpu, const std::string& folder, Diagnostics& diagnostics);

/// Sets the chains' steps for a GPU without operators: the k-th chain of a key belongs to step numbers[k], or to step k
/// if `numbers` is empty.
void number_chains_by_occurrence(RecordedGpu& gpu, const std::vector<std::int64_t>& numbers, const std::string& folder,
                                 Diagnostics& diagnostics);

/// Adds opaque segments, which replace the unknown operators of a GPU: one segment up to each release of a tensor. A
/// tensor is released when its `total` event in `stages` begins or, without such an event, when the first stage of its
/// first partition begins.
///
/// The first segment of a step begins at the last release of the step before. With a global barrier, it waits for all
/// tensors of the step before, and begins only when they have arrived. Precondition: the chains of `gpu` have their
/// steps.
void add_opaque_segments(RecordedGpu& gpu, const StageTrace& stages, Barrier barrier);

/// Finds the operators that produce and consume each tensor of `gpu`, and completes the operators' inputs. Uses three
/// sources, in this order:
///
/// * the inputs of operator events, which `gpu` already has;
/// * dag.gml (`graph`; may be null), which also gives inputs to operators whose events name none;
/// * names, for tensors without a producer or consumer: "BW.x" produces the tensor "x_weight". With a global barrier,
///   its consumers are the UPDATE operators if there are any, else "FW.x".
///
/// Only operators that ran are entered. O(operators * inputs + edges of the graph).
void find_tensor_uses(RecordedGpu& gpu, const TensorNodes& nodes, const OperatorGraph* graph, Barrier barrier);

}  // namespace stepsim::ingest

#endif
