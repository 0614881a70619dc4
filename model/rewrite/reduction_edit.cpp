#include "model/rewrite/reduction_edit.h"

#include <algorithm>

namespace stepsim {

ReductionEdit::ReductionEdit(const Capture& capture, const DeviceLaunches& launches)
    : dag_(capture.dag),
      recording_(capture.recording),
      launches_(launches),
      edit_(capture),
      next_(capture.dag.task_count()),
      previous_(capture.dag.task_count()),
      launches_work_(capture.dag.task_count(), false) {
  edit_.reserve(0, 0);  // few tasks are added, for which columns would double
  for (const auto& [thread, list] : launches_) {
    for (const DeviceLaunch& launch : list) launches_work_[launch.call.index()] = true;
  }
  for (const TaskId task : dag_.tasks()) link(task);
}

/// Stores the next and the previous task of each task on its thread, and for each collective the lag of the edge by
/// which it waits for work on other streams.
void ReductionEdit::link(TaskId task) {
  for (const EdgeId edge : dag_.edges_from(task)) {
    const TaskId target = dag_.target(edge);
    if (dag_.edge_kind(edge) == EdgeKind::kSync && dag_.kind(target) == TaskKind::kCollective)
      sync_lag_[target] = dag_.lag(edge);
    if (dag_.edge_kind(edge) != EdgeKind::kProgram || dag_.lane_id(target) != dag_.lane_id(task)) continue;
    next_[task.index()] = target;
    previous_[target.index()] = task;
  }
}

/// True if a task is part of the library's call that launches a collective: a range of the library, or a runtime call
/// that launches nothing.
bool ReductionEdit::is_of_call(TaskId task) const {
  if (launches_work_[task.index()]) return false;
  const std::string_view name = dag_.name(task);
  return dag_.kind(task) == TaskKind::kRuntime || name.starts_with("c10d::") || name.starts_with("nccl:") ||
         name == "record_param_comms";
}

bool ReductionEdit::launches_collective(TaskId call) const {
  const auto edges = dag_.edges_from(call);
  return std::any_of(edges.begin(), edges.end(), [this](EdgeId edge) {
    return dag_.edge_kind(edge) == EdgeKind::kLaunch && dag_.kind(dag_.target(edge)) == TaskKind::kCollective;
  });
}

ReductionEdit::Call ReductionEdit::call_of(TaskId launch) const {
  Call call{.before = {launch}, .after = {}};
  for (TaskId task = previous_[launch.index()]; task.valid() && is_of_call(task); task = previous_[task.index()])
    call.before.push_back(task);
  TaskId next = next_[launch.index()];
  for (; next.valid() && is_of_call(next); next = next_[next.index()]) call.after.push_back(next);
  if (next.valid() && launches_collective(next)) call.after.clear();  // they count as part of the next call
  return call;
}

CallTimes ReductionEdit::call_times(const DeviceLaunch& launch) const {
  const Call call = call_of(launch.call);
  CallTimes times;
  for (const TaskId task : call.before) times.before += dag_.duration(task);
  for (const TaskId task : call.after) times.after += dag_.duration(task);
  return times;
}

void ReductionEdit::drop_call(const DeviceLaunch& launch) {
  const Call call = call_of(launch.call);
  for (const auto* part : {&call.before, &call.after}) {
    for (const TaskId task : *part) edit_.builder().set_duration(task, Duration{});
  }
}

TaskId ReductionEdit::add_call(TaskId ready, const CallTimes& times, std::string_view name) {
  TaskSpec spec{.kind = TaskKind::kHost,
                .name = edit_.builder().intern(name),
                .lane = dag_.lane_id(ready),
                .duration = times.before,
                .bytes = {},
                .hint = recording_.finish[ready.index()]};
  const std::int32_t step = recording_.step[ready.index()];
  const TaskId launch = edit_.add_task(spec, step);
  spec.duration = times.after;
  const TaskId rest = edit_.add_task(spec, step);
  edit_.builder().add_edge(launch, rest, EdgeKind::kProgram);
  calls_after_[ready].emplace_back(launch, rest);
  return launch;
}

void ReductionEdit::forget_waits(std::set<TaskId> kernels) {
  moved_ = std::move(kernels);
  std::erase_if(edit_.builder().edges(), [this](const DagBuilder::Edge& edge) {
    const bool is_order = edge.kind == EdgeKind::kStream && dag_.lane_id(edge.from) == dag_.lane_id(edge.to);
    return moved_.contains(edge.to) || (is_order && moved_.contains(edge.from));
  });
}

void ReductionEdit::launch(TaskId kernel, LaneId thread, const DeviceLaunch& launch) {
  DagBuilder& builder = edit_.builder();
  builder.add_edge(launch.call, kernel, EdgeKind::kLaunch, launch.lag);
  const auto lag = sync_lag_.find(launch.work);
  const auto launches = launches_.find(thread);
  const TaskId work = launches == launches_.end()
                          ? TaskId{}
                          : last_work(dag_, launched_between(launches->second, Time::min(), launch.end));
  if (work.valid()) builder.add_edge(work, kernel, EdgeKind::kSync, lag == sync_lag_.end() ? Duration{} : lag->second);
  arriving_[builder.task(kernel).lane].push_back({launch.end, kernel, Change::kArrives});
}

void ReductionEdit::remove(TaskId kernel) {
  edit_.remove(kernel);
  removed_.insert(kernel);
}

Capture ReductionEdit::finish() && {
  order_threads();
  order_streams();
  return std::move(edit_).finish();
}

/// Inserts the added calls into the order of their threads.
void ReductionEdit::order_threads() {
  DagBuilder& builder = edit_.builder();
  for (DagBuilder::Edge& edge : builder.edges()) {
    const auto calls = calls_after_.find(edge.from);
    if (calls == calls_after_.end() || edge.kind != EdgeKind::kProgram) continue;
    if (edge.to.index() < dag_.task_count() && dag_.lane_id(edge.to) == dag_.lane_id(edge.from))
      edge.from = calls->second.back().second;
  }
  for (const auto& [ready, calls] : calls_after_) {
    TaskId last = ready;
    for (const auto& [launch, rest] : calls) {
      builder.add_edge(last, launch, EdgeKind::kProgram);
      last = rest;
    }
  }
}

void ReductionEdit::order_streams() {
  std::map<TaskId, Time> called;
  for (const auto& [thread, list] : launches_) {
    for (const DeviceLaunch& launch : list) called[launch.work] = launch.end;
  }
  std::map<LaneId, std::vector<Place>> places = arriving_;
  for (const TaskId task : dag_.tasks()) {
    const auto lane = places.find(dag_.lane_id(task));
    if (lane == places.end()) continue;
    const auto call = called.find(task);
    const Time at = call == called.end() ? recording_.start[task.index()] : call->second;
    lane->second.push_back({at, task, leaves(task) ? Change::kLeaves : Change::kStays});
  }
  for (auto& [lane, list] : places) order_stream(lane, std::move(list));
}

/// Orders the kernels of a stream by their places where some of them leave or arrive. `places` has those that arrive
/// first.
void ReductionEdit::order_stream(LaneId lane, std::vector<Place> places) {
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.at < b.at; });
  const Duration pause = pause_on(lane);
  TaskId last;
  bool is_changed = false;  // true if a kernel left or arrived since `last`
  for (const Place& place : places) {
    is_changed = is_changed || place.change != Change::kStays;
    if (place.change == Change::kLeaves) continue;
    if (is_changed && last.valid()) edit_.builder().add_edge(last, place.task, EdgeKind::kStream, pause);
    is_changed = place.change == Change::kArrives;
    last = place.task;
  }
}

/// Returns the shortest pause on a stream between a collective that leaves its place and the next work; 0 if no such
/// pause is known.
Duration ReductionEdit::pause_on(LaneId lane) const {
  Duration least = Duration::max();
  for (const auto* gone : {&moved_, &removed_}) {
    for (const TaskId work : *gone) {
      if (dag_.lane_id(work) != lane) continue;
      for (const EdgeId edge : dag_.edges_from(work)) {
        if (dag_.edge_kind(edge) == EdgeKind::kStream) least = std::min(least, dag_.lag(edge));
      }
    }
  }
  return least == Duration::max() ? Duration{} : least;
}

}  // namespace stepsim
