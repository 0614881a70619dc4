#include "ingest/stitch/host_device/device_tasks.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace stepsim::ingest {
namespace {

/// A launch or turn-around delay of up to kUsualTimes the usual delay, or up to its cap below if that is longer, is
/// normal for the device. After a longer delay, the work is assumed to have waited for something that was not recorded.
constexpr std::int64_t kUsualTimes = 4;
constexpr Duration kLaunchCap{20'000};
constexpr Duration kTurnCap{5'000};
constexpr Duration kSyncCap{50'000};

/// A dependency of one kernel, copy or memset.
struct Dependency {
  TaskId from;
  Time ready;  ///< when the dependency was done
  EdgeKind kind;
  Duration usual;  ///< usual delay after it
  Duration cap;    ///< longest delay that it explains
};

/// Adds the edges from `dependencies` to `task`, which begins at `begin`. The lag of each edge is the usual delay, or
/// the recorded delay if that is shorter. The dependency that is satisfied last determines when the task can start. Its
/// edge gets the recorded delay, up to its cap.
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

TaskKind kind_of(const RankEvents& events, std::uint32_t event) {
  if (events.is_collective(event)) return TaskKind::kCollective;
  switch (events.trace->kind[event]) {
    case EventKind::kMemcpy: return TaskKind::kCopy;
    case EventKind::kMemset: return TaskKind::kMemset;
    default: return TaskKind::kKernel;
  }
}

class DeviceTaskMaker {
 public:
  DeviceTaskMaker(const RankEvents& events, const DeviceWaits& waits, const RankIdentity& identity, Assembly& assembly)
      : events_(events), waits_(waits), identity_(identity), assembly_(assembly) {}

  DeviceTasks run(EventNames& names) {
    for (const StreamWait& wait : waits_.streams) {
      if (wait.why == StreamWait::Why::kRoom) made_.parts[wait.before].try_emplace(events_.ops[wait.after].begin);
    }
    made_.ops.resize(events_.ops.size());
    for (std::uint32_t i = 0; i < events_.ops.size(); ++i) add(i, names.of(events_.ops[i].event));
    return std::move(made_);
  }

 private:
  void add(std::uint32_t index, NameId name) {
    const DeviceOp& op = events_.ops[index];
    Time begin = op.begin;
    if (const auto parts = made_.parts.find(index); parts != made_.parts.end()) {
      for (auto& [end, part] : parts->second) {
        part = add_part(index, name, begin, end, {});
        begin = end;
      }
    }
    const EventDetail* const detail = events_.trace->detail_of(op.event);
    (void)add_part(index, name, begin, op.end, detail == nullptr ? Bytes{} : detail->bytes);
    if (assembly_.details != nullptr) note_recorded(index);
  }

  /// Adds the recorded span of device work to assembly.details, unless the work became a single task with this span. If
  /// the work was split into several tasks, only the first task counts in statistics, with the whole span.
  void note_recorded(std::uint32_t index) {
    const DeviceOp& op = events_.ops[index];
    const Time begin = events_.begin_of(op.event);
    const Time end = events_.end_of(op.last_event);
    const TaskId first = made_.ops[index].first;
    if (first == made_.ops[index].last && op.begin == begin && op.end == end) return;
    made_.for_each_task(index, [&](TaskId part) {
      assembly_.details->tasks.push_back({part, begin, end, part == first});
    });
  }

  TaskId add_part(std::uint32_t index, NameId name, Time begin, Time end, Bytes bytes) {
    const DeviceOp& op = events_.ops[index];
    const std::int32_t step = step_of(op);
    const TaskId part = assembly_.add_task(kind_of(events_, op.event), name, lane_of(index), begin, end, step, bytes);
    DeviceTasks::Op& tasks = made_.ops[index];
    if (tasks.last.valid()) assembly_.add_edge(tasks.last, part, EdgeKind::kStream);
    if (!tasks.first.valid()) tasks.first = part;
    tasks.last = part;
    return part;
  }

  /// Returns the step of device work, or -1 if it is in no step. If steps are marked, work that was launched before the
  /// capture is in none.
  [[nodiscard]] std::int32_t step_of(const DeviceOp& op) const {
    return events_.marked && events_.is_before_capture(op) ? -1 : events_.step_of(op);
  }

  LaneId lane_of(std::uint32_t op) {
    const std::uint32_t row = waits_.order.row[op];
    const auto [lane, added] = lanes_.try_emplace({events_.ops[op].stream, row});
    if (added) {
      const RankEvents::Stream& stream = events_.streams[events_.ops[op].stream];
      std::string name = fmt::format("stream {}", stream.number);
      if (row > 0) name += fmt::format(" ({})", row + 1);
      lane->second = assembly_.builder.add_lane(
          {name, identity_.host, identity_.rank, LaneKind::kStream, LaneOrder::kEdges, stream.device});
    }
    return lane->second;
  }

  const RankEvents& events_;
  const DeviceWaits& waits_;
  const RankIdentity& identity_;
  Assembly& assembly_;
  DeviceTasks made_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, LaneId> lanes_;  // lanes by (stream, row)
  // By stream: the begin of its first work that has a recorded launching call.
};

/// Returns the dependency that a wait between streams creates: the task waited for, and the time when it was done.
Dependency across_streams(const RankEvents& events, const DeviceWaits& waits, const DeviceTasks& tasks,
                          const StreamWait& wait) {
  const Time begin = events.ops[wait.after].begin;
  const bool room = wait.why == StreamWait::Why::kRoom;
  const TaskId before = room ? tasks.parts.at(wait.before).at(begin) : tasks.ops[wait.before].last;
  const Time ready = room ? begin : events.ops[wait.before].end;
  const Duration cap = wait.why == StreamWait::Why::kInferred ? std::max(kSyncCap, begin - ready) : kSyncCap;
  return {before, ready, EdgeKind::kSync, waits.delays.turn, cap};
}

}  // namespace

DeviceTasks add_device_tasks(const RankEvents& events, const DeviceWaits& waits, const RankIdentity& identity,
                             EventNames& names, Assembly& assembly) {
  return DeviceTaskMaker(events, waits, identity, assembly).run(names);
}

void connect_device_tasks(const RankEvents& events, const DeviceWaits& waits, const DeviceTasks& tasks,
                          const std::vector<HostThread>& threads, Assembly& assembly) {
  std::vector<StreamWait> across;  // sorted by the work that waits
  std::copy_if(waits.streams.begin(), waits.streams.end(), std::back_inserter(across),
               [](const StreamWait& wait) { return wait.before < wait.after; });
  std::stable_sort(across.begin(), across.end(),
                   [](const StreamWait& a, const StreamWait& b) { return a.after < b.after; });
  auto wait = across.begin();
  std::vector<Dependency> dependencies;  // reused for each piece of work
  const Duration turn_cap = std::max(kTurnCap, kUsualTimes * waits.delays.turn);
  const Duration launch_cap = std::max(kLaunchCap, kUsualTimes * waits.delays.launch);
  for (std::size_t i = 0; i < events.ops.size(); ++i) {
    const DeviceOp& op = events.ops[i];
    dependencies.clear();
    if (waits.order.previous[i] != kNoIndex) {
      const std::uint32_t before = waits.order.previous[i];
      dependencies.push_back(
          {tasks.ops[before].last, events.ops[before].end, EdgeKind::kStream, waits.delays.turn, turn_cap});
    }
    const TaskId launch = op.call == kNoIndex ? TaskId{} : threads[op.thread].task_ending_by(op.launched, assembly);
    if (launch.valid())
      dependencies.push_back({launch, op.launched, EdgeKind::kLaunch, waits.delays.launch, launch_cap});
    for (; wait != across.end() && wait->after == i; ++wait) {
      dependencies.push_back(across_streams(events, waits, tasks, *wait));
      if (wait->why == StreamWait::Why::kInferred || wait->why == StreamWait::Why::kRoom)
        assembly.inferred.push_back({tasks.ops[i].first, dependencies.back().from});
    }
    add_dependencies(tasks.ops[i].first, op.begin, dependencies, assembly);
  }
}

}  // namespace stepsim::ingest
