#include "ingest/stitch/host_device/rank_stitcher.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ingest/stitch/host_device/host_compute.h"
#include "ingest/stitch/host_device/operator_uses.h"

namespace stepsim::ingest {
namespace {

constexpr std::string_view kAccumulation = "torch::autograd::AccumulateGrad";

/// Up to these a delay of a device is its usual way of working; what is longer waited for
/// something that was not recorded. A few times the usual delay, at least a few microseconds.
constexpr std::int64_t kUsualTimes = 4;
constexpr Duration kLaunchCap{20'000};
constexpr Duration kTurnCap{5'000};
constexpr Duration kSyncCap{50'000};

/// One thing a piece of device work depends on.
struct Dependency {
  TaskId from;
  Time ready;  ///< when that was done
  EdgeKind kind;
  Duration usual;  ///< the usual delay after it
  Duration cap;    ///< the longest delay it explains
};

/// Adds the edges of one piece of device work that begins at `begin`. Each carries its usual
/// delay, as far as the recording leaves room for it; the binding one what it explains.
void add_dependencies(TaskId task, Time begin, const std::vector<Dependency>& dependencies, Assembly& assembly) {
  std::size_t binding = dependencies.size();
  Time ready = Time::min();
  std::vector<Duration> lags;
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    lags.push_back(std::clamp(begin - dependencies[i].ready, Duration{}, dependencies[i].usual));
    if (dependencies[i].ready + lags[i] <= ready) continue;
    ready = dependencies[i].ready + lags[i];
    binding = i;
  }
  if (binding < dependencies.size()) {
    lags[binding] = std::clamp(begin - dependencies[binding].ready, lags[binding],
                               std::max(lags[binding], dependencies[binding].cap));
  }
  for (std::size_t i = 0; i < dependencies.size(); ++i)
    assembly.add_edge(dependencies[i].from, task, dependencies[i].kind, lags[i]);
}

/// Step numbers come from names and may be as large as they like.
bool is_next(std::int64_t number, std::int64_t other) noexcept { return other > number && other - 1 == number; }

TaskKind kind_of(const RankEvents& events, std::uint32_t event) {
  switch (events.trace->kind[event]) {
    case EventKind::kMemcpy: return TaskKind::kCopy;
    case EventKind::kMemset: return TaskKind::kMemset;
    default: break;
  }
  const EventDetail* const detail = events.trace->detail_of(event);
  const bool collective =
      collective_in(events.name_of(event)).has_value() || (detail != nullptr && detail->collective.valid());
  return collective ? TaskKind::kCollective : TaskKind::kKernel;
}

/// The first and the last step of a capture may have been cut: they have then less than a
/// quarter of the tasks that the middle one of the others has.
std::vector<bool> whole_steps(const std::vector<std::size_t>& tasks) {
  std::vector<bool> whole(tasks.size(), true);
  if (tasks.size() < 2) return whole;
  for (const std::size_t edge : {std::size_t{0}, tasks.size() - 1}) {
    std::vector<std::size_t> others = tasks;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(edge));
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
    std::nth_element(others.begin(), middle, others.end());
    whole[edge] = 4 * tasks[edge] >= *middle;
  }
  return whole;
}

}  // namespace

void RankStitcher::stitch(Assembly& assembly) {
  first_task_ = assembly.start.size();
  events_.computes = computing_events(events_);
  plans_.resize(events_.threads.size());
  for (std::size_t t = 0; t < plans_.size(); ++t) plans_[t].segments = cut_thread(events_, events_.threads[t]);
  if (!plans_.empty()) plans_[events_.main_thread].quiet_is_work = true;
  std::vector<HandOff> hand_offs = explain_silences(events_, plans_);
  std::uint64_t unmatched = 0;
  const std::vector<HandOff> submissions = find_submissions(events_, plans_, unmatched);
  hand_offs.insert(hand_offs.end(), submissions.begin(), submissions.end());
  find_gradients();
  device_ = plan_device(events_, plans_);

  NameCache names(*events_.trace, assembly);
  place_threads(names, assembly);
  place_device_work(names, assembly);
  add_gradients(assembly);
  note_operators(assembly);
  connect_device_work(assembly);
  connect_threads(assembly, hand_offs);
  add_steps(assembly);
  report(assembly, unmatched);
  plans_ = {};
  device_ = {};
}

TaskId RankStitcher::task_of(const CollectiveUse& use) const noexcept {
  if (use.op != kNoIndex) return op_tasks_[use.op].last;
  const auto task = event_task_.find(use.event);
  return task == event_task_.end() ? TaskId{} : task->second;
}

/// A gradient is there when all that follows its accumulation has been done: the framework's
/// hooks put it into its bucket, and hand over the bucket that it fills.
void RankStitcher::find_gradients() {
  for (std::uint32_t t = 0; t < events_.threads.size(); ++t) {
    std::uint32_t around = kNoIndex;
    for (const std::uint32_t event : events_.threads[t].events) {
      const EventDetail* const detail = events_.trace->detail_of(event);
      if (detail != nullptr && detail->bytes > Bytes{} && events_.name_of(event) == kAccumulation) {
        const bool inside = around != kNoIndex && events_.end_of(event) <= events_.end_of(around);
        const Time ready = events_.end_of(inside ? around : event);
        plans_[t].cuts.push_back(ready);
        gradients_.push_back({ready, t, detail->bytes});
      }
      around = event;
    }
  }
  std::stable_sort(gradients_.begin(), gradients_.end(),
                   [](const GradientMark& a, const GradientMark& b) { return a.ready < b.ready; });
}

void RankStitcher::add_gradients(Assembly& assembly) {
  for (const GradientMark& mark : gradients_) {
    const TaskId task = plans_[mark.thread].task_ending_by(mark.ready);
    if (task.valid()) assembly.gradients.push_back({task, mark.bytes});
  }
}

/// A background thread starts by its own timer after something the main thread did.
void RankStitcher::start_background(const ThreadPlan& plan, Assembly& assembly) const {
  if (!plan.background || plan.placed.empty()) return;
  const ThreadPlan::Placed& first = plan.placed.front();
  const TaskId before = plans_[events_.main_thread].task_ending_by(first.begin);
  if (before.valid())
    assembly.add_edge(before, first.task, EdgeKind::kHandOff, first.begin - assembly.finish[before.index()]);
}

void RankStitcher::place_threads(NameCache& names, Assembly& assembly) {
  std::vector<std::size_t> order;  // the main thread first: others hang on it
  for (std::size_t t = 0; t < plans_.size(); ++t)
    order.insert(t == events_.main_thread ? order.begin() : order.end(), t);
  for (const std::size_t t : order) {
    const Track& track = events_.trace->tracks[events_.threads[t].track.index()];
    const LaneId lane = assembly.builder.add_lane({fmt::format("thread {}", track.thread), identity_.host,
                                                   identity_.rank, LaneKind::kThread, LaneOrder::kEdges, -1});
    place(plans_[t], events_, lane, names, assembly);
    start_background(plans_[t], assembly);
    for (const ThreadPlan::Placed& placed : plans_[t].placed) {
      if (placed.event != kNoIndex) event_task_.emplace(placed.event, placed.task);
    }
  }
}

LaneId RankStitcher::lane_of(std::uint32_t op, Assembly& assembly) {
  const auto [lane, added] = stream_lanes_.try_emplace({events_.ops[op].stream, device_.row[op]});
  if (added) {
    const RankEvents::Stream& stream = events_.streams[events_.ops[op].stream];
    std::string name = fmt::format("stream {}", stream.number);
    if (device_.row[op] > 0) name += fmt::format(" ({})", device_.row[op] + 1);
    lane->second = assembly.builder.add_lane(
        {name, identity_.host, identity_.rank, LaneKind::kStream, LaneOrder::kEdges, stream.device});
  }
  return lane->second;
}

void RankStitcher::place_op(std::uint32_t index, NameId name, Assembly& assembly) {
  const LaneId lane = lane_of(index, assembly);
  const DeviceOp& op = events_.ops[index];
  const EventDetail* const detail = events_.trace->detail_of(op.event);
  const std::int32_t step = events_.step_at(op.call == kNoIndex ? op.begin : events_.begin_of(op.call));
  const Bytes bytes = detail == nullptr ? Bytes{} : detail->bytes;
  OpTasks& tasks = op_tasks_[index];
  Time begin = op.begin;
  const auto parts = op_parts_.find(index);
  if (parts != op_parts_.end()) {
    for (auto& [end, part] : parts->second) {
      part = assembly.add_task(kind_of(events_, op.event), name, lane, begin, end, step, {});
      if (tasks.last.valid()) assembly.add_edge(tasks.last, part, EdgeKind::kStream);
      if (!tasks.first.valid()) tasks.first = part;
      tasks.last = part;
      begin = end;
    }
  }
  const TaskId task = assembly.add_task(kind_of(events_, op.event), name, lane, begin, op.end, step, bytes);
  if (tasks.last.valid()) assembly.add_edge(tasks.last, task, EdgeKind::kStream);
  if (!tasks.first.valid()) tasks.first = task;
  tasks.last = task;
}

void RankStitcher::place_device_work(NameCache& names, Assembly& assembly) {
  for (const StreamWait& wait : device_.stream_waits) {
    if (wait.why == StreamWait::Why::kRoom) op_parts_[wait.before].try_emplace(events_.ops[wait.after].begin);
  }
  op_tasks_.resize(events_.ops.size());
  for (std::uint32_t i = 0; i < events_.ops.size(); ++i) place_op(i, names.of_event(events_.ops[i].event), assembly);
}

/// Enters which operator each piece of device work belongs to, behind those of ranks before.
void RankStitcher::note_operators(Assembly& assembly) const {
  OperatorTable& table = assembly.operators;
  const auto first = static_cast<std::uint32_t>(table.operators.size());
  const std::uint32_t occurrence = table.occurrences;
  const std::vector<OperatorUse> uses = find_operator_uses(events_);
  for (std::uint32_t i = 0; i < uses.size(); ++i) {
    if (uses[i].which == kNoIndex) continue;
    const auto note = [&](TaskId task) {
      table.uses.push_back({task, first + uses[i].which, occurrence + uses[i].occurrence, uses[i].in_optimizer});
      table.occurrences = std::max(table.occurrences, table.uses.back().occurrence + 1);
    };
    if (const auto parts = op_parts_.find(i); parts != op_parts_.end()) {
      for (const auto& [end, task] : parts->second) note(task);
    }
    note(op_tasks_[i].last);
  }
  if (table.uses.empty()) return;
  const auto& operators = events_.trace->operators;
  table.operators.insert(table.operators.end(), operators.begin(), operators.end());
}

void RankStitcher::connect_device_work(Assembly& assembly) {
  std::vector<std::vector<Dependency>> dependencies(events_.ops.size());
  const Duration turn_cap = std::max(kTurnCap, kUsualTimes * device_.delays.turn);
  const Duration launch_cap = std::max(kLaunchCap, kUsualTimes * device_.delays.launch);
  for (std::size_t i = 0; i < events_.ops.size(); ++i) {
    const DeviceOp& op = events_.ops[i];
    if (device_.previous[i] != kNoIndex) {
      const std::uint32_t before = device_.previous[i];
      dependencies[i].push_back(
          {op_tasks_[before].last, events_.ops[before].end, EdgeKind::kStream, device_.delays.turn, turn_cap});
    }
    if (op.call == kNoIndex) continue;
    const TaskId launch = plans_[op.thread].task_ending_by(op.launched);
    if (launch.valid())
      dependencies[i].push_back({launch, op.launched, EdgeKind::kLaunch, device_.delays.launch, launch_cap});
  }
  for (const StreamWait& wait : device_.stream_waits) {
    if (wait.before >= wait.after) continue;
    const Time begin = events_.ops[wait.after].begin;
    const bool room = wait.why == StreamWait::Why::kRoom;
    const TaskId before = room ? op_parts_[wait.before][begin] : op_tasks_[wait.before].last;
    const Time ready = room ? begin : events_.ops[wait.before].end;
    const Duration cap = wait.why == StreamWait::Why::kInferred ? std::max(kSyncCap, begin - ready) : kSyncCap;
    dependencies[wait.after].push_back({before, ready, EdgeKind::kSync, device_.delays.turn, cap});
  }
  for (std::size_t i = 0; i < events_.ops.size(); ++i)
    add_dependencies(op_tasks_[i].first, events_.ops[i].begin, dependencies[i], assembly);
}

void RankStitcher::connect_threads(Assembly& assembly, const std::vector<HandOff>& hand_offs) {
  const auto connect = [&](TaskId from, TaskId to, EdgeKind kind) {
    if (from.valid() && to.valid() && from != to && assembly.finish[from.index()] <= assembly.start[to.index()])
      assembly.add_edge(from, to, kind);
  };
  for (const HandOff& hand_off : hand_offs) {
    connect(plans_[hand_off.from].task_ending_by(hand_off.from_time),
            plans_[hand_off.to].task_starting_from(hand_off.to_time), EdgeKind::kHandOff);
  }
  for (const HostWait& wait : device_.host_waits) {
    connect(op_tasks_[wait.op].last, plans_[wait.thread].task_starting_from(wait.resume), EdgeKind::kSync);
  }
}

void RankStitcher::add_steps(Assembly& assembly) {
  const auto base = static_cast<std::int32_t>(assembly.steps.size());
  if (events_.steps.empty()) events_.steps.push_back({0, Time::min(), Time::max()});
  std::vector<TaskId> earliest(events_.steps.size());
  std::vector<std::size_t> tasks(events_.steps.size(), 0);
  const bool marked = events_.steps.front().begin != Time::min();
  for (std::size_t i = first_task_; i < assembly.start.size(); ++i) {
    std::int32_t& step = assembly.step[i];
    if (!marked) step = 0;
    if (step < 0) continue;
    ++tasks[static_cast<std::size_t>(step)];
    TaskId& first = earliest[static_cast<std::size_t>(step)];
    if (!first.valid() || assembly.start[i] < assembly.start[first.index()]) first = TaskId{i};
    step += base;
  }
  const std::vector<bool> whole = whole_steps(tasks);
  for (std::size_t s = 0; s < events_.steps.size(); ++s) {
    const RankEvents::StepWindow& window = events_.steps[s];
    TaskId first = marked && !plans_.empty() ? plans_[events_.main_thread].task_starting_from(window.begin) : TaskId{};
    if (!first.valid() || assembly.start[first.index()] >= window.end) first = earliest[s];
    const bool next_follows = s + 1 < events_.steps.size() && is_next(window.number, events_.steps[s + 1].number);
    assembly.steps.push_back({identity_.rank, window.number, first, next_follows, first.valid() && whole[s]});
  }
}

void RankStitcher::report(Assembly& assembly, std::uint64_t unmatched_submissions) const {
  Diagnostics& diagnostics = assembly.diagnostics;
  const auto note = [&](std::string_view name, Severity severity, std::string_view remedy, std::uint64_t count) {
    if (count > 0) diagnostics.count(name, severity, remedy, {}, {}, count);
  };
  const auto waits = [&](StreamWait::Why why) {
    return static_cast<std::uint64_t>(std::count_if(device_.stream_waits.begin(), device_.stream_waits.end(),
                                                    [&](const StreamWait& w) { return w.why == why; }));
  };
  note("time_out_of_range", Severity::kDataLoss,
       "events 73 years before or 146 years after 1970 cannot be compared with others", events_.out_of_time);
  note("instant_host_event", Severity::kInfo,
       "host events of no length become no task of their own; what they launched keeps its place", events_.instants);
  note("waited_for_room", Severity::kInfo, "device work that began when work of another stream left room on the device",
       waits(StreamWait::Why::kRoom));
  note("framework_stream_wait", Severity::kInfo,
       "waits between streams that the framework's calls imply; cuda_sync events would show them all",
       waits(StreamWait::Why::kFramework));
  note("inferred_stream_wait", Severity::kNotice,
       "record with enable_cuda_sync_events=True to have these edges from the runtime",
       waits(StreamWait::Why::kInferred));
  note("unresolved_sync_event", Severity::kNotice,
       "a cuda_sync event names no call, stream or record of the capture; CUDA 12.9 and later need a kineto with #1552",
       device_.unresolved_syncs);
  note("inferred_host_wait", Severity::kNotice,
       "record with enable_cuda_sync_events=True to have these edges from the runtime", device_.inferred_host_waits);
  note("full_launch_queue", Severity::kInfo,
       "launches that waited for room in the device's queue; the step is bound by the device there",
       device_.full_queue_waits);
  note("unexplained_blocking_call", Severity::kNotice,
       "a synchronising call took long, but no recorded device work ended in it; its time stays host time",
       device_.unexplained_blocking);
  note("unmatched_host_collective", Severity::kNotice,
       "the framework call that submitted it was not recorded; start the capture a step earlier",
       unmatched_submissions);
  const auto orphans = static_cast<std::uint64_t>(
      std::count_if(events_.ops.begin(), events_.ops.end(), [](const DeviceOp& op) { return op.call == kNoIndex; }));
  note("device_work_without_launch", Severity::kNotice,
       "the launching call was not recorded; record CPU and CUDA activities together", orphans);
}

}  // namespace stepsim::ingest
