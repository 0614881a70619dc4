#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TENSOR_NODES_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TENSOR_NODES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ingest/stitch/parameter_server/recorded_gpu.h"

namespace stepsim::ingest {

/// What the names of communication events and of their nodes in dag.gml begin with.
inline constexpr std::string_view kComm = "Comm.";

/// Adds the tensors of `stages` to `gpu`, in the same order, with the names and sizes that `list`
/// (null if there is none) has for them: the i-th of the list for "byteps.gradient_<i>", else the
/// one of that name, with or without a "byteps." prefix.
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

}  // namespace stepsim::ingest

#endif
