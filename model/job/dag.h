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

/// The tasks of a job over all ranks and the dependencies between them. Immutable. DagBuilder creates it and numbers
/// the tasks topologically and close to their recorded order, because random ids make a replay four to six times slower
/// (docs/internals/performance.md).
///
/// Stored as a structure of arrays with CSR successors and 32-bit ids: about 22 bytes per task and 5 per edge. Lags,
/// sizes and rendezvous need memory only in dags that have them. Any number of threads can read it concurrently.
class Dag {
 public:
  /// 31 bits, because a timeline (sim/engine/timeline.h) stores one more bit with each task id.
  static constexpr std::size_t kMostTasks = 0x7FFFFFFFU;
  static constexpr std::size_t kMostEdges = 0xFFFFFFFEU;

  [[nodiscard]] std::size_t task_count() const noexcept { return duration_.size(); }
  [[nodiscard]] std::size_t edge_count() const noexcept { return target_.size(); }
  [[nodiscard]] const std::vector<Lane>& lanes() const noexcept { return lanes_; }
  [[nodiscard]] std::size_t rendezvous_count() const noexcept {
    return rendezvous_begin_.empty() ? 0 : rendezvous_begin_.size() - 1;
  }

  /// Returns all tasks in a topological order.
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
  /// Returns the recorded duration of the task's own work, without waiting. >= 0.
  [[nodiscard]] Duration duration(TaskId task) const noexcept { return duration_[task.index()]; }
  /// Returns the bytes moved or reduced; 0 if not recorded.
  [[nodiscard]] Bytes bytes(TaskId task) const noexcept { return bytes_.empty() ? Bytes{} : bytes_[task.index()]; }
  /// Returns the rendezvous that the task takes part in; invalid if there is none.
  [[nodiscard]] RendezvousId rendezvous(TaskId task) const noexcept {
    return rendezvous_.empty() ? RendezvousId{} : rendezvous_[task.index()];
  }
  /// Returns the operation and data of a rendezvous.
  [[nodiscard]] const Collective& collective(RendezvousId id) const noexcept { return collectives_[id.index()]; }
  [[nodiscard]] const Group& group(GroupId id) const noexcept { return groups_[id.index()]; }
  [[nodiscard]] const std::vector<Group>& groups() const noexcept { return groups_; }
  /// Returns the priority on a lane of LaneOrder::kPriority, where the smallest goes first.
  [[nodiscard]] std::int32_t priority(TaskId task) const noexcept {
    return priority_.empty() ? 0 : priority_[task.index()];
  }
  /// Returns the task whose credit (Lane::credit) is returned to its lane when `task` ends; invalid if there is none.
  [[nodiscard]] TaskId returns_credit_of(TaskId task) const noexcept {
    return returns_credit_of_.empty() ? TaskId{} : returns_credit_of_[task.index()];
  }
  /// Returns the members of one rendezvous, in ascending order.
  [[nodiscard]] std::span<const TaskId> members(RendezvousId id) const noexcept;

  // Whole columns, indexed by task or by edge.
  [[nodiscard]] std::span<const TaskKind> kinds() const noexcept { return kind_; }
  [[nodiscard]] std::span<const NameId> name_ids() const noexcept { return name_; }
  [[nodiscard]] std::span<const LaneId> lane_ids() const noexcept { return lane_; }
  [[nodiscard]] std::span<const TaskId> targets() const noexcept { return target_; }
  [[nodiscard]] std::span<const EdgeKind> edge_kinds() const noexcept { return edge_kind_; }

  /// Returns the edges from `task`, ordered by target.
  [[nodiscard]] IdRange<EdgeId> edges_from(TaskId task) const noexcept {
    return {edge_begin_[task.index()], edge_begin_[task.index() + 1]};
  }
  [[nodiscard]] EdgeId first_edge(TaskId task) const noexcept { return EdgeId{edge_begin_[task.index()]}; }
  [[nodiscard]] std::span<const TaskId> successors(TaskId task) const noexcept {
    return {target_.data() + edge_begin_[task.index()], edge_begin_[task.index() + 1] - edge_begin_[task.index()]};
  }
  [[nodiscard]] TaskId target(EdgeId edge) const noexcept { return target_[edge.index()]; }
  [[nodiscard]] EdgeKind edge_kind(EdgeId edge) const noexcept { return edge_kind_[edge.index()]; }
  /// Returns the minimum time between the end of the edge's source and the start of its target. >= 0.
  [[nodiscard]] Duration lag(EdgeId edge) const noexcept { return lag_.empty() ? Duration{} : lag_[edge.index()]; }
  [[nodiscard]] bool has_lags() const noexcept { return !lag_.empty(); }
  void set_payload(RendezvousId id, Bytes bytes) { collectives_[id.index()].bytes = bytes; }
  /// Precondition: some task of this dag has bytes.
  void set_bytes(TaskId task, Bytes bytes) { bytes_.set(task.index(), bytes); }
  /// Adds a group that no collective has, such as that of all ranks with their copies.
  void add_group(Group group) { groups_.push_back(std::move(group)); }
  /// Calls rename(std::string& host) for the name of each lane's host.
  template <class Rename>
  void rename_hosts(const Rename& rename) {
    for (Lane& lane : lanes_) rename(lane.host);
  }
  /// Returns the number of edges into each task.
  [[nodiscard]] std::span<const std::uint32_t> in_degrees() const noexcept { return in_degree_; }

 private:
  friend class DagBuilder;

  std::vector<TaskKind> kind_;
  std::vector<NameId> name_;
  std::vector<LaneId> lane_;
  CountColumn<Duration> duration_;
  CountColumn<Bytes> bytes_;              // indexed by task; empty if all are 0
  std::vector<RendezvousId> rendezvous_;  // indexed by task; empty if there are no rendezvous
  std::vector<std::uint32_t> in_degree_;
  std::vector<std::uint32_t> edge_begin_;
  std::vector<TaskId> target_;
  std::vector<EdgeKind> edge_kind_;
  CountColumn<Duration> lag_;  // indexed by edge; empty if all are 0
  std::vector<std::uint32_t> rendezvous_begin_;
  std::vector<TaskId> rendezvous_member_;
  std::vector<Collective> collectives_;    // indexed by RendezvousId
  std::vector<Group> groups_;              // indexed by GroupId
  std::vector<std::int32_t> priority_;     // indexed by task; empty if all are 0
  std::vector<TaskId> returns_credit_of_;  // indexed by task; empty if no task returns credit
  std::vector<Lane> lanes_;
  std::vector<std::string> names_;
};

/// Returns the host of each rank, taken from its first lane; empty if not known. Threads of servers are ignored,
/// because their ranks are not workers.
[[nodiscard]] std::map<Rank, std::string> hosts_of_ranks(const Dag& dag);

}  // namespace stepsim

#endif
