#include "ingest/stitch/host_device/stream_waits.h"

#include <algorithm>
#include <utility>

#include "model/base/sort_runs.h"

namespace stepsim::ingest {
namespace {

/// A stream goes on within this after the end of the work that it waited for, or within this share of
/// the wait: a kernel that needs many blocks at once is held up a little longer.
constexpr Duration kStreamWakeUp{50'000};
constexpr std::int64_t kWakeUpShare = 50;
/// Work that waits for room begins in this last part of the work that leaves it: a fifth, but at
/// least 20 us and at most half.
constexpr std::int64_t kTailShare = 5;
constexpr Duration kTail{20'000};
/// At most this many pieces of work are examined, in the order of their ends.
constexpr int kMostWaitCandidates = 64;

class StreamWaitFinder {
 public:
  StreamWaitFinder(const RankEvents& events, const StreamOrder& order, const DeviceDelays& delays,
                   std::vector<StreamWait>& waits)
      : events_(events), order_(order), delays_(delays), waits_(waits), explained_(events.ops.size(), Time::min()) {
    for (const StreamWait& wait : waits)
      explained_[wait.after] = std::max(explained_[wait.after], events.ops[wait.before].end);
    by_end_.reserve(events.ops.size());
    for (std::uint32_t i = 0; i < events.ops.size(); ++i) by_end_.emplace_back(events.ops[i].end, i);
    sort_runs(by_end_);
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
    if (order_.previous[i] != kNoIndex) ready = std::max(ready, events_.ops[order_.previous[i]].end);
    const DeviceOp& op = events_.ops[i];
    return op.call == kNoIndex ? ready : std::max(ready, op.launched + delays_.launch);
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
    for (int tries = 0; at != by_end_.begin() && tries < kMostWaitCandidates; ++tries) {
      --at;
      if (at->first <= ready || op.begin - at->first > wake_up) return false;
      const DeviceOp& other = events_.ops[at->second];
      if (!other_stream(op, other) || !launched_before(other, op)) continue;
      waits_.push_back({at->second, i, StreamWait::Why::kInferred});
      return true;
    }
    return false;
  }

  bool waits_for_room(std::uint32_t i, Time ready) {
    const DeviceOp& op = events_.ops[i];
    auto at = std::upper_bound(by_end_.begin(), by_end_.end(), std::pair{op.begin, kNoIndex});
    for (int tries = 0; at != by_end_.end() && tries < kMostWaitCandidates; ++at, ++tries) {
      const DeviceOp& other = events_.ops[at->second];
      const Duration length = other.end - other.begin;
      const Duration tail = std::min(length / 2, std::max(kTail, length / kTailShare));
      const bool in_tail = other.begin < op.begin && other.end > ready && other.end - op.begin <= tail;
      const bool divisible =
          events_.trace->kind[other.event] != EventKind::kKernel || !events_.is_communication(other.event);
      if (!in_tail || !divisible || !other_stream(op, other)) continue;
      waits_.push_back({at->second, i, StreamWait::Why::kRoom});
      return true;
    }
    return false;
  }

  const RankEvents& events_;
  const StreamOrder& order_;
  const DeviceDelays& delays_;
  std::vector<StreamWait>& waits_;
  std::vector<Time> explained_;  // by op: when all that `waits_` names was done, at first
  Ends by_end_;
};

}  // namespace

void infer_stream_waits(const RankEvents& events, const StreamOrder& order, const DeviceDelays& delays,
                        std::vector<StreamWait>& waits) {
  StreamWaitFinder(events, order, delays, waits).run();
}

}  // namespace stepsim::ingest
