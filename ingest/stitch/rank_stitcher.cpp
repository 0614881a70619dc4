#include "ingest/stitch/rank_stitcher.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace stepsim::ingest {
namespace {

/// Up to these a delay of a device is its usual way of working; what is longer waited for
/// something that was not recorded. A few times the usual delay, at least a few microseconds.
constexpr std::int64_t kUsualTimes = 4;
constexpr Duration kLaunchCap{20'000};
constexpr Duration kTurnCap{5'000};
constexpr Duration kSyncCap{10'000};

/// One thing a piece of device work depends on.
struct Dependency {
  TaskId from;
  Time ready;       ///< when that was done
  EdgeKind kind;
  Duration usual;   ///< the usual delay after it
  Duration cap;     ///< the longest delay it explains
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
    lags[binding] = std::clamp(begin - dependencies[binding].ready, lags[binding], std::max(lags[binding], dependencies[binding].cap));
  }
  for (std::size_t i = 0; i < dependencies.size(); ++i) assembly.add_edge(dependencies[i].from, task, dependencies[i].kind, lags[i]);
}

TaskKind kind_of(const RankEvents& events, std::uint32_t event) {
  switch (events.trace->kind[event]) {
    case EventKind::kMemcpy: return TaskKind::kCopy;
    case EventKind::kMemset: return TaskKind::kMemset;
    default: break;
  }
  const EventDetail* const detail = events.trace->detail_of(event);
  const bool collective = collective_in(events.name_of(event)).has_value() || (detail != nullptr && detail->collective.valid());
  return collective ? TaskKind::kCollective : TaskKind::kKernel;
}

}  // namespace

void RankStitcher::stitch(Assembly& assembly) {
  first_task_ = assembly.start.size();
  plans_.resize(events_.threads.size());
  for (std::size_t t = 0; t < plans_.size(); ++t) plans_[t].segments = cut_thread(events_, events_.threads[t]);
  if (!plans_.empty()) plans_[events_.main_thread].quiet_is_work = true;
  std::vector<HandOff> hand_offs = explain_silences(events_, plans_);
  std::uint64_t unmatched = 0;
  const std::vector<HandOff> submissions = find_submissions(events_, plans_, unmatched);
  hand_offs.insert(hand_offs.end(), submissions.begin(), submissions.end());
  device_ = plan_device(events_, plans_);

  place_threads(assembly);
  place_device_work(assembly);
  connect_device_work(assembly);
  connect_threads(assembly, hand_offs);
  add_steps(assembly);
  report(assembly, unmatched);
}

TaskId RankStitcher::task_of(const CollectiveUse& use) const noexcept {
  return use.op != kNoIndex ? op_task_[use.op] : event_task_[use.event];
}

void RankStitcher::place_threads(Assembly& assembly) {
  event_task_.resize(events_.trace->size());
  for (std::size_t t = 0; t < plans_.size(); ++t) {
    const Track& track = events_.trace->tracks[events_.threads[t].track.index()];
    const LaneId lane = assembly.builder.add_lane({fmt::format("thread {}", track.thread), identity_.host, identity_.rank, LaneKind::kThread, LaneOrder::kEdges, -1});
    place(plans_[t], events_, lane, assembly);
    for (const ThreadPlan::Placed& placed : plans_[t].placed) {
      if (placed.event != kNoIndex) event_task_[placed.event] = placed.task;
    }
  }
}

void RankStitcher::place_device_work(Assembly& assembly) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, LaneId> lanes;
  for (std::uint32_t i = 0; i < events_.ops.size(); ++i) {
    const DeviceOp& op = events_.ops[i];
    auto [lane, added] = lanes.try_emplace({op.stream, device_.row[i]});
    if (added) {
      const RankEvents::Stream& stream = events_.streams[op.stream];
      std::string name = fmt::format("stream {}", stream.number);
      if (device_.row[i] > 0) name += fmt::format(" ({})", device_.row[i] + 1);
      lane->second = assembly.builder.add_lane({name, identity_.host, identity_.rank, LaneKind::kStream, LaneOrder::kEdges, stream.device});
    }
    const EventDetail* const detail = events_.trace->detail_of(op.event);
    const std::int32_t step = events_.step_at(op.call == kNoIndex ? op.begin : events_.begin_of(op.call));
    op_task_.push_back(assembly.add_task(kind_of(events_, op.event), assembly.builder.intern(events_.name_of(op.event)), lane->second, op.begin,
                                         op.end, step, detail == nullptr ? Bytes{} : detail->bytes));
  }
}

void RankStitcher::connect_device_work(Assembly& assembly) {
  std::vector<std::vector<Dependency>> dependencies(events_.ops.size());
  const Duration turn_cap = std::max(kTurnCap, kUsualTimes * device_.delays.turn);
  const Duration launch_cap = std::max(kLaunchCap, kUsualTimes * device_.delays.launch);
  for (std::size_t i = 0; i < events_.ops.size(); ++i) {
    const DeviceOp& op = events_.ops[i];
    if (device_.previous[i] != kNoIndex) {
      const std::uint32_t before = device_.previous[i];
      dependencies[i].push_back({op_task_[before], events_.ops[before].end, EdgeKind::kStream, device_.delays.turn, turn_cap});
    }
    if (op.call == kNoIndex) continue;
    const Time launched = launched_at(events_, op);
    const TaskId launch = plans_[op.thread].task_ending_by(launched);
    if (launch.valid()) dependencies[i].push_back({launch, launched, EdgeKind::kLaunch, device_.delays.launch, launch_cap});
  }
  for (const StreamWait& wait : device_.stream_waits) {
    if (wait.before >= wait.after) continue;
    dependencies[wait.after].push_back({op_task_[wait.before], events_.ops[wait.before].end, EdgeKind::kSync, device_.delays.turn, kSyncCap});
  }
  for (std::size_t i = 0; i < events_.ops.size(); ++i) add_dependencies(op_task_[i], events_.ops[i].begin, dependencies[i], assembly);
}

void RankStitcher::connect_threads(Assembly& assembly, const std::vector<HandOff>& hand_offs) {
  const auto connect = [&](TaskId from, TaskId to, EdgeKind kind) {
    if (from.valid() && to.valid() && from != to && assembly.finish[from.index()] <= assembly.start[to.index()]) assembly.add_edge(from, to, kind);
  };
  for (const HandOff& hand_off : hand_offs) {
    connect(plans_[hand_off.from].task_ending_by(hand_off.from_time), plans_[hand_off.to].task_starting_from(hand_off.to_time), EdgeKind::kHandOff);
  }
  for (const HostWait& wait : device_.host_waits) {
    connect(op_task_[wait.op], plans_[wait.thread].task_starting_from(wait.resume), EdgeKind::kSync);
  }
}

void RankStitcher::add_steps(Assembly& assembly) {
  const auto base = static_cast<std::int32_t>(assembly.steps.size());
  if (events_.steps.empty()) events_.steps.push_back({0, Time::min(), Time::max()});
  std::vector<TaskId> earliest(events_.steps.size());
  const bool marked = events_.steps.front().begin != Time::min();
  for (std::size_t i = first_task_; i < assembly.start.size(); ++i) {
    std::int32_t& step = assembly.step[i];
    if (!marked) step = 0;
    if (step < 0) continue;
    TaskId& first = earliest[static_cast<std::size_t>(step)];
    if (!first.valid() || assembly.start[i] < assembly.start[first.index()]) first = TaskId{i};
    step += base;
  }
  for (std::size_t s = 0; s < events_.steps.size(); ++s) {
    const RankEvents::StepWindow& window = events_.steps[s];
    TaskId first = marked && !plans_.empty() ? plans_[events_.main_thread].task_starting_from(window.begin) : TaskId{};
    if (!first.valid() || assembly.start[first.index()] >= window.end) first = earliest[s];
    const bool next_follows = s + 1 < events_.steps.size() && events_.steps[s + 1].number == window.number + 1;
    assembly.steps.push_back({identity_.rank, window.number, first, next_follows, first.valid()});
  }
}

void RankStitcher::report(Assembly& assembly, std::uint64_t unmatched_submissions) const {
  Diagnostics& diagnostics = assembly.diagnostics;
  const auto note = [&](std::string_view name, Severity severity, std::string_view remedy, std::uint64_t count) {
    if (count > 0) diagnostics.count(name, severity, remedy, {}, {}, count);
  };
  const auto inferred = static_cast<std::uint64_t>(std::count_if(device_.stream_waits.begin(), device_.stream_waits.end(), [](const StreamWait& w) { return w.inferred; }));
  note("inferred_stream_wait", Severity::kNotice, "record with enable_cuda_sync_events=True to have these edges from the runtime", inferred);
  note("inferred_host_wait", Severity::kNotice, "record with enable_cuda_sync_events=True to have these edges from the runtime", device_.inferred_host_waits);
  note("full_launch_queue", Severity::kInfo, "launches that waited for room in the device's queue; the step is bound by the device there", device_.full_queue_waits);
  note("unexplained_blocking_call", Severity::kNotice, "a synchronising call took long, but no recorded device work ended in it; its time stays host time", device_.unexplained_blocking);
  note("unmatched_host_collective", Severity::kNotice, "the framework call that submitted it was not recorded; start the capture a step earlier", unmatched_submissions);
  const auto orphans = static_cast<std::uint64_t>(std::count_if(events_.ops.begin(), events_.ops.end(), [](const DeviceOp& op) { return op.call == kNoIndex; }));
  note("device_work_without_launch", Severity::kNotice, "the launching call was not recorded; record CPU and CUDA activities together", orphans);
}

}  // namespace stepsim::ingest
