#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TENSOR_LINKS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TENSOR_LINKS_H

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/stitch/parameter_server/tasks.h"

namespace stepsim::ingest {

/// Connects the communication of one GPU's tensors to its operators: a tensor's producers come before it, its consumers
/// after it.
class TensorLinks {
 public:
  /// Precondition: add_operators() has run. `tasks` must outlive this.
  TensorLinks(PsTasks& tasks, std::size_t gpu);

  /// Makes `first`, the first task of the chain with this index, wait for an operator of the chain's step: the last
  /// producer of the chain's tensor or, if no producer is known, the operator that ended last before the chain.
  void release(std::size_t index, TaskId first);
  /// Makes the tensor's consumers wait for all of `last`, the last tasks of its communication in `step`: UPDATE
  /// operators of the same step, and other operators of the next step.
  void let_consumers_wait(std::uint32_t tensor, std::int64_t step, std::vector<TaskId> last);

 private:
  /// The runs of an operator in one step: the one that began first and the one that ended last.
  struct Runs {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  void note_run(std::size_t i);
  [[nodiscard]] std::optional<std::size_t> producer_of(const StageChain& chain) const;
  [[nodiscard]] std::optional<std::size_t> last_ended_before(const StageChain& chain);
  [[nodiscard]] TaskId gathered(const RecordedTensor& tensor, std::int64_t step, const std::vector<TaskId>& last);
  [[nodiscard]] std::int64_t next_step(std::int64_t number) const;

  PsTasks& tasks_;
  Assembly& out_;
  const RecordedGpu& recorded_;
  std::size_t gpu_;
  std::map<std::pair<TextId, std::int64_t>, Runs> runs_;                                   // operator name, step
  std::map<std::pair<std::uint32_t, std::int64_t>, std::optional<std::size_t>> producer_;  // tensor, step
  std::vector<std::pair<Time, std::size_t>> by_finish_;  // (finish, operator); built on first use
  LaneId gather_lane_;
};

}  // namespace stepsim::ingest

#endif
