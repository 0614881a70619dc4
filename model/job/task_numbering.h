#ifndef STEPSIM_MODEL_JOB_TASK_NUMBERING_H
#define STEPSIM_MODEL_JOB_TASK_NUMBERING_H

#include <cstdint>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "model/job/dag_builder.h"

namespace stepsim {

/// Edges by their source: those of task t are edge[begin[t]] .. edge[begin[t + 1]], in the
/// order in which they were added.
struct EdgesBySource {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> edge;
};

/// Numbers tasks in the order in which Kahn's algorithm meets them, the earliest hint first.
/// A member of a rendezvous is met like any task, but holds its successors back until all of
/// its rendezvous are met: only then can it end. Only DagBuilder uses it.
class TaskNumbering {
 public:
  /// Refers to all three.
  TaskNumbering(std::span<const TaskSpec> tasks, std::span<const DagBuilder::Edge> edges,
                std::span<const std::vector<TaskId>> rendezvous);

  /// False if tasks are left that wait for each other. Else it keeps order() and edges_by_source() alone.
  /// O((tasks + edges) log tasks).
  bool run();

  /// The tasks of one cycle, each waiting for the one before it. Precondition: run() was false.
  [[nodiscard]] std::vector<TaskId> cycle() const;

  [[nodiscard]] const std::vector<std::uint32_t>& order() const noexcept { return order_; }
  [[nodiscard]] const EdgesBySource& edges_by_source() const noexcept { return out_; }

 private:
  using Index = std::uint32_t;
  using Ready = std::pair<Time, Index>;

  void push(Index task) { ready_.emplace(tasks_[task].hint, task); }
  void meet(Index task);
  void release_successors(Index task);
  [[nodiscard]] bool can_end(Index task) const;
  [[nodiscard]] Index first_unmet() const;
  [[nodiscard]] std::vector<Index> blockers() const;

  std::span<const TaskSpec> tasks_;
  std::span<const DagBuilder::Edge> edges_;
  std::span<const std::vector<TaskId>> rendezvous_;
  EdgesBySource out_;
  std::vector<Index> waiting_for_;
  std::vector<Index> rendezvous_of_;
  std::vector<Index> absent_;
  std::vector<bool> met_;
  std::vector<Index> order_;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
};

}  // namespace stepsim

#endif
