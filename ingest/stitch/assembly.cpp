#include "ingest/stitch/assembly.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/base/known_diagnostics.h"
#include "model/base/side_by_side.h"
#include "model/job/task_tables.h"

namespace stepsim::ingest {
namespace {

/// The edge that, according to the recording, was the last to let a task start.
struct Binding {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  Time ready = Time::min();    ///< when it let the task start
  std::uint32_t edge = kNone;  ///< index into the builder's edges
};

std::string_view kind_of_wait(const DagBuilder& builder, const TaskSpec& task, EdgeKind edge) {
  if (edge == EdgeKind::kCrossRank || edge == EdgeKind::kStage || task.kind == TaskKind::kTransfer)
    return "communication";
  const LaneKind lane = builder.lane(task.lane).kind;
  return lane == LaneKind::kStream || lane == LaneKind::kCopyEngine ? "device" : "host thread";
}

/// Returns the first thread of the lane's rank; the lane itself if the rank has none.
LaneId lane_for_begin(const DagBuilder& builder, LaneId lane) {
  for (std::size_t i = 0; i < builder.lane_count(); ++i) {
    const Lane& other = builder.lane(LaneId{i});
    if (other.rank == builder.lane(lane).rank && other.kind == LaneKind::kThread) return LaneId{i};
  }
  return lane;
}

/// Gives every task without predecessors an edge from its rank's first task. Where the first task still runs when such
/// a task starts, the edges come from a task of no length that is added where the rank begins.
void anchor_sources(Assembly& assembly, std::map<Rank, TaskId>& first) {
  std::vector<bool> has_predecessor(assembly.start.size(), false);
  for (const DagBuilder::Edge& edge : assembly.builder.edges()) has_predecessor[edge.to.index()] = true;
  const auto anchor_of = [&](TaskId task) -> TaskId& {
    return first.at(assembly.builder.lane(assembly.builder.task(task).lane).rank);
  };
  std::vector<TaskId> sources;
  for (std::size_t i = 0; i < has_predecessor.size(); ++i) {
    if (!has_predecessor[i]) sources.emplace_back(i);
  }
  for (const TaskId source : sources) {
    TaskId& anchor = anchor_of(source);
    const Time begin = assembly.start[anchor.index()];
    if (source == anchor || assembly.start[source.index()] >= assembly.finish[anchor.index()]) continue;
    anchor = assembly.add_task(TaskKind::kHost, assembly.builder.intern("(begin of the recording)"),
                               lane_for_begin(assembly.builder, assembly.builder.task(anchor).lane), begin, begin, -1);
  }
  for (const TaskId source : sources) {
    if (source != anchor_of(source)) assembly.add_edge(anchor_of(source), source, EdgeKind::kHandOff);
  }
}

std::vector<Binding> binding_edges(Assembly& assembly) {
  std::vector<Binding> binding(assembly.start.size());
  const auto& edges = assembly.builder.edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Time ready = assembly.finish[edges[i].from.index()] + edges[i].lag;
    Binding& best = binding[edges[i].to.index()];
    if (best.edge == Binding::kNone || ready > best.ready) best = {ready, static_cast<std::uint32_t>(i)};
  }
  return binding;
}

std::vector<Recording::UnexplainedWait> lags_from_recording(Assembly& assembly) {
  std::vector<Recording::UnexplainedWait> unexplained;
  const std::vector<Binding> binding = binding_edges(assembly);
  std::vector<Duration> held(assembly.waits_within.empty() ? 0 : binding.size());
  for (const auto& [task, wait] : assembly.waits_within) held[task.index()] = wait;
  std::uint64_t contradicted = 0;
  for (std::size_t i = 0; i < binding.size(); ++i) {
    if (binding[i].edge == Binding::kNone) continue;
    const Duration slack = assembly.start[i] - binding[i].ready;
    if (slack < -kClockGrain) ++contradicted;
    const Duration wait = std::max(slack, Duration{}) + (held.empty() ? Duration{} : held[i]);
    if (wait <= Duration{}) continue;
    const TaskSpec& task = assembly.builder.task(TaskId{i});
    if (wait > slack) assembly.builder.set_duration(TaskId{i}, task.duration - held[i]);
    DagBuilder::Edge& edge = assembly.builder.edges()[binding[i].edge];
    edge.lag += wait;
    unexplained.push_back({TaskId{i}, wait, kind_of_wait(assembly.builder, task, edge.kind)});
  }
  if (contradicted > 0) {
    assembly.diagnostics.count(diagnostic("edge_contradicted"), {}, {}, contradicted);
  }
  return unexplained;
}

template <class T>
std::vector<T> renumbered(const std::vector<T>& old, const std::vector<TaskId>& new_id) {
  std::vector<T> out(old.size());
  for (std::size_t i = 0; i < old.size(); ++i) out[new_id[i].index()] = old[i];
  return out;
}

/// Sorts steps by rank, then number, and updates the tasks' step indices.
void sort_steps(Assembly& assembly) {
  std::vector<std::size_t> order(assembly.steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto& steps = assembly.steps;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair{steps[a].rank, steps[a].number} < std::pair{steps[b].rank, steps[b].number};
  });
  std::vector<RecordedStep> sorted;
  std::vector<std::int32_t> place(order.size());
  for (const std::size_t old : order) {
    place[old] = static_cast<std::int32_t>(sorted.size());
    sorted.push_back(steps[old]);
  }
  assembly.steps = std::move(sorted);
  for (std::int32_t& index : assembly.step) {
    if (index >= 0) index = place[static_cast<std::size_t>(index)];
  }
}

std::string no_such_steps(const Assembly& assembly, std::int64_t first, std::int64_t last) {
  if (assembly.steps.empty())
    return fmt::format("--steps {}-{}: the input has no steps; leave the option out", first, last);
  const auto asked = [=](const RecordedStep& step) { return first <= step.number && step.number <= last; };
  if (std::any_of(assembly.steps.begin(), assembly.steps.end(), asked)) {
    return fmt::format("--steps {}-{}: these steps have no task; expected others, or leave the option out", first,
                       last);
  }
  const auto [low, high] = std::minmax_element(assembly.steps.begin(), assembly.steps.end(),
                                               [](const auto& a, const auto& b) { return a.number < b.number; });
  return fmt::format("--steps {}-{}: the input has steps {} to {}; expected some of these", first, last, low->number,
                     high->number);
}

/// Removes the steps after `last` and updates the tasks' step indices. Marks the steps before `first` as not asked for.
void leave_out_steps(Assembly& assembly, std::int64_t first, std::int64_t last) {
  std::vector<std::int32_t> place(assembly.steps.size(), -1);
  std::vector<RecordedStep> kept;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const RecordedStep& step = assembly.steps[i];
    if (step.number > last) continue;
    place[i] = static_cast<std::int32_t>(kept.size());
    kept.push_back(step);
    kept.back().next_follows = step.next_follows && step.number < last;
    kept.back().asked = step.number >= first;
  }
  assembly.steps = std::move(kept);
  for (std::int32_t& step : assembly.step) step = step < 0 ? -1 : place[static_cast<std::size_t>(step)];
}

/// Returns, for each rank, the time at which its first step after `last` begins. Ranks without such a step are left
/// out.
std::map<Rank, Time> begins_after(const Assembly& assembly, std::int64_t last) {
  std::map<Rank, Time> begins;
  for (const RecordedStep& step : assembly.steps) {
    if (step.number <= last || !step.first.valid()) continue;
    const auto [slot, added] = begins.try_emplace(step.rank, assembly.start[step.first.index()]);
    if (!added) slot->second = std::min(slot->second, assembly.start[step.first.index()]);
  }
  return begins;
}

/// Copies the lanes, the tasks up to the step numbered `last`, and their edges and rendezvous. `kept` receives the new
/// id of each task, invalid for those left out. Throws UsageError if no step from `first` to `last` has a task.
Assembly copy_steps(Assembly& assembly, std::int64_t first, std::int64_t last, std::vector<TaskId>& kept) {
  DagBuilder& from = assembly.builder;
  const auto number_of = [&](std::int32_t step) { return assembly.steps[static_cast<std::size_t>(step)].number; };
  const auto asked = [&](std::int32_t step) {
    return step >= 0 && first <= number_of(step) && number_of(step) <= last;
  };
  if (std::none_of(assembly.step.begin(), assembly.step.end(), asked))
    throw UsageError(no_such_steps(assembly, first, last));
  const std::map<Rank, Time> ends = begins_after(assembly, last);
  const auto wanted = [&](std::size_t task) {
    if (assembly.step[task] >= 0) return number_of(assembly.step[task]) <= last;
    const auto end = ends.find(from.lane(from.task(TaskId{task}).lane).rank);
    return end == ends.end() || assembly.start[task] < end->second;
  };
  Assembly out;
  for (std::size_t i = 0; i < from.lane_count(); ++i) (void)out.builder.add_lane(from.lane(LaneId{i}));
  out.builder.groups() = from.groups();
  std::map<RendezvousId, RendezvousId> rendezvous;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!wanted(i)) continue;
    const TaskSpec& task = from.task(TaskId{i});
    kept[i] = out.add_task(task.kind, out.builder.intern(from.name(task.name)), task.lane, assembly.start[i],
                           assembly.finish[i], assembly.step[i], task.bytes);
    out.events.back() = assembly.events[i];
    out.builder.set_duration(kept[i], task.duration);
    const RendezvousId old = from.rendezvous(TaskId{i});
    if (!old.valid()) continue;
    const auto [slot, added] = rendezvous.try_emplace(old);
    if (added) slot->second = out.builder.add_rendezvous(from.collective(old));
    out.builder.join(slot->second, kept[i]);
  }
  for (const DagBuilder::Edge& edge : from.edges()) {
    if (kept[edge.from.index()].valid() && kept[edge.to.index()].valid())
      out.add_edge(kept[edge.from.index()], kept[edge.to.index()], edge.kind, edge.lag);
  }
  return out;
}

void carry_over_recording(Assembly& assembly, const std::vector<TaskId>& new_id, Recording& recording) {
  if (assembly.measured) {
    side_by_side(assembly.threads, {[&] { recording.start = renumbered(assembly.start, new_id); },
                                    [&] { recording.finish = renumbered(assembly.finish, new_id); },
                                    [&] { recording.step = renumbered(assembly.step, new_id); }});
    const bool counted = std::any_of(assembly.events.begin(), assembly.events.end(), [](auto n) { return n > 0; });
    if (counted) recording.events = renumbered(assembly.events, new_id);
  }
  recording.steps = std::move(assembly.steps);
  for (RecordedStep& step : recording.steps) {
    if (step.first.valid()) step.first = new_id[step.first.index()];
  }
  recording.silences = std::move(assembly.silences);
  for (TaskId& task : recording.silences) task = new_id[task.index()];
  std::sort(recording.silences.begin(), recording.silences.end());
  recording.pauses = std::move(assembly.pauses);
  renumber(recording.pauses, new_id);
  recording.inferred = std::move(assembly.inferred);
  for (auto& edge : recording.inferred) edge = {new_id[edge.after.index()], new_id[edge.before.index()]};
  std::sort(recording.inferred.begin(), recording.inferred.end());
  for (auto& wait : recording.unexplained) wait.task = new_id[wait.task.index()];
  std::sort(recording.unexplained.begin(), recording.unexplained.end(),
            [](const auto& a, const auto& b) { return a.task < b.task; });
}

/// Moves everything that refers to tasks into `capture`, with the Dag's task ids.
void carry_over(Assembly& assembly, const std::vector<TaskId>& new_id, Capture& capture) {
  capture.gradients = std::move(assembly.gradients);
  for (Gradient& gradient : capture.gradients) gradient.ready = new_id[gradient.ready.index()];
  capture.operators = std::move(assembly.operators);
  capture.launches = std::move(assembly.launches);
  capture.annotations = std::move(assembly.annotations);
  if (!assembly.allocations.memories.empty())
    capture.allocations = std::make_shared<const AllocationTable>(std::move(assembly.allocations));
  if (!assembly.task_ids.empty()) capture.task_ids = renumbered(assembly.task_ids, new_id);
  side_by_side(assembly.threads,
               {[&] { carry_over_recording(assembly, new_id, capture.recording); },
                [&] { renumber(capture.operators.uses, new_id); }, [&] { renumber(capture.launches.uses, new_id); },
                [&] { renumber(capture.annotations.uses, new_id); }});
  if (assembly.details != nullptr) {
    renumber(assembly.details->tasks, new_id);
    renumber(assembly.details->launches, new_id);
  }
}

}  // namespace

TaskId Assembly::add_task(TaskKind kind, NameId name, LaneId lane, Time begin, Time end, std::int32_t step_index,
                          Bytes bytes) {
  start.push_back(begin);
  finish.push_back(end);
  step.push_back(step_index);
  events.push_back(0);
  return builder.add_task({kind, name, lane, end - begin, bytes, begin});
}

std::map<Rank, TaskId> first_tasks(const Assembly& assembly) {
  const auto keep_first = [&assembly](TaskId& first, TaskId task) {
    const auto start = [&assembly](TaskId id) { return assembly.measured ? assembly.start[id.index()] : Time{}; };
    if (!first.valid() || std::pair{start(task), task} < std::pair{start(first), first}) first = task;
  };
  // First by lane, because there are few lanes, so that ranks are looked up once for each of them.
  std::vector<TaskId> of_lane(assembly.builder.lane_count());
  for (const TaskId task : assembly.builder.tasks())
    keep_first(of_lane[assembly.builder.task(task).lane.index()], task);
  std::map<Rank, TaskId> first;
  for (std::size_t i = 0; i < of_lane.size(); ++i) {
    if (of_lane[i].valid()) keep_first(first[assembly.builder.lane(LaneId{i}).rank], of_lane[i]);
  }
  return first;
}

GroupId Assembly::add_group(Group group, std::span<const TaskId> members) {
  const bool listed = std::all_of(members.begin(), members.end(), [&](TaskId member) {
    return std::binary_search(group.ranks.begin(), group.ranks.end(), builder.lane(builder.task(member).lane).rank);
  });
  if (!listed) group.ranks.clear();
  if (group.ranks.empty() && group.size <= members.size()) return {};
  const auto [entry, is_new] = group_ids.try_emplace(std::move(group));
  if (is_new) entry->second = builder.add_group(entry->first);
  return entry->second;
}

void keep_steps(Assembly& assembly, std::int64_t first, std::int64_t last) {
  std::vector<TaskId> kept(assembly.step.size());
  Assembly out = copy_steps(assembly, first, last, kept);
  for (RecordedStep& step : assembly.steps) step.first = step.first.valid() ? kept[step.first.index()] : TaskId{};
  for (Gradient& gradient : assembly.gradients) gradient.ready = kept[gradient.ready.index()];
  std::erase_if(assembly.gradients, [](const Gradient& gradient) { return !gradient.ready.valid(); });
  for (auto& [task, wait] : assembly.waits_within) task = kept[task.index()];
  std::erase_if(assembly.waits_within, [](const auto& one) { return !one.first.valid(); });
  for (TaskId& task : assembly.silences) task = kept[task.index()];
  std::erase_if(assembly.silences, [](TaskId task) { return !task.valid(); });
  renumber(assembly.pauses, kept);
  for (auto& edge : assembly.inferred) edge = {kept[edge.after.index()], kept[edge.before.index()]};
  std::erase_if(assembly.inferred, [](const auto& edge) { return !edge.after.valid() || !edge.before.valid(); });
  renumber(assembly.operators.uses, kept);
  renumber(assembly.launches.uses, kept);
  renumber(assembly.annotations.uses, kept);
  if (assembly.details != nullptr) {
    renumber(assembly.details->tasks, kept);
    renumber(assembly.details->launches, kept);
  }
  assembly.builder = std::move(out.builder);
  assembly.start = std::move(out.start);
  assembly.finish = std::move(out.finish);
  assembly.step = std::move(out.step);
  assembly.events = std::move(out.events);
  leave_out_steps(assembly, first, last);
  if (assembly.parameter_server.has_value()) keep_steps(*assembly.parameter_server, first, last);
}

Capture finish(Assembly&& assembly) {
  if (assembly.builder.task_count() == 0) {
    throw InputError({}, "the input has no tasks; expected host or device events with a duration");
  }
  std::map<Rank, TaskId> first = first_tasks(assembly);
  Capture capture;
  Recording& recording = capture.recording;
  for (const auto& [rank, task] : first) recording.ranks.push_back(rank);
  if (assembly.measured) {
    anchor_sources(assembly, first);
    recording.unexplained = lags_from_recording(assembly);
  }
  sort_steps(assembly);
  DagBuilder::Result built = std::move(assembly.builder).build();
  capture.dag = std::move(built.dag);
  carry_over(assembly, built.new_id, capture);
  recording.clocks = std::move(assembly.clocks);
  capture.devices = std::move(assembly.devices);
  capture.device_memory = std::move(assembly.device_memory);
  capture.places = std::move(assembly.places);
  capture.ranks_of_batch = assembly.ranks_of_batch;
  if (assembly.samples && *assembly.samples > 0 && *assembly.samples <= std::numeric_limits<std::uint32_t>::max())
    capture.job.batch_size = static_cast<std::uint32_t>(*assembly.samples);
  capture.cluster = std::move(assembly.cluster);
  if (assembly.parameter_server.has_value())
    capture.parameter_server = std::make_shared<const PsWorkload>(std::move(*assembly.parameter_server));
  capture.diagnostics = std::move(assembly.diagnostics);
  capture.assumptions = std::move(assembly.assumptions);
  return capture;
}

}  // namespace stepsim::ingest
