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

/// One task for a builder. `hint` orders tasks that the edges leave unordered: the recorded
/// start, or 0.
struct TaskSpec {
  TaskKind kind = TaskKind::kHost;
  NameId name{};
  LaneId lane{};
  Duration duration{};
  Bytes bytes{};
  Time hint{};
  std::int32_t priority = 0;  ///< on a lane of LaneOrder::kPriority: the smallest goes first
};

/// Throws InputError, with the limit and a remedy, if a dag cannot hold as many tasks. For those who
/// know the number before they take memory for the tasks; add_task() checks it too.
void check_task_count(std::size_t tasks, const InputLocation& where = {});

/// The edges (and rendezvous) form a cycle. what() names up to eight tasks on it:
/// "the dependencies form a cycle: a -> b -> a".
class CycleError : public std::runtime_error {
 public:
  CycleError(const std::string& what, std::vector<TaskId> tasks) : std::runtime_error(what), tasks_(std::move(tasks)) {}
  /// The builder's ids of the tasks on the cycle, in order.
  [[nodiscard]] const std::vector<TaskId>& tasks() const noexcept { return tasks_; }

 private:
  std::vector<TaskId> tasks_;
};

/// Collects tasks and edges in any order, then builds a Dag in O((tasks + edges) log tasks).
/// Ids given by add_task count from 0 and are valid until build().
class DagBuilder {
 public:
  LaneId add_lane(Lane lane);
  /// One id for equal texts.
  NameId intern(std::string_view name);
  /// Throws InputError if there are too many (Dag::kMostTasks).
  TaskId add_task(const TaskSpec& task);
  /// `to` may start `lag` after the end of `from`. Edges between the same two tasks become
  /// one: the longest lag is kept, and the kind added first. Precondition: both exist, lag >= 0.
  void add_edge(TaskId from, TaskId to, EdgeKind kind, Duration lag = {});
  /// No member ends before all have started: a collective. A task joins at most one.
  RendezvousId add_rendezvous(const Collective& collective = {});
  void join(RendezvousId rendezvous, TaskId member);
  /// When `task` ends, the lane of `taker` gets back the credit that `taker` took. A task gives
  /// back for one other at most.
  void return_credit(TaskId task, TaskId taker);
  /// As Dag::returns_credit_of().
  [[nodiscard]] TaskId returns_credit_of(TaskId task) const noexcept {
    return task.index() < returns_credit_of_.size() ? returns_credit_of_[task.index()] : TaskId{};
  }

  /// Makes room for so many, so that adding them moves nothing.
  void reserve(std::size_t tasks, std::size_t edges);

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

  struct Edge {
    TaskId from;
    TaskId to;
    EdgeKind kind = EdgeKind::kProgram;
    Duration lag{};
  };
  [[nodiscard]] std::vector<Edge>& edges() noexcept { return edges_; }
  [[nodiscard]] std::size_t lane_count() const noexcept { return lanes_.size(); }

  /// Takes out the tasks marked in `dropped` (one a task), with their edges, their parts in
  /// rendezvous and their credits. Returns the new id of each, invalid if it is gone.
  std::vector<TaskId> drop(const std::vector<bool>& dropped);

  struct Result {
    Dag dag;
    std::vector<TaskId> new_id;  ///< new_id[old.index()] is the id in `dag`
  };
  /// Orders tasks that no edge orders by (hint, builder id). Leaves the builder empty, or as
  /// it was if it throws CycleError: also thrown where tasks wait for each other only through
  /// rendezvous. Throws InputError for more than Dag::kMostEdges edges. Precondition: every edge is
  /// as add_edge demands.
  [[nodiscard]] Result build() &&;

 private:
  class Layout;
  /// The slot that holds the id of `name`, else the free one where it belongs.
  [[nodiscard]] std::uint32_t& slot_of(std::string_view name) noexcept;
  void double_name_slots();

  std::vector<TaskSpec> tasks_;
  std::vector<Edge> edges_;
  std::vector<Lane> lanes_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> name_slots_;  // hash table of ids with open addressing, at most half full
  std::vector<std::vector<TaskId>> rendezvous_;
  std::unordered_map<TaskId, RendezvousId> rendezvous_of_;
  std::vector<Collective> collectives_;    // by RendezvousId
  std::vector<TaskId> returns_credit_of_;  // by task, up to the last one that does
};

}  // namespace stepsim

#endif
