#ifndef STEPSIM_MODEL_JOB_DAG_H
#define STEPSIM_MODEL_JOB_DAG_H

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/count_column.h"
#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/collective.h"
#include "model/job/task.h"

namespace stepsim {

/// The tasks of a job over all ranks and what must happen before what. Immutable; made by
/// DagBuilder, which numbers tasks topologically and near their recorded order, because
/// random ids cost a replay four to six times its time (docs/performance.md).
///
/// Structure of arrays, CSR successors, 32-bit ids. About 22 bytes a task and 5 an edge;
/// lags, sizes and rendezvous take room only where a dag has them. Read from any number of
/// threads at once.
class Dag {
 public:
  /// A timeline (sim/engine/timeline.h) marks a task with one bit more than its id.
  static constexpr std::size_t kMostTasks = 0x7FFFFFFFU;
  static constexpr std::size_t kMostEdges = 0xFFFFFFFEU;

  [[nodiscard]] std::size_t task_count() const noexcept { return duration_.size(); }
  [[nodiscard]] std::size_t edge_count() const noexcept { return target_.size(); }
  [[nodiscard]] const std::vector<Lane>& lanes() const noexcept { return lanes_; }
  [[nodiscard]] std::size_t rendezvous_count() const noexcept {
    return rendezvous_begin_.empty() ? 0 : rendezvous_begin_.size() - 1;
  }

  /// All tasks, in a topological order.
  [[nodiscard]] IdRange<TaskId> tasks() const noexcept { return {0, task_count()}; }
  [[nodiscard]] IdRange<RendezvousId> all_rendezvous() const noexcept { return {0, rendezvous_count()}; }

  [[nodiscard]] TaskKind kind(TaskId task) const noexcept { return kind_[task.index()]; }
  [[nodiscard]] std::string_view name(TaskId task) const noexcept { return names_[name_[task.index()].index()]; }
  [[nodiscard]] NameId name_id(TaskId task) const noexcept { return name_[task.index()]; }
  [[nodiscard]] std::string_view name(NameId name) const noexcept { return names_[name.index()]; }
  [[nodiscard]] std::size_t name_count() const noexcept { return names_.size(); }
  [[nodiscard]] LaneId lane_id(TaskId task) const noexcept { return lane_[task.index()]; }
  [[nodiscard]] const Lane& lane(TaskId task) const noexcept { return lanes_[lane_[task.index()].index()]; }
  [[nodiscard]] const Lane& lane(LaneId lane) const noexcept { return lanes_[lane.index()]; }
  /// Recorded duration: the task's own work, waiting not included. >= 0.
  [[nodiscard]] Duration duration(TaskId task) const noexcept { return duration_[task.index()]; }
  /// Bytes moved or reduced; 0 where the capture does not say.
  [[nodiscard]] Bytes bytes(TaskId task) const noexcept { return bytes_.empty() ? Bytes{} : bytes_[task.index()]; }
  /// The rendezvous the task takes part in; invalid if none.
  [[nodiscard]] RendezvousId rendezvous(TaskId task) const noexcept {
    return rendezvous_.empty() ? RendezvousId{} : rendezvous_[task.index()];
  }
  /// What a rendezvous transfers. Its group is its members by ascending rank.
  [[nodiscard]] const Collective& collective(RendezvousId id) const noexcept { return collectives_[id.index()]; }
  /// Place in line on a lane of LaneOrder::kPriority: the smallest goes first.
  [[nodiscard]] std::int32_t priority(TaskId task) const noexcept {
    return priority_.empty() ? 0 : priority_[task.index()];
  }
  /// The task whose lane gets its credit back when `task` ends; invalid if none.
  [[nodiscard]] TaskId returns_credit_of(TaskId task) const noexcept {
    return returns_credit_of_.empty() ? TaskId{} : returns_credit_of_[task.index()];
  }
  /// Members of one rendezvous, ascending.
  [[nodiscard]] std::span<const TaskId> members(RendezvousId id) const noexcept;

  /// Edges out of `task`, targets ascending.
  [[nodiscard]] IdRange<EdgeId> edges_from(TaskId task) const noexcept {
    return {edge_begin_[task.index()], edge_begin_[task.index() + 1]};
  }
  [[nodiscard]] EdgeId first_edge(TaskId task) const noexcept { return EdgeId{edge_begin_[task.index()]}; }
  [[nodiscard]] std::span<const TaskId> successors(TaskId task) const noexcept {
    return {target_.data() + edge_begin_[task.index()], edge_begin_[task.index() + 1] - edge_begin_[task.index()]};
  }
  [[nodiscard]] TaskId target(EdgeId edge) const noexcept { return target_[edge.index()]; }
  [[nodiscard]] EdgeKind edge_kind(EdgeId edge) const noexcept { return edge_kind_[edge.index()]; }
  /// Time that must pass between the end of the edge's source and the start of its target. >= 0.
  [[nodiscard]] Duration lag(EdgeId edge) const noexcept { return lag_.empty() ? Duration{} : lag_[edge.index()]; }
  [[nodiscard]] bool has_lags() const noexcept { return !lag_.empty(); }
  /// Number of edges into each task.
  [[nodiscard]] std::span<const std::uint32_t> in_degrees() const noexcept { return in_degree_; }

 private:
  friend class DagBuilder;

  std::vector<TaskKind> kind_;
  std::vector<NameId> name_;
  std::vector<LaneId> lane_;
  CountColumn<Duration> duration_;
  CountColumn<Bytes> bytes_;              // empty if all are 0
  std::vector<RendezvousId> rendezvous_;  // empty if there is none
  std::vector<std::uint32_t> in_degree_;
  std::vector<std::uint32_t> edge_begin_;
  std::vector<TaskId> target_;
  std::vector<EdgeKind> edge_kind_;
  CountColumn<Duration> lag_;  // empty if all are 0
  std::vector<std::uint32_t> rendezvous_begin_;
  std::vector<TaskId> rendezvous_member_;
  std::vector<Collective> collectives_;    // by RendezvousId
  std::vector<std::int32_t> priority_;     // empty if all are 0
  std::vector<TaskId> returns_credit_of_;  // empty if no task does
  std::vector<Lane> lanes_;
  std::vector<std::string> names_;
};

/// The host of each rank, from its first lane; empty where it is not known. A server's threads are left out: their
/// ranks are no workers.
[[nodiscard]] std::map<Rank, std::string> hosts_of_ranks(const Dag& dag);

}  // namespace stepsim

#endif
