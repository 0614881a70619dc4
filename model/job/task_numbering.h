#ifndef STEPSIM_MODEL_JOB_TASK_NUMBERING_H
#define STEPSIM_MODEL_JOB_TASK_NUMBERING_H

#include <cstdint>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "model/job/dag_builder.h"

namespace stepsim {

/// Edges grouped by source: those of task t are edge[begin[t]] .. edge[begin[t + 1]], in the order in which they were
/// added.
struct EdgesBySource {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> edge;
};

/// Numbers tasks in the order in which Kahn's algorithm visits them, the earliest hint first. The successors of a
/// rendezvous member become available only after all members were visited, because only then can a member end. Used
/// only by DagBuilder.
class TaskNumbering {
 public:
  /// Keeps references to all three arguments.
  TaskNumbering(std::span<const TaskSpec> tasks, std::span<const DagBuilder::Edge> edges,
                std::span<const std::vector<TaskId>> rendezvous);

  /// Numbers the tasks. Returns false if some tasks wait for each other. Otherwise frees everything except order() and
  /// edges_by_source(). O((tasks + edges) log tasks).
  bool run();

  /// Returns the tasks of one cycle; each waits for the one before it. Precondition: run() returned false.
  [[nodiscard]] std::vector<TaskId> cycle() const;

  [[nodiscard]] const std::vector<std::uint32_t>& order() const noexcept { return order_; }
  [[nodiscard]] const EdgesBySource& edges_by_source() const noexcept { return out_; }

 private:
  using Index = std::uint32_t;
  using Ready = std::pair<Time, Index>;

  /// True if the order is that of the builder: every edge leads to a later task, hints do not decrease, and there is no
  /// rendezvous.
  [[nodiscard]] bool is_in_order() const;
  void visit();
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
