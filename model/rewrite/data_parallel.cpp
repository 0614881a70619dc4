#include "model/rewrite/data_parallel.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "model/rewrite/capture_edit.h"

namespace stepsim {
namespace {

/// The longest idle time between two collectives on a thread that only carries collectives.
constexpr Duration kHandOver{100'000};

bool is_collective(const Dag& dag, TaskId task) { return dag.kind(task) == TaskKind::kCollective; }

/// The threads of each rank that only carry collectives, ordered by lane.
using Carriers = std::map<Rank, std::vector<LaneId>>;

Carriers carriers_of(const Dag& dag) {
  std::vector<bool> carries(dag.lanes().size(), false);
  std::vector<bool> works(dag.lanes().size(), false);
  for (const TaskId task : dag.tasks()) {
    const std::size_t lane = dag.lane_id(task).index();
    if (is_collective(dag, task)) {
      carries[lane] = carries[lane] || dag.rendezvous(task).valid();
    } else if (dag.duration(task) > kHandOver) {
      works[lane] = true;
    }
  }
  Carriers carriers;
  for (std::size_t i = 0; i < dag.lanes().size(); ++i) {
    const Lane& lane = dag.lanes()[i];
    if (carries[i] && !works[i] && lane.kind == LaneKind::kThread) carriers[lane.rank].push_back(LaneId{i});
  }
  return carriers;
}

/// Replaces the threads of each rank that carry collectives by a pool: one lane that runs as many collectives at a time
/// as there were threads.
class Pools {
 public:
  Pools(const Capture& capture, const Carriers& carriers)
      : dag_(capture.dag), recording_(capture.recording), edit_(capture), pool_(dag_.lanes().size()) {
    for (const auto& [rank, lanes] : carriers) add_pool(dag_.lane(lanes.front()), lanes);
    for (const TaskId task : dag_.tasks()) {
      if (is_pooled(task) && is_collective(dag_, task)) carried_[pool_of(task)].push_back(task);
    }
    for (auto& [pool, carried] : carried_) {
      std::stable_sort(carried.begin(), carried.end(),
                       [&](TaskId a, TaskId b) { return recording_.start[a.index()] < recording_.start[b.index()]; });
    }
  }

  Capture run() && {
    free_from_threads();
    for (auto& [pool, collectives] : carried_) {
      for (const TaskId collective : collectives) edit_.builder().task(collective).lane = pool;
      wait_in_order(collectives);
    }
    take_in_order();
    return std::move(edit_).finish();
  }

 private:
  void add_pool(Lane lane, const std::vector<LaneId>& lanes) {
    lane.name = "collective threads";
    lane.order = LaneOrder::kFifo;
    lane.capacity = static_cast<std::uint32_t>(lanes.size());
    const LaneId pool = edit_.builder().add_lane(lane);
    for (const LaneId carrier : lanes) pool_[carrier.index()] = pool;
  }

  [[nodiscard]] LaneId pool_of(TaskId task) const { return pool_[dag_.lane_id(task).index()]; }
  [[nodiscard]] bool is_pooled(TaskId task) const { return pool_of(task).valid(); }

  /// Removes the edges by which a submitted task waits for the previous task on its thread. A task in a pool is
  /// submitted if an edge from a task outside the pools leads to it.
  void free_from_threads() {
    std::vector<bool> submitted(dag_.task_count(), false);
    std::vector<DagBuilder::Edge>& edges = edit_.builder().edges();
    for (const DagBuilder::Edge& edge : edges) {
      if (is_pooled(edge.to) && !is_pooled(edge.from)) submitted[edge.to.index()] = true;
    }
    std::erase_if(edges, [&](const DagBuilder::Edge& edge) {
      return is_pooled(edge.to) && is_pooled(edge.from) && submitted[edge.to.index()];
    });
  }

  /// Adds waits for collectives that no task waits for. Such a collective gets the waiting tasks of the next collective
  /// of its step that has any. If there is none, the first task of the next step waits. `collectives` are the
  /// collectives of one pool, ordered by recorded start.
  void wait_in_order(const std::vector<TaskId>& collectives) {
    std::vector<TaskId> unawaited;
    for (const TaskId collective : collectives) {
      if (!unawaited.empty() && step_of(unawaited.front()) != step_of(collective)) {
        await(unawaited, first_after(step_of(unawaited.front())));
        unawaited.clear();
      }
      const std::vector<TaskId> waiters = waiters_of(collective);
      for (const TaskId waiter : waiters) await(unawaited, waiter);
      if (!waiters.empty()) unawaited.clear();
      if (waiters.empty()) unawaited.push_back(collective);
    }
    if (!unawaited.empty()) await(unawaited, first_after(step_of(unawaited.front())));
  }

  void await(const std::vector<TaskId>& collectives, TaskId waiter) {
    if (!waiter.valid()) return;
    for (const TaskId collective : collectives) {
      if (recording_.finish[collective.index()] <= recording_.start[waiter.index()])
        edit_.builder().add_edge(collective, waiter, EdgeKind::kHandOff);
    }
  }

  /// Adds a task of zero duration before each collective. The collective is submitted when everything it waits for has
  /// ended and the previous one of its pool has been submitted. This prevents a collective from overtaking another one
  /// whose thread was slow to wake up, and prevents two ranks from filling their threads with collectives that the
  /// other cannot begin.
  void take_in_order() {
    DagBuilder& builder = edit_.builder();
    const NameId name = builder.intern("submitted");
    std::vector<TaskId> submission(dag_.task_count());  // indexed by collective
    const std::size_t edges = builder.edges().size();
    const std::vector<Time> submitted = submission_times();
    for (auto& [pool, collectives] : carried_) {
      std::stable_sort(collectives.begin(), collectives.end(),
                       [&](TaskId a, TaskId b) { return submitted[a.index()] < submitted[b.index()]; });
      Lane lane = builder.lane(pool);
      lane.name = "submissions of collectives";
      lane.order = LaneOrder::kEdges;
      lane.capacity = 1;
      const LaneId line = builder.add_lane(lane);
      TaskId before;
      Time hint = Time::min();
      for (const TaskId collective : collectives) {
        hint = std::max(hint + Duration{1}, recording_.start[collective.index()]);
        builder.task(collective).hint = hint;  // orders the task ids, by which a pool breaks ties
        const TaskId task =
            edit_.add_task({.kind = TaskKind::kControl, .name = name, .lane = line, .hint = hint}, step_of(collective));
        if (before.valid()) builder.add_edge(before, task, EdgeKind::kProgram);
        builder.add_edge(task, collective, EdgeKind::kHandOff);
        submission[collective.index()] = before = task;
      }
    }
    for (std::size_t i = 0; i < edges; ++i) {
      DagBuilder::Edge& edge = builder.edges()[i];
      if (edge.to.index() < submission.size() && submission[edge.to.index()].valid())
        edge.to = submission[edge.to.index()];
    }
  }

  /// Returns when each collective was submitted, indexed by task, or when it began if that is not known. All ranks
  /// submit in the same order. They need not begin in the same order, because a thread can be slow to wake up.
  [[nodiscard]] std::vector<Time> submission_times() {
    std::vector<Time> times(dag_.task_count(), Time::min());
    for (const DagBuilder::Edge& edge : edit_.builder().edges()) {
      if (is_pooled(edge.from)) continue;
      Time& time = times[edge.to.index()];
      time = std::max(time, recording_.finish[edge.from.index()]);
    }
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] == Time::min()) times[i] = recording_.start[i];
    }
    return times;
  }

  [[nodiscard]] std::int32_t step_of(TaskId task) const { return recording_.step[task.index()]; }

  /// Returns the first task of the rank's next step, if it follows immediately.
  [[nodiscard]] TaskId first_after(std::int32_t step) const {
    const auto next = static_cast<std::size_t>(std::int64_t{step} + 1);
    const bool follows = step >= 0 && next < recording_.steps.size() && recording_.steps[next - 1].next_follows;
    return follows ? recording_.steps[next].first : TaskId{};
  }

  [[nodiscard]] std::vector<TaskId> waiters_of(TaskId collective) const {
    std::vector<TaskId> waiters;
    for (const TaskId next : dag_.successors(collective)) {
      if (!is_pooled(next)) waiters.push_back(next);
    }
    return waiters;
  }

  const Dag& dag_;
  const Recording& recording_;
  CaptureEdit edit_;
  std::vector<LaneId> pool_;                       ///< for each lane, its pool; invalid if it is not part of one
  std::map<LaneId, std::vector<TaskId>> carried_;  ///< the collectives of each pool, ordered by recorded start
};

}  // namespace

Capture under_models(Capture capture) {
  if (capture.recording.start.empty()) return capture;
  const Carriers carriers = carriers_of(capture.dag);
  return carriers.empty() ? std::move(capture) : Pools(capture, carriers).run();
}

}  // namespace stepsim
