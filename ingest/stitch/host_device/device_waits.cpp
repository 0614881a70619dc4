#include "ingest/stitch/host_device/device_waits.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "ingest/stitch/host_device/framework_waits.h"
#include "ingest/stitch/host_device/sync_events.h"

namespace stepsim::ingest {
namespace {

/// What a call that can wait does besides waiting, at most.
constexpr Duration kCallOverhead{2'000};
/// A call returns within this of the end of what it waited for, if nothing recorded says what that was.
constexpr Duration kReturnDelay{50'000};
/// A stream goes on within this of the end of another stream's work it waited for, or within
/// this share of the wait: a kernel that needs many blocks at once is held up a little longer.
constexpr Duration kStreamWakeUp{50'000};
constexpr std::int64_t kWakeUpShare = 50;
/// Work that waited for room on the device begins in this last part of the work that leaves it: a fifth, at least 20
/// us, at most half.
constexpr std::int64_t kTailShare = 5;
constexpr Duration kTail{20'000};
/// A launch may only be taken to wait for a full queue if it took this long with this many pieces outstanding.
constexpr Duration kSlowLaunch{30'000};
constexpr std::ptrdiff_t kManyOutstanding = 256;

/// A recording in which most launches wait for something must not make waiting look usual.
constexpr Duration kLongestUsualLaunch{20'000};
constexpr Duration kLongestUsualTurn{5'000};

enum class Waits : std::uint8_t { kNever, kDevice, kStream, kOwnWork, kAllocation, kLaunch };

/// What a runtime or driver call of this name may wait for. CUDA and HIP name them alike.
Waits waits_of(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "hip", "cu"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    break;
  }
  if (name.starts_with("DeviceSynchronize") || name.starts_with("CtxSynchronize")) return Waits::kDevice;
  if (name.starts_with("StreamSynchronize") || name.starts_with("EventSynchronize")) return Waits::kStream;
  if (name.starts_with("Mem") && name.find("pool") == std::string_view::npos && name.starts_with("Memcpy"))
    return Waits::kOwnWork;
  static constexpr std::array<std::string_view, 6> kAllocating{"Malloc",   "Free",     "HostAlloc",
                                                               "HostFree", "MemAlloc", "MemFree"};
  for (const std::string_view word : kAllocating) {
    if (name.starts_with(word)) return Waits::kAllocation;
  }
  return name.find("Launch") != std::string_view::npos ? Waits::kLaunch : Waits::kNever;
}

Duration median(std::vector<Duration>& values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Puts `op` on the first row of its stream that is free, clipping a small overlap; 16 rows at most.
std::uint32_t choose_row(RankEvents& events, std::vector<std::uint32_t>& last_of_row, std::uint32_t index) {
  const DeviceOp& op = events.ops[index];
  for (std::uint32_t row = 0; row < last_of_row.size(); ++row) {
    DeviceOp& before = events.ops[last_of_row[row]];
    const Duration overlap = before.end - op.begin;
    const bool small = overlap <= std::max(kOverlapGrain, (before.end - before.begin) / 10) && op.end >= before.end &&
                       op.begin > before.begin;
    if (overlap > Duration{} && !small) continue;
    before.end = std::min(before.end, op.begin);
    last_of_row[row] = index;
    return row;
  }
  if (last_of_row.size() < 16) last_of_row.push_back(index);
  last_of_row.back() = index;
  return static_cast<std::uint32_t>(last_of_row.size() - 1);
}

/// Assigns rows and predecessors of one stream.
void order_stream(RankEvents& events, const RankEvents::Stream& stream, DevicePlan& plan) {
  std::vector<std::uint32_t> last_of_row;
  for (const std::uint32_t index : stream.ops) plan.row[index] = choose_row(events, last_of_row, index);
  std::vector<std::pair<Time, std::uint32_t>> by_end;
  for (const std::uint32_t index : stream.ops) by_end.emplace_back(events.ops[index].end, index);
  std::sort(by_end.begin(), by_end.end());
  for (const std::uint32_t index : stream.ops) {
    const auto at = std::lower_bound(by_end.begin(), by_end.end(), std::pair{events.ops[index].begin, index});
    if (at != by_end.begin()) plan.previous[index] = std::prev(at)->second;
  }
}

/// Work is handed over when its call returns, or when it begins if that is earlier. A copy that
/// its call waits for was handed over as the call began if it then stood behind other work of its
/// stream; else the call was busy until the copy began (staging a pageable buffer).
void find_launches(RankEvents& events, const DevicePlan& plan) {
  for (std::size_t i = 0; i < events.ops.size(); ++i) {
    DeviceOp& op = events.ops[i];
    if (op.call == kNoIndex) continue;
    const Time call_begin = events.begin_of(op.call);
    op.launched = std::min(events.end_of(op.call), std::max(op.begin, call_begin));
    const bool awaited = waits_of(events.name_of(op.call)) == Waits::kOwnWork && op.end <= events.end_of(op.call);
    const bool behind = plan.previous[i] != kNoIndex && events.ops[plan.previous[i]].end > call_begin;
    if (awaited && behind) op.launched = std::min(op.launched, call_begin + kCallOverhead);
  }
}

DeviceDelays usual_delays(const RankEvents& events, const DevicePlan& plan) {
  std::vector<Duration> launches;
  std::vector<Duration> turns;
  for (std::size_t i = 0; i < events.ops.size(); ++i) {
    const DeviceOp& op = events.ops[i];
    if (op.call == kNoIndex) continue;
    const bool has_previous = plan.previous[i] != kNoIndex;
    const Time free = has_previous ? events.ops[plan.previous[i]].end : Time::min();
    if (op.launched > free && op.begin >= op.launched) launches.push_back(op.begin - op.launched);
    if (has_previous && free >= op.launched && op.begin >= free) turns.push_back(op.begin - free);
  }
  return {std::min(median(launches), kLongestUsualLaunch), std::min(median(turns), kLongestUsualTurn)};
}

/// Reads what host calls waited for from the times alone.
class WaitFinder {
 public:
  WaitFinder(RankEvents& events, DevicePlan& plan, std::vector<ThreadPlan>& plans)
      : events_(events), plan_(plan), plans_(plans) {
    for (std::uint32_t i = 0; i < events.ops.size(); ++i) by_end_.emplace_back(events.ops[i].end, i);
    std::sort(by_end_.begin(), by_end_.end());
    op_of_call_.resize(events.trace->size(), kNoIndex);
    for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
      if (events.ops[i].call != kNoIndex) op_of_call_[events.ops[i].call] = i;
    }
    for (const RankEvents::Stream& stream : events.streams) index_stream(stream);
  }

  void run(const SyncEvents& syncs) {
    for (std::uint32_t t = 0; t < plans_.size(); ++t) {
      for (const std::uint32_t event : events_.threads[t].events) {
        if (events_.trace->kind[event] == EventKind::kRuntimeCall) read_call(t, event, syncs);
      }
    }
  }

 private:
  struct StreamTimes {
    std::vector<Time> launched;
    std::vector<Time> ended;
  };

  void index_stream(const RankEvents::Stream& stream) {
    StreamTimes times;
    for (const std::uint32_t op : stream.ops) {
      times.ended.push_back(events_.ops[op].end);
      if (events_.ops[op].call != kNoIndex) times.launched.push_back(events_.begin_of(events_.ops[op].call));
    }
    std::sort(times.ended.begin(), times.ended.end());
    std::sort(times.launched.begin(), times.launched.end());
    stream_times_.push_back(std::move(times));
  }

  [[nodiscard]] std::ptrdiff_t outstanding(std::uint32_t stream, Time at) const {
    const StreamTimes& times = stream_times_[stream];
    const auto launched = std::lower_bound(times.launched.begin(), times.launched.end(), at) - times.launched.begin();
    const auto ended = std::upper_bound(times.ended.begin(), times.ended.end(), at) - times.ended.begin();
    return launched - ended;
  }

  /// The op that ended last in (after, by], launched before `after`; of `stream` only unless that is kNoIndex.
  [[nodiscard]] std::uint32_t last_ended(Time after, Time by, std::uint32_t stream) const {
    auto at = std::upper_bound(by_end_.begin(), by_end_.end(), std::pair{by, kNoIndex});
    for (int tries = 0; at != by_end_.begin() && tries < 64; ++tries) {
      --at;
      if (at->first <= after) break;
      const DeviceOp& op = events_.ops[at->second];
      const bool launched_before = op.call == kNoIndex || events_.begin_of(op.call) <= after;
      if (launched_before && (stream == kNoIndex || op.stream == stream)) return at->second;
    }
    return kNoIndex;
  }

  void read_call(std::uint32_t thread, std::uint32_t call, const SyncEvents& syncs) {
    const Waits waits = waits_of(events_.name_of(call));
    if (waits == Waits::kNever) return;
    const Time begin = events_.begin_of(call);
    const Time end = events_.end_of(call);
    if (const auto* const awaited = syncs.awaited_by(call)) {
      for (const std::uint32_t op : *awaited) add_wait(thread, op, begin, end);
      return;
    }
    const std::uint32_t op = awaited_by_times(waits, call, begin, end);
    if (op != kNoIndex) {
      if (waits == Waits::kLaunch) {
        ++plan_.full_queue_waits;
      } else {
        ++plan_.inferred_host_waits;
      }
      add_wait(thread, op, begin, end);
    } else if ((waits == Waits::kDevice || waits == Waits::kStream) && end - begin > kReturnDelay) {
      ++plan_.unexplained_blocking;
    }
  }

  [[nodiscard]] std::uint32_t awaited_by_times(Waits waits, std::uint32_t call, Time begin, Time end) const {
    const std::uint32_t own = op_of_call_[call];
    switch (waits) {
      case Waits::kOwnWork:
        return own != kNoIndex && events_.ops[own].end > begin && events_.ops[own].end <= end ? own : kNoIndex;
      case Waits::kDevice: return last_ended(begin, end, kNoIndex);
      case Waits::kStream: return ended_just_before_return(begin, end);
      case Waits::kAllocation: return end - begin > kReturnDelay ? ended_just_before_return(begin, end) : kNoIndex;
      case Waits::kLaunch:
        if (own == kNoIndex || end - begin < kSlowLaunch ||
            outstanding(events_.ops[own].stream, begin) < kManyOutstanding)
          return kNoIndex;
        return last_ended(begin, end, events_.ops[own].stream);
      case Waits::kNever: break;
    }
    return kNoIndex;
  }

  [[nodiscard]] std::uint32_t ended_just_before_return(Time begin, Time end) const {
    const std::uint32_t op = last_ended(begin, end, kNoIndex);
    if (op == kNoIndex) return op;
    return end - events_.ops[op].end <= std::max(kReturnDelay, (end - begin) / 5) ? op : kNoIndex;
  }

  void add_wait(std::uint32_t thread, std::uint32_t op, Time begin, Time end) {
    const Time ended = events_.ops[op].end;
    if (ended > end) return;
    const bool own = events_.ops[op].call != kNoIndex && events_.ops[op].begin > begin &&
                     events_.begin_of(events_.ops[op].call) == begin;
    const Time waits_from = own ? events_.ops[op].launched : begin + std::min(kCallOverhead, end - begin);
    if (waits_from < ended) plans_[thread].waits.push_back({waits_from, ended});
    plan_.host_waits.push_back({op, thread, std::max(ended, begin)});
    plans_[thread].cuts.push_back(plan_.host_waits.back().resume);
  }

  RankEvents& events_;
  DevicePlan& plan_;
  std::vector<ThreadPlan>& plans_;
  std::vector<std::pair<Time, std::uint32_t>> by_end_;
  std::vector<std::uint32_t> op_of_call_;
  std::vector<StreamTimes> stream_times_;
};

/// Finds what device work waited for on other streams where no event records it.
class StreamWaitFinder {
 public:
  StreamWaitFinder(const RankEvents& events, DevicePlan& plan)
      : events_(events), plan_(plan), explained_(events.ops.size(), Time::min()) {
    for (const StreamWait& wait : plan.stream_waits)
      explained_[wait.after] = std::max(explained_[wait.after], events.ops[wait.before].end);
    for (std::uint32_t i = 0; i < events.ops.size(); ++i) by_end_.emplace_back(events.ops[i].end, i);
    std::sort(by_end_.begin(), by_end_.end());
  }

  void run() {
    for (std::uint32_t i = 0; i < events_.ops.size(); ++i) {
      const Time ready = ready_at(i);
      if (events_.ops[i].begin - kOverlapGrain <= ready) continue;
      if (!waits_for_an_end(i, ready)) (void)waits_for_room(i, ready);
    }
  }

 private:
  using Ends = std::vector<std::pair<Time, std::uint32_t>>;

  [[nodiscard]] Time ready_at(std::uint32_t i) const {
    Time ready = explained_[i];
    if (plan_.previous[i] != kNoIndex) ready = std::max(ready, events_.ops[plan_.previous[i]].end);
    const DeviceOp& op = events_.ops[i];
    return op.call == kNoIndex ? ready : std::max(ready, op.launched + plan_.delays.launch);
  }

  [[nodiscard]] bool other_stream(const DeviceOp& a, const DeviceOp& b) const {
    return a.stream != b.stream && events_.streams[a.stream].device == events_.streams[b.stream].device;
  }

  /// An event can only stand for work that was launched before the wait.
  [[nodiscard]] bool launched_before(const DeviceOp& a, const DeviceOp& b) const {
    return a.call == kNoIndex || b.call == kNoIndex || events_.begin_of(a.call) <= events_.begin_of(b.call);
  }

  bool waits_for_an_end(std::uint32_t i, Time ready) {
    const DeviceOp& op = events_.ops[i];
    const Duration wake_up =
        ready == Time::min() ? kStreamWakeUp : std::max(kStreamWakeUp, (op.begin - ready) / kWakeUpShare);
    auto at = std::upper_bound(by_end_.begin(), by_end_.end(), std::pair{op.begin, kNoIndex});
    for (int tries = 0; at != by_end_.begin() && tries < 64; ++tries) {
      --at;
      if (at->first <= ready || op.begin - at->first > wake_up) return false;
      const DeviceOp& other = events_.ops[at->second];
      if (!other_stream(op, other) || !launched_before(other, op)) continue;
      plan_.stream_waits.push_back({at->second, i, StreamWait::Why::kInferred});
      return true;
    }
    return false;
  }

  bool waits_for_room(std::uint32_t i, Time ready) {
    const DeviceOp& op = events_.ops[i];
    auto at = std::upper_bound(by_end_.begin(), by_end_.end(), std::pair{op.begin, kNoIndex});
    for (int tries = 0; at != by_end_.end() && tries < 64; ++at, ++tries) {
      const DeviceOp& other = events_.ops[at->second];
      const Duration length = other.end - other.begin;
      const Duration tail = std::min(length / 2, std::max(kTail, length / kTailShare));
      const bool in_tail = other.begin < op.begin && other.end > ready && other.end - op.begin <= tail;
      const bool divisible =
          events_.trace->kind[other.event] != EventKind::kKernel || !collective_in(events_.name_of(other.event));
      if (!in_tail || !divisible || !other_stream(op, other)) continue;
      plan_.stream_waits.push_back({at->second, i, StreamWait::Why::kRoom});
      return true;
    }
    return false;
  }

  const RankEvents& events_;
  DevicePlan& plan_;
  std::vector<Time> explained_;
  Ends by_end_;
};

}  // namespace

DevicePlan plan_device(RankEvents& events, std::vector<ThreadPlan>& plans) {
  DevicePlan plan;
  plan.row.resize(events.ops.size(), 0);
  plan.previous.resize(events.ops.size(), kNoIndex);
  for (const RankEvents::Stream& stream : events.streams) order_stream(events, stream, plan);
  find_launches(events, plan);
  plan.delays = usual_delays(events, plan);
  const SyncEvents syncs(events);
  for (const DeviceOp& op : events.ops) {
    if (op.call == kNoIndex) continue;
    if (op.launched < events.end_of(op.call)) plans[op.thread].cuts.push_back(op.launched);
  }
  WaitFinder(events, plan, plans).run(syncs);
  plan.stream_waits = syncs.stream_waits();
  if (plan.stream_waits.empty()) plan.stream_waits = framework_waits(events);
  plan.unresolved_syncs = syncs.unresolved();
  StreamWaitFinder(events, plan).run();
  return plan;
}

}  // namespace stepsim::ingest
