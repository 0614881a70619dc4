#include "scenarios/change/graph_edits.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "scenarios/change/plan.h"

namespace stepsim::scenarios {
namespace {

/// A removed task with more predecessors than this is replaced by a task of zero duration, to limit the number of
/// edges.
constexpr std::size_t kMostPredecessors = 64;

/// A dependency: the task that is waited for, and the delay after its end.
struct Wait {
  TaskId task;
  Duration lag{};
  EdgeKind kind = EdgeKind::kProgram;
};

/// Removes tasks from a graph one by one. A task is removed after the tasks that it waits for.
class Removal {
 public:
  Removal(const Capture& capture, const std::vector<TaskId>& tasks)
      : capture_(capture),
        edit_(capture),
        lanes_(edit_.builder()),
        begun_(steps_begun(capture)),
        removed_(capture.dag.task_count(), false),
        waits_(capture.dag.task_count()),
        point_(capture.dag.task_count()) {
    for (const TaskId task : tasks) removed_[task.index()] = true;
  }

  Capture run() && {
    edit_.builder().edges().clear();
    for (std::size_t i = 0; i < removed_.size(); ++i) {
      const TaskId task{i};
      if (removed_[i]) remove(task);
      for (const EdgeId edge : dag().edges_from(task)) join_through(task, edge);
    }
    return std::move(edit_).finish();
  }

 private:
  [[nodiscard]] const Dag& dag() const { return capture_.dag; }

  /// Removes a task, or replaces it by a point: a task of zero duration. Precondition: waits_ contains all predecessors
  /// of the task.
  void remove(TaskId task) {
    const std::size_t waits = waits_[task.index()].size();
    const bool multiplies = (waits > 1 && dag().successors(task).size() > 1) || waits > kMostPredecessors;
    if (multiplies || begun_[task.index()] >= 0 || dag().returns_credit_of(task).valid()) leave_point(task);
    edit_.remove(task);
  }

  void leave_point(TaskId task) {
    DagBuilder& builder = edit_.builder();
    TaskSpec spec = builder.task(task);
    spec.kind = TaskKind::kHost;
    spec.lane = lanes_.beside(spec.lane);
    spec.duration = {};
    spec.bytes = {};
    const auto& step = capture_.recording.step;
    const TaskId point = edit_.add_task(spec, step.empty() ? -1 : step[task.index()]);
    for (const Wait& wait : waits_[task.index()]) builder.add_edge(wait.task, point, wait.kind, wait.lag);
    if (begun_[task.index()] >= 0) edit_.step(static_cast<std::size_t>(begun_[task.index()])).first = point;
    if (dag().returns_credit_of(task).valid()) builder.return_credit(point, dag().returns_credit_of(task));
    point_[task.index()] = point;
  }

  /// Makes the target of an edge from `task` wait for the task. If the task was removed, the target waits for the point
  /// that replaces it, or for the task's predecessors.
  void join_through(TaskId task, EdgeId edge) {
    const EdgeKind kind = dag().edge_kind(edge);
    if (!removed_[task.index()]) return wait_for({task, dag().lag(edge), kind}, dag().target(edge));
    if (point_[task.index()].valid())
      return wait_for({point_[task.index()], dag().lag(edge), kind}, dag().target(edge));
    for (const Wait& wait : waits_[task.index()])
      wait_for({wait.task, wait.lag + dag().lag(edge), kind}, dag().target(edge));
  }

  void wait_for(const Wait& wait, TaskId target) {
    if (removed_[target.index()]) {
      waits_[target.index()].push_back(wait);
    } else {
      edit_.builder().add_edge(wait.task, target, wait.kind, wait.lag);
    }
  }

  const Capture& capture_;
  CaptureEdit edit_;
  SideLanes lanes_;
  std::vector<std::int32_t> begun_;
  std::vector<bool> removed_;
  std::vector<std::vector<Wait>> waits_;  ///< dependencies of removed tasks
  std::vector<TaskId> point_;             ///< the point that replaces a task; invalid if there is none
};

}  // namespace

LaneId SideLanes::beside(LaneId lane) {
  const Lane& like = builder_.lane(lane);
  if (like.order == LaneOrder::kEdges && !like.is_link()) return lane;
  const auto [made, added] = made_.try_emplace(lane);
  if (added) {
    Lane beside = like;
    beside.order = LaneOrder::kEdges;
    beside.from = beside.to = EndpointId{};
    made->second = builder_.add_lane(std::move(beside));
  }
  return made->second;
}

std::vector<std::int32_t> steps_begun(const Capture& capture) {
  std::vector<std::int32_t> begun(capture.dag.task_count(), -1);
  for (std::size_t i = 0; i < capture.recording.steps.size(); ++i) {
    const TaskId first = capture.recording.steps[i].first;
    if (first.valid()) begun[first.index()] = static_cast<std::int32_t>(i);
  }
  return begun;
}

Capture without(const Capture& capture, const std::vector<TaskId>& tasks) { return Removal(capture, tasks).run(); }

Capture with_payloads(const Capture& capture, const std::function<bool(const Collective&)>& selected, double factor) {
  Capture result = capture;
  for (const RendezvousId rendezvous : capture.dag.all_rendezvous()) {
    const Collective& collective = capture.dag.collective(rendezvous);
    if (!selected(collective) || collective.bytes == Bytes{}) continue;
    result.dag.set_payload(rendezvous, scaled(collective.bytes, factor));
    for (const TaskId member : capture.dag.members(rendezvous)) {
      const Bytes bytes = capture.dag.bytes(member);
      if (bytes > Bytes{}) result.dag.set_bytes(member, scaled(bytes, factor));
    }
  }
  return result;
}

}  // namespace stepsim::scenarios
