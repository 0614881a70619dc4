#include "ingest/stitch/host_device/stitched_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/device_tasks.h"
#include "ingest/stitch/host_device/device_waits.h"
#include "ingest/stitch/host_device/host_threads.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/known_diagnostics.h"
#include "model/base/median.h"
#include "model/base/side_by_side.h"
#include "model/base/text.h"
#include "model/job/task_names.h"

namespace stepsim::ingest {
namespace {

/// Returns true if `other` is `number` + 1. The sum itself may overflow, because step numbers come from names.
bool is_next(std::int64_t number, std::int64_t other) noexcept { return other > number && other - 1 == number; }

}  // namespace

void add_steps(RankEvents& events, const std::vector<HostThread>& threads, Rank rank, std::size_t first_task,
               Assembly& assembly) {
  const auto base = static_cast<std::int32_t>(assembly.steps.size());
  if (events.steps.empty()) events.steps.push_back({0, Time::min(), Time::max()});
  std::vector<TaskId> earliest(events.steps.size());
  std::vector<std::size_t> tasks(events.steps.size(), 0);
  const bool windows = events.steps.front().begin != Time::min();  // false if a single step covers all time
  if (!windows) {
    std::fill(assembly.step.begin() + static_cast<std::ptrdiff_t>(first_task), assembly.step.end(), 0);
    for (const HostThread& thread : threads) {
      if (!thread.background) continue;
      for (const TaskId task : thread.tasks) assembly.step[task.index()] = -1;
    }
  }
  for (std::size_t i = first_task; i < assembly.start.size(); ++i) {
    std::int32_t& step = assembly.step[i];
    if (step < 0) continue;
    ++tasks[static_cast<std::size_t>(step)];
    TaskId& first = earliest[static_cast<std::size_t>(step)];
    if (!first.valid() || assembly.start[i] < assembly.start[first.index()]) first = TaskId{i};
    step += base;
  }
  const std::vector<bool> whole = whole_steps(events, tasks, assembly.diagnostics);
  for (std::size_t s = 0; s < events.steps.size(); ++s) {
    const RankEvents::StepWindow& window = events.steps[s];
    TaskId first =
        windows && !threads.empty() ? threads[events.main_thread].task_starting_from(window.begin, assembly) : TaskId{};
    // A main thread that only marks steps has no task at their begin.
    const bool is_late =
        first.valid() && windows && assembly.start[first.index()] > window.begin + (window.end - window.begin) / 2;
    if (!first.valid() || is_late) first = earliest[s];
    const bool next_follows =
        events.marked && s + 1 < events.steps.size() && is_next(window.number, events.steps[s + 1].number);
    assembly.steps.push_back({.rank = rank,
                              .number = window.number,
                              .first = first,
                              .next_follows = next_follows,
                              .whole = first.valid() && (whole[s] || !events.marked),
                              .marked = events.marked});
  }
}

namespace {

/// Makes a background thread start after the last task of the main thread that ended before its start. Nothing else
/// determines its start time in a replay, because it was started by its own timer.
void start_background(const HostThread& thread, const HostThread& main_thread, Assembly& assembly) {
  if (!thread.background || thread.tasks.size() == 0) return;
  const TaskId first = *thread.tasks.begin();
  const Time begin = assembly.start[first.index()];
  const TaskId before = main_thread.task_ending_by(begin, assembly);
  if (before.valid()) assembly.add_edge(before, first, EdgeKind::kHandOff, begin - assembly.finish[before.index()]);
}

/// Adds the tasks of all threads, those of the main thread first, because background threads get edges from them.
void add_thread_tasks(const RankEvents& events, std::vector<HostThread>& threads, const RankIdentity& identity,
                      EventNames& names, Assembly& assembly) {
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < threads.size(); ++t)
    order.insert(t == events.main_thread ? order.begin() : order.end(), t);
  for (const std::size_t t : order) {
    const Track& track = events.trace->tracks[events.threads[t].track.index()];
    const LaneId lane = assembly.builder.add_lane({fmt::format("thread {}", track.thread), identity.host, identity.rank,
                                                   LaneKind::kThread, LaneOrder::kEdges, -1});
    add_tasks(threads[t], events, lane, names, assembly);
    start_background(threads[t], threads[events.main_thread], assembly);
  }
}

void connect_threads(const std::vector<HostThread>& threads, const std::vector<HandOff>& hand_offs,
                     const DeviceWaits& waits, const DeviceTasks& device, Assembly& assembly) {
  const auto connect = [&](TaskId from, TaskId to, EdgeKind kind, Duration early = {}) {
    if (!from.valid() || !to.valid() || from == to) return false;
    if (assembly.finish[from.index()] > assembly.start[to.index()] + early) return false;
    assembly.add_edge(from, to, kind);
    return true;
  };
  for (const HandOff& hand_off : hand_offs) {
    connect(threads[hand_off.from].task_ending_by(hand_off.from_time, assembly),
            threads[hand_off.to].task_starting_from(hand_off.to_time, assembly), EdgeKind::kHandOff);
  }
  for (const std::vector<HostWait>* const found : {&waits.calls.waits, &waits.polls}) {
    for (const HostWait& wait : *found) {
      const TaskId before = device.ops[wait.op].last;
      const TaskId after = threads[wait.thread].task_starting_from(wait.resume, assembly);
      if (connect(before, after, EdgeKind::kSync, kDeviceClockError) && wait.inferred)
        assembly.inferred.push_back({after, before});
    }
  }
}

/// Returns the number of calls that launched something, if the capture has no device work at all; else 0.
std::uint64_t launches_without_work(const RankEvents& events) {
  if (!events.ops.empty()) return 0;
  return static_cast<std::uint64_t>(std::count_if(events.calls.begin(), events.calls.end(), [&](const auto& call) {
    return wait_of_call(events.name_of(call.second)) == CallWait::kLaunch;
  }));
}

/// Counts launches of CUDA graphs that left no device work, although later calls did.
void report_empty_graphs(const RankEvents& events, Diagnostics& diagnostics) {
  std::set<std::uint32_t> with_work;
  Time last = Time::min();
  const ByName is_graph(*events.trace, launches_graph);
  for (const DeviceOp& op : events.ops) {
    if (op.call == kNoIndex) continue;
    last = std::max(last, events.begin_of(op.call));
    if (is_graph(op.call)) with_work.insert(op.call);
  }
  std::uint64_t graphs = 0;
  std::uint64_t empty = 0;
  for (const auto& [correlation, call] : events.calls) {
    if (!is_graph(call) || events.begin_of(call) > last) continue;
    ++graphs;
    if (!with_work.contains(call)) ++empty;
  }
  if (empty > 0) {
    diagnostics.count(diagnostic("graphs_without_work"), {}, fmt::format("{} of {} graph launches", empty, graphs),
                      empty);
  }
}

/// Counts everything that was inferred or not found.
void report(const RankEvents& events, const DeviceWaits& waits, std::uint64_t unmatched_submissions,
            Diagnostics& diagnostics) {
  const auto note = [&](const Diagnostic& what, std::uint64_t count) {
    if (count > 0) diagnostics.count(what, {}, {}, count);
  };
  const auto stream_waits = [&](StreamWait::Why why) {
    return static_cast<std::uint64_t>(
        std::count_if(waits.streams.begin(), waits.streams.end(), [&](const StreamWait& w) { return w.why == why; }));
  };
  note(diagnostic("time_out_of_range"), events.out_of_time);
  note(diagnostic("mistimed_device_work"), events.mistimed.size());
  note(diagnostic("device_work_cut_short"), events.cut_short);
  note(diagnostic("overlapping_device_work"), events.overlapping);
  if (!events.overlaps.empty()) {
    const auto& [earlier, later] = events.overlaps.front();
    diagnostics.count(diagnostic("overlapping_steps"), {},
                      fmt::format("step {} begins {} before step {} ends", later.number,
                                  to_text(earlier.end - later.begin), earlier.number),
                      events.overlaps.size());
  }
  if (!events.step_ranges.empty()) {
    diagnostics.count(diagnostic("steps_from_ranges"), {}, fmt::format("'{}'", events.step_ranges),
                      events.steps.size());
  }
  note(diagnostic("device_work_outside_steps"), events.steps_ignored);
  note(diagnostic("launches_without_device_work"), launches_without_work(events));
  report_empty_graphs(events, diagnostics);
  note(diagnostic("instant_host_event"), events.instants);
  note(diagnostic("waited_for_room"), stream_waits(StreamWait::Why::kRoom));
  note(diagnostic("data_stream_wait"), stream_waits(StreamWait::Why::kData));
  note(diagnostic("framework_stream_wait"), stream_waits(StreamWait::Why::kFramework));
  note(diagnostic("inferred_stream_wait"), stream_waits(StreamWait::Why::kInferred));
  note(diagnostic("unresolved_sync_event"), waits.unresolved_syncs);
  note(diagnostic("inferred_host_wait"), waits.calls.inferred);
  note(diagnostic("polling"), waits.polls.size());
  note(diagnostic("full_launch_queue"), waits.calls.full_queue);
  note(diagnostic("unexplained_blocking_call"), waits.calls.unexplained);
  note(diagnostic("unmatched_host_collective"), unmatched_submissions);
  const auto orphans = static_cast<std::uint64_t>(
      std::count_if(events.ops.begin(), events.ops.end(), [](const DeviceOp& op) { return op.call == kNoIndex; }));
  note(diagnostic("device_work_without_launch"), orphans);
}

}  // namespace

TaskId StitchedRank::task_of(const CollectiveUse& use) const noexcept {
  if (use.op != kNoIndex) return device.ops[use.op].last;
  const auto task = host_collectives.find(use.event);
  return task == host_collectives.end() ? TaskId{} : task->second;
}

StitchedRank stitch_rank(RankEvents& events, const RankIdentity& identity, Assembly& assembly) {
  const std::size_t first_task = assembly.start.size();
  events.computes = computing_events(events);
  std::vector<HostThread> threads = host_threads(events, assembly.threads);
  std::vector<HandOff> hand_offs = explain_silences(events, threads, assembly.threads);
  std::uint64_t unmatched = 0;
  const std::vector<HandOff> submissions = find_submissions(events, threads, unmatched);
  hand_offs.insert(hand_offs.end(), submissions.begin(), submissions.end());
  const std::vector<HandOff> hand_overs = recorded_hand_overs(events, threads);
  hand_offs.insert(hand_offs.end(), hand_overs.begin(), hand_overs.end());
  const std::vector<GradientMark> gradients = find_gradients(events, threads);
  const DeviceWaits waits = find_device_waits(events, threads, assembly.threads);
  find_pauses(events, threads);

  StitchedRank rank;
  EventNames names(*events.trace, assembly);
  add_thread_tasks(events, threads, identity, names, assembly);
  for (const HostThread& thread : threads) {
    rank.host_collectives.insert(thread.collective_tasks.begin(), thread.collective_tasks.end());
  }
  rank.device = add_device_tasks(events, waits, identity, names, assembly);
  add_gradients(gradients, threads, assembly);
  std::uint64_t deep_annotations = 0;
  // Each of these fills a different member of the assembly.
  side_by_side(assembly.threads,
               {[&] { connect_device_tasks(events, waits, rank.device, threads, assembly); },
                [&] { add_operator_uses(events, rank.device, assembly); },
                [&] { add_allocations(events, identity.rank, assembly); },
                [&] { deep_annotations = add_annotation_uses(events, threads, rank.device, assembly); },
                [&] { add_kernel_launches(events, rank.device, assembly); }});
  connect_threads(threads, hand_offs, waits, rank.device, assembly);
  add_steps(events, threads, identity.rank, first_task, assembly);
  report(events, waits, unmatched, assembly.diagnostics);
  if (deep_annotations > 0) assembly.diagnostics.count(diagnostic("deep_annotation"), {}, {}, deep_annotations);
  return rank;
}

namespace {

/// Marks the first and the last step as not whole if they have less than a quarter of the median number of tasks of the
/// other steps. The recording then began or ended within them.
void mark_cut_edge_steps(const std::vector<std::size_t>& tasks, std::vector<bool>& whole) {
  if (tasks.size() < 2) return;
  for (const std::size_t edge : {std::size_t{0}, tasks.size() - 1}) {
    std::vector<std::size_t> others = tasks;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(edge));
    whole[edge] = 4 * tasks[edge] >= upper_median(std::move(others));
  }
}

/// The amount of device work that a step should have, and how much of it was not recorded.
struct DeviceWork {
  std::uint64_t expected = 0;
  std::uint64_t lost = 0;
  std::uint64_t not_run = 0;  ///< work that had not run when the recording ended
  [[nodiscard]] bool lacks_too_much() const noexcept {
    constexpr std::uint64_t kOneOf = 100;
    return (lost + not_run) * kOneOf > expected;
  }
};

/// Computes the expected work of each step from its calls that launch kernels. Calls that start copies and memsets do
/// not count, because those of zero bytes, or of host memory, leave no device record. If other calls of the step have
/// more than one piece of work, that is the work of calls without any: it has their correlation, because files were
/// merged, or because ROCm gave two launches one number. This is counted as "ambiguous_launch".
std::vector<DeviceWork> work_launched(const RankEvents& events, Diagnostics& diagnostics) {
  std::vector<std::uint32_t> pieces(events.trace->size(), 0);
  Time last = Time::min();
  for (const DeviceOp& op : events.ops) {
    if (op.call == kNoIndex) continue;
    ++pieces[op.call];
    last = std::max(last, events.begin_of(op.call));
  }
  for (const auto* const without_op : {&events.mistimed, &events.joined_calls}) {
    for (const std::uint32_t call : *without_op) ++pieces[call];
  }
  const ByName is_launch(*events.trace, launches_kernel);
  std::vector<DeviceWork> steps(events.steps.size() + 1);  // the first one is for calls outside all steps
  std::vector<std::uint64_t> extra(steps.size());
  for (const auto& [correlation, call] : events.calls) {
    if (!is_launch(call)) continue;
    const auto step = static_cast<std::size_t>(std::int64_t{events.step_at(events.begin_of(call))} + 1);
    ++steps[step].expected;
    if (pieces[call] > 0) {
      extra[step] += pieces[call] - 1;
    } else {
      ++(events.begin_of(call) > last ? steps[step].not_run : steps[step].lost);
    }
  }
  std::uint64_t ambiguous = 0;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (std::uint64_t* const missing : {&steps[step].lost, &steps[step].not_run}) {
      const std::uint64_t found = std::min(*missing, extra[step]);
      *missing -= found;
      extra[step] -= found;
      ambiguous += found;
    }
  }
  if (ambiguous > 0) diagnostics.count(diagnostic("ambiguous_launch"), {}, {}, ambiguous);
  steps.erase(steps.begin());
  return steps;
}

/// Computes the expected work of each step by comparing the steps. For each name of device work, a step is expected to
/// have as many pieces as the step that has the most of them.
std::vector<DeviceWork> work_of_other_steps(const RankEvents& events) {
  std::map<TextId, std::vector<std::uint64_t>> by_name;
  for (const DeviceOp& op : events.ops) {
    const std::int32_t step = events.step_of(op);
    if (step < 0) continue;
    std::vector<std::uint64_t>& counts = by_name[events.trace->name[op.event]];
    counts.resize(events.steps.size());
    ++counts[static_cast<std::size_t>(step)];
  }
  std::vector<DeviceWork> steps(events.steps.size());
  for (const auto& [name, counts] : by_name) {
    const std::uint64_t most = *std::max_element(counts.begin(), counts.end());
    for (std::size_t s = 0; s < steps.size(); ++s) {
      steps[s].expected += most;
      steps[s].lost += most - counts[s];
    }
  }
  return steps;
}

void set_aside(const RankEvents& events, const std::vector<DeviceWork>& works, std::vector<bool>& whole,
               Diagnostics& diagnostics) {
  std::uint64_t lost = 0;
  std::string steps;
  for (std::size_t s = 0; s < works.size(); ++s) {
    lost += works[s].lost;
    if (works[s].lost > 0 && events.marked) add_item(steps, std::to_string(events.steps[s].number));
    whole[s] = whole[s] && !works[s].lacks_too_much();
  }
  if (lost > 0) diagnostics.count(diagnostic("lost_kernels"), {}, steps.empty() ? "" : "in steps " + steps, lost);
}

}  // namespace

std::vector<bool> whole_steps(const RankEvents& events, const std::vector<std::size_t>& tasks,
                              Diagnostics& diagnostics) {
  std::vector<bool> whole(tasks.size(), true);
  mark_cut_edge_steps(tasks, whole);
  for (const std::uint32_t call : events.mistimed) {
    const std::int32_t step = events.step_at(events.begin_of(call));
    if (step >= 0 && events.marked) whole[static_cast<std::size_t>(step)] = false;
  }
  // Either the capture lacks device work, which is reported as "launches_without_device_work", or the job has no
  // devices.
  if (events.ops.empty()) return whole;
  const bool cut = diagnostics.count_of("truncated_file") > 0;
  set_aside(events, cut ? work_of_other_steps(events) : work_launched(events, diagnostics), whole, diagnostics);
  return whole;
}

}  // namespace stepsim::ingest
