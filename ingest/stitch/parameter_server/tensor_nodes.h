#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TENSOR_NODES_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TENSOR_NODES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/stitch/parameter_server/recorded_gpu.h"

namespace stepsim::ingest {

/// What the names of communication events and of their nodes in dag.gml begin with.
inline constexpr std::string_view kComm = "Comm.";

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

}  // namespace stepsim::ingest

#endif
