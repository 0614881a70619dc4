#include "ingest/stitch/host_device/blocking_calls.h"

#include <algorithm>
#include <utility>

#include "ingest/stitch/host_device/by_name.h"
#include "ingest/stitch/host_device/runtime_calls.h"
#include "ingest/stitch/host_device/stream_order.h"
#include "model/base/sort_runs.h"

namespace stepsim::ingest {
namespace {

/// A call returns within this after the end of what it waited for.
constexpr Duration kReturnDelay{50'000};
/// A launch may have waited for a full queue if it took this long with this many pieces outstanding.
constexpr Duration kSlowLaunch{30'000};
constexpr std::ptrdiff_t kManyOutstanding = 256;
/// At most this many pieces of work are examined, backwards from the last that ended.
constexpr int kMostCandidates = 64;

class BlockingCallFinder {
 public:
  BlockingCallFinder(const RankEvents& events, std::vector<HostThread>& threads)
      : events_(events), threads_(threads), wait_of_(*events.trace, wait_of_call) {
    by_end_.reserve(events.ops.size());
    for (std::uint32_t i = 0; i < events.ops.size(); ++i) by_end_.emplace_back(events.ops[i].end, i);
    sort_runs(by_end_);
    op_of_call_.resize(events.trace->size(), kNoIndex);
    for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
      if (events.ops[i].call != kNoIndex) op_of_call_[events.ops[i].call] = i;
    }
    for (const RankEvents::Stream& stream : events.streams) index_stream(stream);
  }

  BlockingCalls run(const SyncEvents& syncs) {
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      for (const std::uint32_t event : events_.threads[t].events) {
        if (events_.trace->kind[event] == EventKind::kRuntimeCall) read_call(t, event, syncs);
      }
    }
    return std::move(found_);
  }

 private:
  struct StreamTimes {
    std::vector<Time> launched;
    std::vector<Time> ended;
  };

  void index_stream(const RankEvents::Stream& stream) {
    StreamTimes times;
    times.ended.reserve(stream.ops.size());
    times.launched.reserve(stream.ops.size());
    for (const std::uint32_t op : stream.ops) {
      times.ended.push_back(events_.ops[op].end);
      if (events_.ops[op].call != kNoIndex) times.launched.push_back(events_.begin_of(events_.ops[op].call));
    }
    sort_runs(times.ended);
    sort_runs(times.launched);
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
    for (int tries = 0; at != by_end_.begin() && tries < kMostCandidates; ++tries) {
      --at;
      if (at->first <= after) break;
      const DeviceOp& op = events_.ops[at->second];
      const bool launched_before = op.call == kNoIndex || events_.begin_of(op.call) <= after;
      if (launched_before && (stream == kNoIndex || op.stream == stream)) return at->second;
    }
    return kNoIndex;
  }

  void read_call(std::uint32_t thread, std::uint32_t call, const SyncEvents& syncs) {
    const CallWait wait = wait_of_(call);
    if (wait == CallWait::kNothing) return;
    const Time begin = events_.begin_of(call);
    const Time end = events_.end_of(call);
    if (const auto* const awaited = syncs.awaited_by(call)) {
      for (const std::uint32_t op : *awaited) add_wait(thread, op, begin, end, false);
      return;
    }
    const std::uint32_t op = awaited_by_times(wait, call, begin, end);
    if (op != kNoIndex) {
      if (wait == CallWait::kLaunch) {
        ++found_.full_queue;
      } else {
        ++found_.inferred;
      }
      add_wait(thread, op, begin, end, wait != CallWait::kOwnWork);
    } else if ((wait == CallWait::kDevice || wait == CallWait::kStream) && end - begin > kReturnDelay) {
      ++found_.unexplained;
    }
  }

  [[nodiscard]] std::uint32_t awaited_by_times(CallWait wait, std::uint32_t call, Time begin, Time end) const {
    const std::uint32_t own = op_of_call_[call];
    switch (wait) {
      case CallWait::kOwnWork: return own != kNoIndex && is_awaited_copy(events_, events_.ops[own]) ? own : kNoIndex;
      case CallWait::kDevice: return last_ended(begin, end, kNoIndex);
      case CallWait::kStream: return ended_just_before_return(begin, end);
      case CallWait::kAllocation: return end - begin > kReturnDelay ? ended_just_before_return(begin, end) : kNoIndex;
      case CallWait::kLaunch:
        if (own == kNoIndex || end - begin < kSlowLaunch ||
            outstanding(events_.ops[own].stream, begin) < kManyOutstanding)
          return kNoIndex;
        return last_ended(begin, end, events_.ops[own].stream);
      case CallWait::kNothing: break;
    }
    return kNoIndex;
  }

  [[nodiscard]] std::uint32_t ended_just_before_return(Time begin, Time end) const {
    const std::uint32_t op = last_ended(begin, end, kNoIndex);
    if (op == kNoIndex) return op;
    return end - events_.ops[op].end <= std::max(kReturnDelay, (end - begin) / 5) ? op : kNoIndex;
  }

  /// True for work that the call which began then had started.
  [[nodiscard]] bool is_own(std::uint32_t op, Time call_begin) const {
    return events_.ops[op].call != kNoIndex && events_.begin_of(events_.ops[op].call) == call_begin;
  }

  void add_wait(std::uint32_t thread, std::uint32_t op, Time begin, Time end, bool inferred) {
    const Time ended = events_.ops[op].end;
    if (ended > end && !is_own(op, begin)) return;
    const Time waits_from = is_own(op, begin) && events_.ops[op].begin > begin
                                ? events_.ops[op].launched
                                : begin + std::min(kCallOverhead, end - begin);
    if (waits_from < ended) threads_[thread].waits.push_back({waits_from, ended});
    found_.waits.push_back({op, thread, std::max(ended, begin), inferred});
    threads_[thread].cuts.push_back(found_.waits.back().resume);
  }

  const RankEvents& events_;
  std::vector<HostThread>& threads_;
  ByName<decltype(&wait_of_call)> wait_of_;
  BlockingCalls found_;
  std::vector<std::pair<Time, std::uint32_t>> by_end_;
  std::vector<std::uint32_t> op_of_call_;
  std::vector<StreamTimes> stream_times_;
};

}  // namespace

BlockingCalls find_blocking_calls(const RankEvents& events, const SyncEvents& syncs, std::vector<HostThread>& threads) {
  return BlockingCallFinder(events, threads).run(syncs);
}

}  // namespace stepsim::ingest
