#include "scenarios/change/graph_edits.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "scenarios/change/plan.h"

namespace stepsim::scenarios {
namespace {

/// Longer lists of predecessors are not handed on: the task stays as a point.
constexpr std::size_t kMostHandedOn = 64;

struct Before {
  TaskId task;
  Duration lag{};
  EdgeKind kind = EdgeKind::kProgram;
};

/// Takes tasks out one after the other, each after those that it waits for.
class Removal {
 public:
  Removal(const Capture& capture, const std::vector<TaskId>& tasks)
      : capture_(capture),
        edit_(capture),
        lanes_(edit_.builder()),
        begun_(steps_begun(capture)),
        taken_(capture.dag.task_count(), false),
        before_(capture.dag.task_count()),
        point_(capture.dag.task_count()) {
    for (const TaskId task : tasks) taken_[task.index()] = true;
  }

  Capture run() && {
    edit_.builder().edges().clear();
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const TaskId task{i};
      if (taken_[i]) take(task);
      for (EdgeId edge = dag().first_edge(task); edge < dag().first_edge(TaskId{i + 1});
           edge = EdgeId{edge.index() + 1})
        join_through(task, edge);
    }
    return std::move(edit_).finish();
  }

 private:
  [[nodiscard]] const Dag& dag() const { return capture_.dag; }

  /// Decides what becomes of a task whose predecessors are known.
  void take(TaskId task) {
    const std::size_t before = before_[task.index()].size();
    const bool multiplies = (before > 1 && dag().successors(task).size() > 1) || before > kMostHandedOn;
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
    for (const Before& before : before_[task.index()]) builder.add_edge(before.task, point, before.kind, before.lag);
    if (begun_[task.index()] >= 0) edit_.step(static_cast<std::size_t>(begun_[task.index()])).first = point;
    if (dag().returns_credit_of(task).valid()) builder.return_credit(point, dag().returns_credit_of(task));
    point_[task.index()] = point;
  }

  /// Gives the target of an edge out of `task` what it is to wait for.
  void join_through(TaskId task, EdgeId edge) {
    const EdgeKind kind = dag().edge_kind(edge);
    if (!taken_[task.index()]) return wait_for({task, dag().lag(edge), kind}, dag().target(edge));
    if (point_[task.index()].valid())
      return wait_for({point_[task.index()], dag().lag(edge), kind}, dag().target(edge));
    for (const Before& before : before_[task.index()])
      wait_for({before.task, before.lag + dag().lag(edge), kind}, dag().target(edge));
  }

  void wait_for(const Before& before, TaskId target) {
    if (taken_[target.index()]) {
      before_[target.index()].push_back(before);
    } else {
      edit_.builder().add_edge(before.task, target, before.kind, before.lag);
    }
  }

  const Capture& capture_;
  CaptureEdit edit_;
  SideLanes lanes_;
  std::vector<std::int32_t> begun_;
  std::vector<bool> taken_;
  std::vector<std::vector<Before>> before_;  ///< of those taken out
  std::vector<TaskId> point_;                ///< what stays of a task; invalid if nothing does
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

Capture with_payloads(const Capture& capture, const std::function<bool(const Collective&)>& meant, double factor) {
  const auto scale = [factor](Bytes& bytes) {
    if (bytes == Bytes{}) return;
    bytes = Bytes{std::max(std::int64_t{1}, scaled(Duration{bytes.count()}, factor).count())};
  };
  CaptureEdit edit(capture);
  for (std::size_t i = 0; i < capture.dag.rendezvous_count(); ++i) {
    Collective& collective = edit.builder().collective(RendezvousId{i});
    if (!meant(collective) || collective.bytes == Bytes{}) continue;
    scale(collective.bytes);
    for (const TaskId member : capture.dag.members(RendezvousId{i})) scale(edit.builder().task(member).bytes);
  }
  return std::move(edit).finish();
}

}  // namespace stepsim::scenarios
