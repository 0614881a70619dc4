#ifndef STEPSIM_MODEL_JOB_DAG_BUILDER_H
#define STEPSIM_MODEL_JOB_DAG_BUILDER_H

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "model/base/id.h"
#include "model/base/units.h"
#include "model/job/dag.h"
#include "model/job/task.h"

namespace stepsim {

/// A task for the builder. `hint` orders tasks that edges do not order: the recorded start, or 0.
struct TaskSpec {
  TaskKind kind = TaskKind::kHost;
  NameId name{};
  LaneId lane{};
  Duration duration{};
  Bytes bytes{};
  Time hint{};
  std::int32_t priority = 0;  ///< on a lane of LaneOrder::kPriority: the smallest goes first
};

/// Throws InputError, with the limit and a remedy, if a dag cannot contain this many tasks. Used by callers that know
/// the number before they allocate memory; add_task() also checks it.
void check_task_count(std::size_t tasks, const InputLocation& where = {});

/// The edges and rendezvous form a cycle. what() names up to eight tasks on it: "the dependencies form a cycle: a -> b
/// -> a".
class CycleError : public std::runtime_error {
 public:
  CycleError(const std::string& what, std::vector<TaskId> tasks) : std::runtime_error(what), tasks_(std::move(tasks)) {}
  /// Returns the builder's ids of the tasks on the cycle, in order.
  [[nodiscard]] const std::vector<TaskId>& tasks() const noexcept { return tasks_; }

 private:
  std::vector<TaskId> tasks_;
};

/// Collects tasks and edges in any order, then builds a Dag in O((tasks + edges) log tasks).
/// Ids given by add_task count from 0 and are valid until build().
class DagBuilder {
 public:
  LaneId add_lane(Lane lane);
  /// Returns the id of a name. Equal names get the same id.
  NameId intern(std::string_view name);
  /// Adds a name that the builder does not have yet, without looking it up. Precondition: no name is equal to it.
  NameId add_name(std::string name);
  /// Adds a task. Throws InputError if there are more than Dag::kMostTasks.
  TaskId add_task(const TaskSpec& task);
  /// Adds an edge: `to` cannot start until `lag` after the end of `from`. Edges between the same two tasks are merged:
  /// the result has the longest lag and the kind that was added first. Precondition: both tasks exist, lag >= 0.
  void add_edge(TaskId from, TaskId to, EdgeKind kind, Duration lag = {});
  GroupId add_group(Group group);
  /// Adds a rendezvous (a collective): no member ends before all have started. A task can join at most one.
  RendezvousId add_rendezvous(const Collective& collective = {});
  void join(RendezvousId rendezvous, TaskId member);
  /// Makes `task`, when it ends, return the credit taken by `taker` to the lane of `taker`. A task can return credit
  /// for at most one other.
  void return_credit(TaskId task, TaskId taker);
  /// Returns the same as Dag::returns_credit_of().
  [[nodiscard]] TaskId returns_credit_of(TaskId task) const noexcept {
    return task.index() < returns_credit_of_.size() ? returns_credit_of_[task.index()] : TaskId{};
  }

  /// Reserves memory, so that adding this many tasks and edges does not reallocate.
  void reserve(std::size_t tasks, std::size_t edges);
  /// Does the same for names. Those of add_name() need no table, which intern() makes when it is called.
  void reserve_names(std::size_t names) { names_.reserve(names); }

  [[nodiscard]] std::size_t task_count() const noexcept { return tasks_.size(); }
  [[nodiscard]] IdRange<TaskId> tasks() const noexcept { return {0, tasks_.size()}; }
  [[nodiscard]] const TaskSpec& task(TaskId id) const noexcept { return tasks_[id.index()]; }
  [[nodiscard]] TaskSpec& task(TaskId id) noexcept { return tasks_[id.index()]; }
  void set_duration(TaskId id, Duration duration) noexcept { tasks_[id.index()].duration = duration; }
  [[nodiscard]] const Lane& lane(LaneId id) const noexcept { return lanes_[id.index()]; }
  [[nodiscard]] Lane& lane(LaneId id) noexcept { return lanes_[id.index()]; }
  [[nodiscard]] std::string_view name(NameId id) const noexcept { return names_[id.index()]; }
  [[nodiscard]] RendezvousId rendezvous(TaskId id) const noexcept;
  [[nodiscard]] std::size_t rendezvous_count() const noexcept { return rendezvous_.size(); }
  [[nodiscard]] const Collective& collective(RendezvousId id) const noexcept { return collectives_[id.index()]; }
  [[nodiscard]] Collective& collective(RendezvousId id) noexcept { return collectives_[id.index()]; }

  /// The groups, indexed by GroupId. A builder that copies collectives of another graph needs that graph's groups.
  [[nodiscard]] const std::vector<Group>& groups() const noexcept { return groups_; }
  [[nodiscard]] std::vector<Group>& groups() noexcept { return groups_; }

  struct Edge {
    TaskId from;
    TaskId to;
    EdgeKind kind = EdgeKind::kProgram;
    Duration lag{};
  };
  [[nodiscard]] std::vector<Edge>& edges() noexcept { return edges_; }
  [[nodiscard]] std::size_t lane_count() const noexcept { return lanes_.size(); }

  /// Removes the tasks marked in `dropped` (one flag per task), with their edges, memberships and credits. Returns the
  /// new id of each task, invalid if it was removed.
  std::vector<TaskId> drop(const std::vector<bool>& dropped);

  struct Result {
    Dag dag;
    std::vector<TaskId> new_id;  ///< new_id[old.index()] is the id in `dag`
  };
  /// Builds the Dag. Tasks that no edge orders are ordered by (hint, builder id). Throws CycleError, which leaves the
  /// builder unchanged, if tasks wait for each other through edges, rendezvous or both. Throws InputError for more than
  /// Dag::kMostEdges edges. Otherwise leaves the builder empty. Precondition: every edge meets the preconditions of
  /// add_edge().
  [[nodiscard]] Result build() &&;

 private:
  class Layout;
  /// Returns the slot that contains the id of `name`, or the free slot where it belongs.
  [[nodiscard]] std::uint32_t& slot_of(std::string_view name) noexcept;
  void grow_name_slots();

  std::vector<TaskSpec> tasks_;
  std::vector<Edge> edges_;
  std::vector<Lane> lanes_;
  std::vector<std::string> names_;
  /// Hash table of ids with open addressing, at most half full; empty after add_name().
  std::vector<std::uint32_t> name_slots_;
  std::vector<std::vector<TaskId>> rendezvous_;
  std::unordered_map<TaskId, RendezvousId> rendezvous_of_;
  std::vector<Collective> collectives_;    // indexed by RendezvousId
  std::vector<Group> groups_;              // indexed by GroupId
  std::vector<TaskId> returns_credit_of_;  // indexed by task, up to the last one that returns credit
};

}  // namespace stepsim

#endif
