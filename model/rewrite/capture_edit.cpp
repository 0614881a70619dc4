#include "model/rewrite/capture_edit.h"

#include <algorithm>
#include <set>
#include <utility>

#include "model/job/task_tables.h"

namespace stepsim {
namespace {

TaskSpec spec_of(const Dag& dag, TaskId task, DagBuilder& builder, Time hint) {
  return {
      dag.kind(task),    builder.intern(dag.name(task)), dag.lane_id(task), dag.duration(task), dag.bytes(task), hint,
      dag.priority(task)};
}

/// Returns the room for a number of tasks or edges and some more: most edits add few.
std::size_t with_room(std::size_t count) { return count + count / 16 + 64; }

/// Returns a builder with the tasks, edges and rendezvous of `dag`, with the same ids.
DagBuilder builder_of(const Dag& dag, const std::vector<Time>& hints) {
  DagBuilder builder;
  builder.reserve(with_room(dag.task_count()), with_room(dag.edge_count()));
  for (const Lane& lane : dag.lanes()) (void)builder.add_lane(lane);
  for (const TaskId task : dag.tasks()) {
    (void)builder.add_task(spec_of(dag, task, builder, hints.empty() ? Time{} : hints[task.index()]));
  }
  for (const TaskId from : dag.tasks()) {
    for (const EdgeId edge : dag.edges_from(from)) {
      builder.add_edge(from, dag.target(edge), dag.edge_kind(edge), dag.lag(edge));
    }
    if (dag.returns_credit_of(from).valid()) builder.return_credit(from, dag.returns_credit_of(from));
  }
  builder.groups() = dag.groups();
  for (const RendezvousId id : dag.all_rendezvous()) {
    const RendezvousId rendezvous = builder.add_rendezvous(dag.collective(id));
    for (const TaskId member : dag.members(id)) builder.join(rendezvous, member);
  }
  return builder;
}

Capture without_dag(Capture capture) {
  capture.dag = {};
  return capture;
}

/// Reorders a column by the new task ids; values of tasks without a new id are dropped.
template <class T>
std::vector<T> reordered(const std::vector<T>& old, const std::vector<TaskId>& new_id, std::size_t count) {
  std::vector<T> out(old.empty() ? 0 : count);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (new_id[i].valid()) out[new_id[i].index()] = old[i];
  }
  return out;
}

}  // namespace

Capture without_tasks(const Capture& capture) {
  Capture result;
  result.diagnostics = capture.diagnostics;
  result.events = capture.events;
  result.skipped = capture.skipped;
  result.inputs = capture.inputs;
  result.contents = capture.contents;
  result.assumptions = capture.assumptions;
  result.job = capture.job;
  result.cluster = capture.cluster;
  result.parameter_server = capture.parameter_server;
  return result;
}

CaptureEdit::CaptureEdit(const Capture& capture)
    : capture_(without_dag(capture)),
      builder_(builder_of(capture.dag, capture.recording.start)),
      removed_(capture.dag.task_count(), false),
      captured_tasks_(capture.dag.task_count()),
      captured_steps_(capture.recording.steps.size()) {}

void CaptureEdit::reserve(std::size_t tasks, std::size_t edges) {
  const std::size_t all = with_room(builder_.task_count() + tasks);
  builder_.reserve(all, with_room(builder_.edges().size() + edges));
  removed_.reserve(all);
  Recording& recording = capture_.recording;
  const auto reserve_column = [all](auto& column) {
    if (!column.empty()) column.reserve(all);
  };
  reserve_column(recording.start);
  reserve_column(recording.finish);
  reserve_column(recording.step);
  reserve_column(recording.events);
  reserve_column(recording.origin);
  reserve_column(capture_.task_ids);
}

TaskId CaptureEdit::add_task(const TaskSpec& task, std::int32_t step) {
  Recording& recording = capture_.recording;
  removed_.push_back(false);
  if (!recording.start.empty()) {
    recording.start.push_back(task.hint);
    recording.finish.push_back(task.hint + task.duration);
    recording.step.push_back(step);
  }
  if (!recording.events.empty()) recording.events.push_back(0);
  if (!recording.origin.empty()) recording.origin.emplace_back();
  if (!capture_.task_ids.empty()) capture_.task_ids.push_back(-1);
  return builder_.add_task(task);
}

std::int32_t CaptureEdit::add_step(const RecordedStep& step) {
  Recording& recording = capture_.recording;
  if (!std::binary_search(recording.ranks.begin(), recording.ranks.end(), step.rank)) {
    recording.ranks.insert(std::upper_bound(recording.ranks.begin(), recording.ranks.end(), step.rank), step.rank);
  }
  recording.steps.push_back(step);
  return static_cast<std::int32_t>(recording.steps.size()) - 1;
}

void CaptureEdit::remove_captured() {
  std::fill_n(removed_.begin(), captured_tasks_, true);
  dropped_steps_ = captured_steps_;
}

/// Drops steps whose first task was removed, renumbers the others, and drops ranks without steps.
void CaptureEdit::drop_steps() {
  Recording& recording = capture_.recording;
  std::vector<std::int32_t> place(recording.steps.size(), -1);
  std::vector<RecordedStep> kept;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const RecordedStep& step = recording.steps[i];
    if (i < dropped_steps_ || (step.first.valid() && removed_[step.first.index()])) continue;
    place[i] = static_cast<std::int32_t>(kept.size());
    kept.push_back(step);
  }
  if (kept.size() == place.size()) return;
  recording.steps = std::move(kept);
  for (std::int32_t& step : recording.step) step = step < 0 ? -1 : place[static_cast<std::size_t>(step)];
  std::set<Rank> left;
  for (const RecordedStep& step : recording.steps) left.insert(step.rank);
  std::erase_if(recording.ranks, [&](Rank rank) { return !left.contains(rank); });
}

Capture CaptureEdit::finish() && {
  const std::vector<TaskId> kept = builder_.drop(removed_);
  DagBuilder::Result built = std::move(builder_).build();
  std::vector<TaskId> new_id(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) new_id[i] = kept[i].valid() ? built.new_id[kept[i].index()] : TaskId{};

  const std::size_t count = built.dag.task_count();
  Recording& recording = capture_.recording;
  recording.start = reordered(recording.start, new_id, count);
  recording.finish = reordered(recording.finish, new_id, count);
  recording.step = reordered(recording.step, new_id, count);
  recording.events = reordered(recording.events, new_id, count);
  recording.origin = reordered(recording.origin, new_id, count);
  capture_.task_ids = reordered(capture_.task_ids, new_id, count);
  drop_steps();
  for (RecordedStep& step : recording.steps) {
    if (step.first.valid()) step.first = new_id[step.first.index()];
  }
  for (auto& wait : recording.unexplained) wait.task = new_id[wait.task.index()];
  std::erase_if(recording.unexplained, [](const auto& wait) { return !wait.task.valid(); });
  std::sort(recording.unexplained.begin(), recording.unexplained.end(),
            [](const auto& a, const auto& b) { return a.task < b.task; });
  for (TaskId& silence : recording.silences) silence = new_id[silence.index()];
  std::erase_if(recording.silences, [](TaskId task) { return !task.valid(); });
  std::sort(recording.silences.begin(), recording.silences.end());
  for (Recording::InferredEdge& edge : recording.inferred)
    edge = {new_id[edge.after.index()], new_id[edge.before.index()]};
  std::erase_if(recording.inferred,
                [](const Recording::InferredEdge& edge) { return !edge.after.valid() || !edge.before.valid(); });
  std::sort(recording.inferred.begin(), recording.inferred.end());
  for (Gradient& gradient : capture_.gradients) gradient.ready = new_id[gradient.ready.index()];
  std::erase_if(capture_.gradients, [](const Gradient& gradient) { return !gradient.ready.valid(); });
  renumber(recording.pauses, new_id);
  renumber(capture_.operators.uses, new_id);
  renumber(capture_.launches.uses, new_id);
  renumber(capture_.annotations.uses, new_id);
  capture_.dag = std::move(built.dag);
  return std::move(capture_);
}

Capture with_origins(Capture capture) {
  capture.recording.origin = {capture.dag.tasks().begin(), capture.dag.tasks().end()};
  return capture;
}

Capture without_unexplained_waits(const Capture& capture) {
  const Recording& recording = capture.recording;
  std::vector<Duration> waits(capture.dag.task_count());
  for (const Recording::UnexplainedWait& wait : recording.unexplained) waits[wait.task.index()] += wait.wait;
  CaptureEdit edit(capture);
  // The wait is part of the lag of the edge that released the task.
  std::vector<DagBuilder::Edge*> released_by(waits.size());
  const auto releases_at = [&](const DagBuilder::Edge& edge) { return recording.finish[edge.from.index()] + edge.lag; };
  for (DagBuilder::Edge& edge : edit.builder().edges()) {
    DagBuilder::Edge*& last = released_by[edge.to.index()];
    if (waits[edge.to.index()] > Duration{} && (last == nullptr || releases_at(edge) > releases_at(*last)))
      last = &edge;
  }
  for (std::size_t task = 0; task < waits.size(); ++task) {
    if (released_by[task] == nullptr) continue;
    Duration& lag = released_by[task]->lag;
    lag = std::max(lag - waits[task], Duration{});
  }
  Capture result = std::move(edit).finish();
  result.recording.unexplained.clear();
  return result;
}

}  // namespace stepsim
