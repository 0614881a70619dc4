#include "model/rewrite/task_copier.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/job/dag_builder.h"

namespace stepsim {
namespace {

/// Calls visit(entry) for each entry of the table whose task is one of `tasks`. Both are ordered by task, which
/// `task_of` returns for an entry.
template <class Table, class TaskOf, class Visit>
void for_entries_of(std::span<const TaskId> tasks, const Table& table, TaskOf task_of, Visit visit) {
  const auto before = [&](const auto& entry, TaskId task) { return task_of(entry) < task; };
  auto entry = table.begin();
  for (const TaskId task : tasks) {
    entry = std::lower_bound(entry, table.end(), task, before);
    for (; entry != table.end() && task_of(*entry) == task; ++entry) visit(*entry);
  }
}

}  // namespace

bool is_of_device(const Lane& lane) noexcept {
  return lane.kind == LaneKind::kStream || lane.kind == LaneKind::kCopyEngine;
}

TaskId TaskCopies::find(TaskId task) const noexcept {
  const auto found = std::lower_bound(tasks_.begin(), tasks_.end(), task);
  if (found == tasks_.end() || *found != task) return {};
  return TaskId{first_.index() + static_cast<std::size_t>(found - tasks_.begin())};
}

TaskId TaskCopies::at(TaskId task) const {
  const TaskId copy = find(task);
  STEPSIM_ASSERT(copy.valid(), "the task was copied");
  return copy;
}

TaskCopier::TaskCopier(const Capture& capture, CaptureEdit& edit)
    : capture_(capture), edit_(edit), hosts_(hosts_of_ranks(capture.dag)), copy_of_(capture.dag.task_count()) {
  for (std::size_t i = 0; i < capture.gradients.size(); ++i)
    gradient_places_.emplace_back(capture.gradients[i].ready, i);
  std::sort(gradient_places_.begin(), gradient_places_.end());
}

TaskCopies TaskCopier::copy(std::span<const TaskId> tasks, const CopyTarget& target) {
  const TaskCopies copies(tasks, TaskId{edit_.builder_.task_count()});
  copy_tasks(tasks, target);
  copy_edges(tasks, target);
  ++copies_;
  copy_tables(tasks);
  if (target.with_gradients) copy_gradients(tasks);
  for (const TaskId task : tasks) copy_of_[task.index()] = {};
  return copies;
}

void TaskCopier::copy_tasks(std::span<const TaskId> tasks, const CopyTarget& target) {
  const Dag& dag = capture_.dag;
  const Recording& recorded = capture_.recording;
  Recording& recording = edit_.capture_.recording;
  for (const TaskId task : tasks) {
    TaskSpec spec = edit_.builder_.task(task);
    spec.lane = lane_of(spec.lane, target);
    if (!recorded.start.empty()) spec.hint = recorded.start[task.index()];
    spec.hint += target.later;
    spec.duration = spec.duration / target.parts;
    std::int32_t step = target.step;
    if (target.step_of && !recorded.step.empty())
      step = target.step_of(dag.lane(task).rank, recorded.step[task.index()]);
    copy_of_[task.index()] = edit_.add_task(spec, step);
    if (!recording.finish.empty() && target.parts == 1)
      recording.finish.back() = recorded.finish[task.index()] + target.later;
    if (!recording.events.empty()) recording.events.back() = recording.events[task.index()];
    if (!recording.origin.empty()) recording.origin.back() = recording.origin[task.index()];
  }
}

void TaskCopier::copy_edges(std::span<const TaskId> tasks, const CopyTarget& target) {
  const Dag& dag = capture_.dag;
  DagBuilder& builder = edit_.builder_;
  std::map<RendezvousId, RendezvousId> copied;
  for (const TaskId task : tasks) {
    for (const EdgeId edge : dag.edges_from(task)) {
      const TaskId to = copy_of(dag.target(edge));
      if (to.valid()) builder.add_edge(copy_of(task), to, dag.edge_kind(edge), dag.lag(edge));
    }
    const TaskId taker = dag.returns_credit_of(task);
    if (taker.valid() && copy_of(taker).valid()) builder.return_credit(copy_of(task), copy_of(taker));
    const RendezvousId captured = dag.rendezvous(task);
    if (!captured.valid()) continue;
    const auto [known, is_first] = copied.try_emplace(captured);
    if (is_first) {
      known->second =
          target.rendezvous ? target.rendezvous(captured) : builder.add_rendezvous(dag.collective(captured));
    }
    builder.join(known->second, copy_of(task));
  }
}

void TaskCopier::copy_tables(std::span<const TaskId> tasks) {
  Capture& edited = edit_.capture_;
  const auto task_of = [](const auto& entry) { return entry.task; };
  const auto copy_table = [&](const auto& table, auto& into) {
    for_entries_of(tasks, table, task_of, [&](auto entry) {
      entry.task = copy_of(entry.task);
      into.push_back(entry);
    });
  };
  const std::size_t captured = edited.operators.uses.size();
  copy_table(capture_.operators.uses, edited.operators.uses);
  const std::uint32_t later = capture_.operators.occurrences * copies_;
  for (std::size_t i = captured; i < edited.operators.uses.size(); ++i) edited.operators.uses[i].occurrence += later;
  edited.operators.occurrences = std::max(edited.operators.occurrences, capture_.operators.occurrences + later);
  copy_table(capture_.launches.uses, edited.launches.uses);
  copy_table(capture_.annotations.uses, edited.annotations.uses);

  const Recording& recorded = capture_.recording;
  Recording& recording = edited.recording;
  copy_table(recorded.unexplained, recording.unexplained);
  copy_table(recorded.pauses, recording.pauses);
  const auto itself = [](TaskId task) { return task; };
  for_entries_of(tasks, recorded.silences, itself, [&](TaskId task) { recording.silences.push_back(copy_of(task)); });
  const auto after = [](const Recording::InferredEdge& edge) { return edge.after; };
  for_entries_of(tasks, recorded.inferred, after, [&](const Recording::InferredEdge& edge) {
    if (const TaskId before = copy_of(edge.before); before.valid())
      recording.inferred.push_back({copy_of(edge.after), before});
  });
}

void TaskCopier::copy_gradients(std::span<const TaskId> tasks) {
  std::vector<std::size_t> places;
  for_entries_of(
      tasks, gradient_places_, [](const auto& one) { return one.first; },
      [&](const auto& one) { places.push_back(one.second); });
  std::sort(places.begin(), places.end());  // in the order of their computation
  for (const std::size_t place : places) {
    const Gradient& gradient = capture_.gradients[place];
    edit_.capture_.gradients.push_back({copy_of(gradient.ready), gradient.bytes});
  }
}

LaneId TaskCopier::lane_of(LaneId captured, const CopyTarget& target) {
  const Lane& like = capture_.dag.lane(captured);
  if (target.thread.valid() && !is_of_device(like)) return target.thread;
  if (!target.rank) return captured;
  std::vector<LaneId>& lanes = lanes_[*target.rank];
  lanes.resize(capture_.dag.lanes().size());
  LaneId& lane = lanes[captured.index()];
  if (lane.valid()) return lane;
  Lane made = like;
  made.rank = *target.rank;
  copy_device(like.rank, made.rank);
  if (const auto host = hosts_.find(made.rank); host != hosts_.end()) made.host = host->second;
  return lane = edit_.builder_.add_lane(std::move(made));
}

void TaskCopier::copy_device(Rank from, Rank to) {
  const auto copy_entry = [&](auto& of_rank) {
    if (const auto known = of_rank.find(from); known != of_rank.end()) of_rank.try_emplace(to, known->second);
  };
  copy_entry(edit_.capture_.devices);
  copy_entry(edit_.capture_.device_memory);
}

}  // namespace stepsim
