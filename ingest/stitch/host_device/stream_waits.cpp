#include "ingest/stitch/host_device/device_wait_passes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/sort_runs.h"

namespace stepsim::ingest {
namespace {

using StreamKey = std::pair<std::int32_t, std::int64_t>;  // device, number

/// A device-wide synchronisation waits for the last work of every stream. With more streams than this, its wait is
/// inferred from times instead.
constexpr std::size_t kManyStreams = 64;

/// Finds the work that sync events refer to, from the launches on the streams they name.
class SyncReader {
 public:
  SyncReader(const RankEvents& events, SyncEvents& out) : events_(events), out_(out) {
    for (std::uint32_t op = 0; op < events.ops.size(); ++op) {
      const bool has_call = events.ops[op].call != kNoIndex;
      if (!has_call && !events.is_before_capture(events.ops[op])) continue;
      const RankEvents::Stream& stream = events.streams[events.ops[op].stream];
      orders_[{stream.device, stream.number}].add(launched(op), op);
    }
    for (auto& [key, order] : orders_) {
      order.sort();
      with_number_[key.second].push_back(&order);
    }
  }

  void read(std::uint32_t sync) {
    const EventDetail* const detail = events_.trace->detail_of(sync);
    const std::uint32_t call = events_.call_of(events_.trace->correlation[sync], events_.begin_of(sync));
    const SyncKind kind = detail == nullptr ? SyncKind::kNone : detail->sync;
    const std::uint32_t record = detail == nullptr || detail->wait_correlation < 0
                                     ? kNoIndex
                                     : events_.call_of(detail->wait_correlation, events_.begin_of(sync));
    const bool of_event = kind == SyncKind::kEvent || kind == SyncKind::kStreamWait;
    if (detail == nullptr || call == kNoIndex || (of_event && record == kNoIndex)) {
      ++out_.unresolved;
      return;
    }
    const std::int32_t device = events_.trace->tracks[events_.trace->track[sync].index()].device;
    if (kind == SyncKind::kStreamWait) {
      read_stream_wait(recorded_on(detail->wait_stream, events_.begin_of(record)), {device, detail->stream},
                       events_.begin_of(call));
    } else if (kind == SyncKind::kEvent) {
      await(call, recorded_on(detail->wait_stream, events_.begin_of(record)));
    } else if (kind == SyncKind::kStream) {
      await(call, last_on({device, detail->stream}, events_.begin_of(call)));
    } else {
      await_device(call, device);
    }
  }

 private:
  [[nodiscard]] std::uint32_t last_on(StreamKey stream, Time before) const {
    const auto order = orders_.find(stream);
    return order == orders_.end() ? kNoIndex : order->second.last_before(before);
  }

  /// Returns the begin of the op's call; Time::min() if that was before the capture.
  [[nodiscard]] Time launched(std::uint32_t op) const {
    const std::uint32_t call = events_.ops[op].call;
    return call == kNoIndex ? Time::min() : events_.begin_of(call);
  }

  /// Returns the op after which an event was recorded on the stream with this number. The trace does not name the
  /// event's device: of several with such a stream, the one whose stream got work last is taken.
  [[nodiscard]] std::uint32_t recorded_on(std::int64_t stream, Time at) const {
    std::uint32_t latest = kNoIndex;
    const auto known = with_number_.find(stream);
    if (known == with_number_.end()) return latest;
    for (const LaunchOrder* const order : known->second) {
      const std::uint32_t op = order->last_before(at);
      if (op == kNoIndex) continue;
      if (latest == kNoIndex || launched(op) > launched(latest)) latest = op;
    }
    return latest;
  }

  void await(std::uint32_t call, std::uint32_t op) {
    std::vector<std::uint32_t>& awaited = out_.awaited[call];
    if (op != kNoIndex) awaited.push_back(op);
  }

  void await_device(std::uint32_t call, std::int32_t device) {
    if (orders_.size() > kManyStreams) return;
    out_.awaited.try_emplace(call);
    for (const auto& [key, order] : orders_) {
      if (key.first == device || device < 0) await(call, order.last_before(events_.begin_of(call)));
    }
  }

  void read_stream_wait(std::uint32_t before, StreamKey waiting, Time called) {
    const auto order = orders_.find(waiting);
    const std::uint32_t after = order == orders_.end() ? kNoIndex : order->second.first_from(called);
    if (before == kNoIndex || after == kNoIndex || events_.ops[before].stream == events_.ops[after].stream) return;
    if (events_.ops[before].end <= events_.ops[after].begin + kOverlapGrain)
      out_.stream_waits.push_back({before, after});
  }

  const RankEvents& events_;
  SyncEvents& out_;
  std::map<StreamKey, LaunchOrder> orders_;
  std::map<std::int64_t, std::vector<const LaunchOrder*>> with_number_;  ///< those of the streams with a number
};

}  // namespace

SyncEvents read_sync_events(const RankEvents& events) {
  SyncEvents found;
  if (events.syncs.empty()) return found;
  SyncReader reader(events, found);
  for (const std::uint32_t sync : events.syncs) reader.read(sync);
  return found;
}

namespace {

using StorageUse = HostDeviceTrace::StorageUse;

class DataWaits {
 public:
  explicit DataWaits(const RankEvents& events) : events_(events), owners_(events.trace->size()) {}

  std::vector<StreamWait> run() {
    for (const RankEvents::Thread& thread : events_.threads) {
      if (thread.launches) find_owners(thread);
    }
    std::vector<std::pair<Time, std::uint32_t>> launches;
    for (std::uint32_t i = 0; i < events_.ops.size(); ++i) {
      const std::uint32_t call = events_.ops[i].call;
      if (call != kNoIndex && !owners_[call].empty()) launches.emplace_back(events_.begin_of(call), i);
    }
    std::sort(launches.begin(), launches.end());
    for (const auto& [called, op] : launches) take(op);
    return std::move(found_);
  }

 private:
  /// The operators whose memory is used by work that is launched at a place.
  struct Owners {
    std::vector<std::uint32_t> of_launch;
    std::vector<std::uint32_t> of_communication;  ///< those of the calls of a process group that are around it
  };

  [[nodiscard]] bool has_tensors(std::uint32_t event) const {
    const auto& uses = events_.trace->storage_uses;
    const auto first = first_use(event);
    return first != uses.end() && first->event == event;
  }

  [[nodiscard]] std::vector<StorageUse>::const_iterator first_use(std::uint32_t event) const {
    const auto& uses = events_.trace->storage_uses;
    return std::lower_bound(uses.begin(), uses.end(), event,
                            [](const StorageUse& use, std::uint32_t wanted) { return use.event < wanted; });
  }

  [[nodiscard]] bool communicates(std::uint32_t event) const {
    const std::string_view name = events_.name_of(event);
    return name.starts_with(kNcclAnnotation) || name.starts_with(kProcessGroupCall) || name == kRecordedCall;
  }

  /// For each runtime call of a thread, finds the operators whose memory the launched work uses.
  void find_owners(const RankEvents::Thread& thread) {
    for_each_nested<Owners>(events_, thread, [this](std::uint32_t event, const Owners& around) {
      if (events_.trace->kind[event] == EventKind::kRuntimeCall) {
        owners_[event] = around.of_launch;
        return Owners{};
      }
      Owners inner;
      const bool communication = communicates(event);
      if (communication) inner.of_communication = around.of_communication;
      if (has_tensors(event)) (communication ? inner.of_communication : inner.of_launch).push_back(event);
      if (inner.of_launch.empty())
        inner.of_launch = inner.of_communication.empty() ? around.of_launch : inner.of_communication;
      return inner;
    });
  }

  void take(std::uint32_t op) {
    const std::vector<std::uint32_t>& owners = owners_[events_.ops[op].call];
    const bool in_place =
        std::none_of(owners.begin(), owners.end(), [this](std::uint32_t owner) { return writes(owner); });
    // By stream: the last op that wrote memory which `op` uses.
    std::map<std::uint32_t, std::uint32_t> latest;
    for (const std::uint32_t owner : owners) {
      for_each_use(owner, [&](const StorageUse& use) {
        const auto writer = writer_.find(use.storage);
        if (writer == writer_.end()) return;
        const std::uint32_t stream = events_.ops[writer->second].stream;
        const auto [slot, added] = latest.try_emplace(stream, writer->second);
        if (!added) slot->second = std::max(slot->second, writer->second);  // a larger index began later
      });
    }
    for (const auto& [stream, writer] : latest) add(writer, op);
    for (const std::uint32_t owner : owners) {
      for_each_use(owner, [&](const StorageUse& use) {
        if (use.written || in_place) writer_[use.storage] = op;
      });
    }
  }

  template <class Visit>
  void for_each_use(std::uint32_t event, const Visit& visit) const {
    const auto& uses = events_.trace->storage_uses;
    for (auto use = first_use(event); use != uses.end() && use->event == event; ++use) visit(*use);
  }

  [[nodiscard]] bool writes(std::uint32_t event) const {
    bool written = false;
    for_each_use(event, [&](const StorageUse& use) { written = written || use.written; });
    return written;
  }

  void add(std::uint32_t before, std::uint32_t after) {
    const DeviceOp& a = events_.ops[before];
    const DeviceOp& b = events_.ops[after];
    if (a.stream == b.stream || a.end > b.begin) return;
    const auto [known, added] = waited_.try_emplace({b.stream, a.stream}, before);
    if (!added && known->second >= before) return;
    known->second = before;
    found_.push_back({before, after, StreamWait::Why::kData});
  }

  const RankEvents& events_;
  std::vector<std::vector<std::uint32_t>> owners_;          // by event of a call: operators whose memory its work uses
  std::unordered_map<std::int64_t, std::uint32_t> writer_;  // last op that wrote a storage; never iterated
  // (waiting stream, other stream) -> latest op of the other stream that the waiting one has waited for.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> waited_;
  std::vector<StreamWait> found_;
};

}  // namespace

std::vector<StreamWait> data_waits(const RankEvents& events) {
  return events.trace->storage_uses.empty() ? std::vector<StreamWait>{} : DataWaits(events).run();
}

namespace {

/// A stream continues within this time after the end of the work that it waited for, or within 1 / kWakeUpShare of the
/// wait if that is more, because a kernel that needs many blocks at once takes longer to start.
constexpr Duration kStreamWakeUp{50'000};
constexpr std::int64_t kWakeUpShare = 50;
/// Work that waits for room on the device begins shortly before the end of the work that occupies it: in its last
/// 1/kTailShare or its last kTail, whichever is longer, but not in its first half.
constexpr std::int64_t kTailShare = 5;
constexpr Duration kTail{20'000};

class StreamWaitFinder {
 public:
  StreamWaitFinder(const RankEvents& events, const OpsByEnd& by_end, const StreamOrder& order,
                   const DeviceDelays& delays, std::vector<StreamWait>& waits)
      : events_(events),
        by_end_(by_end),
        order_(order),
        delays_(delays),
        waits_(waits),
        explained_(events.ops.size(), Time::min()) {
    for (const StreamWait& wait : waits)
      explained_[wait.after] = std::max(explained_[wait.after], events.ops[wait.before].end);
  }

  void run() {
    for (std::uint32_t i = 0; i < events_.ops.size(); ++i) {
      const Time ready = ready_at(i);
      if (events_.ops[i].begin - kOverlapGrain <= ready) continue;
      if (!waits_for_an_end(i, ready, true) && !waits_for_an_end(i, ready, false)) (void)waits_for_room(i, ready);
    }
  }

 private:
  [[nodiscard]] Time ready_at(std::uint32_t i) const {
    Time ready = explained_[i];
    if (order_.previous[i] != kNoIndex) ready = std::max(ready, events_.ops[order_.previous[i]].end);
    const DeviceOp& op = events_.ops[i];
    return op.call == kNoIndex ? ready : std::max(ready, op.launched + delays_.launch);
  }

  [[nodiscard]] bool same_device(const DeviceOp& a, const DeviceOp& b) const {
    return events_.streams[a.stream].device == events_.streams[b.stream].device;
  }

  /// Returns true if `a` was launched before `b`, or if the launch of one is unknown. Work can only wait for work that
  /// was launched earlier.
  [[nodiscard]] bool launched_before(const DeviceOp& a, const DeviceOp& b) const {
    return a.call == kNoIndex || b.call == kNoIndex || events_.begin_of(a.call) <= events_.begin_of(b.call);
  }

  /// Looks for work of the same device, or of another device of the process.
  bool waits_for_an_end(std::uint32_t i, Time ready, bool on_device) {
    const DeviceOp& op = events_.ops[i];
    const Duration wake_up =
        ready == Time::min() ? kStreamWakeUp : std::max(kStreamWakeUp, (op.begin - ready) / kWakeUpShare);
    auto at = std::upper_bound(by_end_.begin(), by_end_.end(), std::pair{op.begin, kNoIndex});
    for (int tries = 0; at != by_end_.begin() && tries < kMostCandidates; ++tries) {
      --at;
      if (at->first <= ready || op.begin - at->first > wake_up) return false;
      const DeviceOp& other = events_.ops[at->second];
      if (op.stream == other.stream || same_device(op, other) != on_device || !launched_before(other, op)) continue;
      waits_.push_back({at->second, i, StreamWait::Why::kInferred});
      return true;
    }
    return false;
  }

  bool waits_for_room(std::uint32_t i, Time ready) {
    const DeviceOp& op = events_.ops[i];
    auto at = std::upper_bound(by_end_.begin(), by_end_.end(), std::pair{op.begin, kNoIndex});
    for (int tries = 0; at != by_end_.end() && tries < kMostCandidates; ++at, ++tries) {
      const DeviceOp& other = events_.ops[at->second];
      const Duration length = other.end - other.begin;
      const Duration tail = std::min(length / 2, std::max(kTail, length / kTailShare));
      const bool in_tail = other.begin < op.begin && other.end > ready && other.end - op.begin <= tail;
      const bool divisible = !events_.is_collective(other.event);
      if (!in_tail || !divisible || op.stream == other.stream || !same_device(op, other)) continue;
      waits_.push_back({at->second, i, StreamWait::Why::kRoom});
      return true;
    }
    return false;
  }

  const RankEvents& events_;
  const OpsByEnd& by_end_;
  const StreamOrder& order_;
  const DeviceDelays& delays_;
  std::vector<StreamWait>& waits_;
  // By op: the time when the last of the work that the op waits for was done. Only the waits that were known at the
  // start count.
  std::vector<Time> explained_;
};

}  // namespace

void infer_stream_waits(const RankEvents& events, const OpsByEnd& by_end, const StreamOrder& order,
                        const DeviceDelays& delays, std::vector<StreamWait>& waits) {
  StreamWaitFinder(events, by_end, order, delays, waits).run();
}

}  // namespace stepsim::ingest
