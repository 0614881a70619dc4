#include "sim/analysis/critical_path.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>

#include "model/job/task_names.h"
#include "sim/analysis/activity.h"

namespace stepsim::sim {
namespace {

/// Follows the path back in time from `within.end` to `within.begin` and calls `visit` with each task on it. `last` is
/// the task that runs or begins at `within.end`. PathTask::queueing is not set yet.
template <class Visit>
void walk_back(const Dag& dag, const Timeline& timeline, TaskId last, Interval within, Visit visit) {
  const Time begin = within.begin;
  TaskId current = last;
  // A message may release its successors before it arrives. It then counts as part of the path only until that release.
  Time finished = within.end;
  while (true) {
    const TaskId arrived = last_arrival_of(dag, timeline, current);
    const Time started = std::min(timeline.start[arrived.index()], finished);
    const Release release = timeline.released_by[arrived.index()];
    PathTask task;
    task.task = current;
    task.start = std::max(started, begin);
    task.duration = finished - task.start;
    task.release = release;
    if (arrived != current) task.last_arrival = arrived;
    if (started <= begin) return visit(task);
    if (release.by() == Release::By::kNothing) {
      task.wait = started - begin;
      return visit(task);
    }
    const Time before = std::max(std::min(timeline.finish[release.task().index()], started), begin);
    task.wait = started - before;
    visit(task);
    if (before == begin) return;
    current = release.task();
    finished = before;
  }
}

/// Returns the path to `last`; PathTask::queueing is not set yet. The path is walked twice, first only to count its
/// tasks: it may contain all tasks of a long chain, and growing a vector would need twice the memory.
std::vector<PathTask> path_to(const Dag& dag, const Timeline& timeline, TaskId last, Interval within) {
  std::size_t length = 0;
  walk_back(dag, timeline, last, within, [&](const PathTask&) { ++length; });
  std::vector<PathTask> path(length);
  auto next = path.rbegin();
  walk_back(dag, timeline, last, within, [&](const PathTask& task) { *next++ = task; });
  return path;
}

/// Computes when queued tasks became ready. A timeline contains only their start times, so their incoming edges are
/// evaluated again.
class ReadyTimes {
 public:
  ReadyTimes(const Dag& dag, const Machine& machine, const Timeline& timeline, std::vector<TaskId> tasks)
      : tasks_(std::move(tasks)) {
    std::sort(tasks_.begin(), tasks_.end());
    std::vector<bool> wanted(tasks_.empty() ? 0 : dag.task_count());
    for (const TaskId task : tasks_) {
      wanted[task.index()] = true;
      ready_.push_back(dag.in_degrees()[task.index()] == 0 ? machine.origin(task) : Time::min());
    }
    if (tasks_.empty()) return;
    for (const TaskId task : dag.tasks()) look_at_edges_of(task, dag, timeline, wanted);
  }

  /// Returns when a task became ready. Precondition: `task` was passed to the constructor.
  [[nodiscard]] Time of(TaskId task) const { return ready_[place(task)]; }

 private:
  void look_at_edges_of(TaskId task, const Dag& dag, const Timeline& timeline, const std::vector<bool>& wanted) {
    for (const EdgeId edge : dag.edges_from(task)) {
      const TaskId target = dag.target(edge);
      if (!wanted[target.index()]) continue;
      Time& ready = ready_[place(target)];
      ready = std::max(ready, timeline.finish[task.index()] + dag.lag(edge));
    }
  }

  [[nodiscard]] std::size_t place(TaskId task) const {
    return static_cast<std::size_t>(std::lower_bound(tasks_.begin(), tasks_.end(), task) - tasks_.begin());
  }

  std::vector<TaskId> tasks_;
  std::vector<Time> ready_;
};

void find_queueing(const Dag& dag, const Machine& machine, const Timeline& timeline, std::vector<PathTask>& path) {
  std::vector<TaskId> queued;
  for (const PathTask& task : path) {
    if (task.release.by() == Release::By::kLane) queued.push_back(released_task(task));
  }
  const ReadyTimes ready{dag, machine, timeline, std::move(queued)};
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i].release.by() != Release::By::kLane) continue;
    PathTask& in_front = path[i - 1];
    const Time since = std::max(ready.of(released_task(path[i])), in_front.start);
    in_front.queueing = std::max(Duration{}, in_front.start + in_front.duration - since);
  }
}

void add_up(const Dag& dag, CriticalPath& path) {
  const auto add = [&path](PathClass c, Duration duration) { path.classes[static_cast<std::size_t>(c)] += duration; };
  for (const PathTask& task : path.tasks) {
    add(PathClass::kWait, task.wait);
    add(PathClass::kQueueing, task.queueing);
    add(path_class_of(dag, task.task), task.duration - task.queueing);
  }
  path.length = std::accumulate(path.classes.begin(), path.classes.end(), Duration{});
}

void add_unexplained(const Recording& recording, CriticalPath& path) {
  for (const PathTask& task : path.tasks) {
    if (task.wait == Duration{}) continue;
    const TaskId late = released_task(task);
    auto found = std::lower_bound(recording.unexplained.begin(), recording.unexplained.end(), late,
                                  [](const auto& entry, TaskId id) { return entry.task < id; });
    Duration unexplained{};
    for (; found != recording.unexplained.end() && found->task == late; ++found) {
      unexplained = saturated_sum(unexplained, found->wait);
    }
    path.unexplained += std::min(unexplained, task.wait);
  }
}

void add_pauses(const Capture& capture, const Timeline& timeline, CriticalPath& path) {
  const std::vector<Recording::Pause>& pauses = capture.recording.pauses;
  for (const PathTask& task : path.tasks) {
    const auto found = std::lower_bound(pauses.begin(), pauses.end(), task.task,
                                        [](const Recording::Pause& pause, TaskId id) { return pause.task < id; });
    if (found == pauses.end() || found->task != task.task) continue;
    // A changed task may pause for less time than it was recorded to.
    const Duration captured = capture.dag.duration(task.task);
    const Duration replayed = timeline.finish[task.task.index()] - timeline.start[task.task.index()];
    const Duration left = found->excess - std::max(Duration{}, captured - replayed);
    path.paused += std::clamp(left, Duration{}, task.duration - task.queueing);
  }
}

/// Sets three fields of `path`: `silent` (the time in which no event shows what the host does), `hand_overs` (the
/// number of dependencies between tasks of different lanes) and `inferred` (how many of these dependencies were
/// inferred).
void add_inferred_shares(const Dag& dag, const Recording& recording, CriticalPath& path) {
  for (const PathTask& task : path.tasks) {
    if (std::binary_search(recording.silences.begin(), recording.silences.end(), task.task))
      path.silent += task.duration - task.queueing;
    const TaskId released = released_task(task);
    if (task.release.by() != Release::By::kEdge) continue;
    const TaskId before = task.release.task();
    if (dag.lane_id(before) == dag.lane_id(released)) continue;
    ++path.hand_overs;
    const Recording::InferredEdge edge{released, before};
    if (std::binary_search(recording.inferred.begin(), recording.inferred.end(), edge)) ++path.inferred;
  }
}

CriticalPath path_within(const Dag& dag, const Machine& machine, const Timeline& timeline, TaskId last,
                         Interval within) {
  CriticalPath path;
  path.begin = within.begin;
  path.tasks = path_to(dag, timeline, last, within);
  find_queueing(dag, machine, timeline, path.tasks);
  // If the path ends when its last task starts, that task takes no time: it only marks what was waited for. Remove it.
  const PathTask& end = path.tasks.back();
  if (path.tasks.size() > 1 && end.duration == Duration{} && end.wait == Duration{} &&
      within.end != timeline.finish[last.index()])
    path.tasks.pop_back();
  add_up(dag, path);
  return path;
}

/// Returns the part of the path to `last` that lies in `within`, including the fields of CriticalPath that need
/// recorded times. Precondition: `timeline` is a replay on Machine::as_recorded(capture), with any durations and
/// network.
CriticalPath path_in_capture(const Capture& capture, const Timeline& timeline, TaskId last, Interval within) {
  CriticalPath path = path_within(capture.dag, Machine::as_recorded(capture), timeline, last, within);
  add_unexplained(capture.recording, path);
  add_pauses(capture, timeline, path);
  add_inferred_shares(capture.dag, capture.recording, path);
  return path;
}

/// Returns the whole steps of `rank`, the shortest first.
std::vector<StepReport> steps_of(const Summary& summary, Rank rank) {
  std::vector<StepReport> steps;
  std::copy_if(summary.steps.begin(), summary.steps.end(), std::back_inserter(steps),
               [rank](const StepReport& step) { return step.rank == rank; });
  std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.replayed < b.replayed; });
  return steps;
}

}  // namespace

PathClass path_class_of(const Dag& dag, TaskId task) {
  const TaskKind kind = dag.kind(task);
  if (kind == TaskKind::kCopy) {
    const std::string_view name = dag.name(task);
    const bool between_devices =
        name.find("PtoP") != std::string_view::npos || name.find("P2P") != std::string_view::npos;
    const bool of_device = dag.lane(task).kind == LaneKind::kStream || copy_direction(name) != CopyDirection::kNone;
    if (of_device) return between_devices ? PathClass::kCommunication : PathClass::kCopy;
  }
  switch (class_of(kind)) {
    case TaskClass::kCompute: return PathClass::kCompute;
    case TaskClass::kCommunication: return PathClass::kCommunication;
    case TaskClass::kLoader: return PathClass::kLoader;
    case TaskClass::kHost: break;
  }
  return PathClass::kHost;
}

TaskId released_task(const PathTask& task) noexcept {
  return task.last_arrival.valid() ? task.last_arrival : task.task;
}

std::string_view to_text(PathClass path_class) noexcept {
  switch (path_class) {
    case PathClass::kCompute: return "compute";
    case PathClass::kCommunication: return "communication";
    case PathClass::kCopy: return "copy";
    case PathClass::kHost: return "host";
    case PathClass::kQueueing: return "queueing";
    case PathClass::kLoader: return "loader";
    case PathClass::kWait: break;
  }
  return "wait";
}

CriticalPath critical_path(const Dag& dag, const Machine& machine, const Timeline& timeline, TaskId last, Time begin) {
  return path_within(dag, machine, timeline, last, {begin, timeline.finish[last.index()]});
}

CriticalPath critical_path(const Capture& capture, const Timeline& timeline) {
  if (timeline.size() == 0) return {};
  const auto last = std::max_element(timeline.finish.begin(), timeline.finish.end());
  return path_in_capture(capture, timeline, TaskId{static_cast<std::size_t>(last - timeline.finish.begin())},
                         {Time{}, *last});
}

CriticalPath critical_path_of_step(const Capture& capture, const Timeline& timeline, const TimedStep& step) {
  return path_in_capture(capture, timeline, step.last, {step.begin, step.begin + step.time.replayed});
}

IterationPath iteration_path(const Capture& capture, const Timeline& timeline, const Summary& summary,
                             const std::optional<IterationPath::Step>& like) {
  const std::vector<StepReport> steps = steps_of(summary, slowest_rank(summary).rank);
  if (steps.empty()) return {critical_path(capture, timeline), std::nullopt};
  const auto from_typical = [&summary](const StepReport& step) {
    return std::abs((step.replayed - summary.iteration.replayed).count());
  };
  auto chosen = std::find_if(steps.begin(), steps.end(), [&like](const StepReport& step) {
    return like && like->rank == step.rank && like->number == step.step;
  });
  if (chosen == steps.end()) {
    chosen = std::min_element(steps.begin(), steps.end(), [&from_typical](const StepReport& a, const StepReport& b) {
      return from_typical(a) < from_typical(b);
    });
  }
  return {critical_path_of_step(capture, timeline, chosen->timed),
          IterationPath::Step{chosen->rank, chosen->step, chosen->timed}};
}

std::optional<std::int64_t> step_of_path(const Recording& recording, const CriticalPath& path) {
  std::map<std::int64_t, Duration> time;
  for (const PathTask& task : path.tasks) {
    const std::int32_t step = recording.step.empty() ? -1 : recording.step[task.task.index()];
    if (step >= 0) time[recording.steps[static_cast<std::size_t>(step)].number] += task.duration;
  }
  const auto most =
      std::max_element(time.begin(), time.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == time.end() ? std::nullopt : std::optional{most->first};
}

}  // namespace stepsim::sim
