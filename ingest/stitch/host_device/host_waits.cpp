#include "ingest/stitch/host_device/device_wait_passes.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "ingest/stitch/host_device/device_waits.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/sort_runs.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// A call returns at most this long after the end of the work it waited for, or 1 / kReturnShare of its own length if
/// that is longer.
constexpr Duration kReturnDelay{50'000};
constexpr std::int64_t kReturnShare = 5;
/// A call that puts work on a stream waited for room in the launch queue if CUPTI saw a full command buffer in it.
/// Without such records, it is assumed to have waited if it took at least kSlowLaunch while at least kManyOutstanding
/// launches were queued or running on its stream. On an H100 with CUDA 13.0, the 1,022nd launch waited (kernels,
/// copies, memsets and graphs; events take no place), and the 749th of kernels with 4 kB of arguments. More than 8
/// streams share their queues, so a stream may have fewer. Measured by tests/truth/one_gpu/launch_queue.cu.
constexpr Duration kSlowLaunch{30'000};
constexpr std::ptrdiff_t kManyOutstanding = 256;

class BlockingCallFinder {
 public:
  BlockingCallFinder(const RankEvents& events, const OpsByEnd& by_end, std::vector<HostThread>& threads)
      : events_(events),
        by_end_(by_end),
        threads_(threads),
        wait_of_(*events.trace, wait_of_call),
        reads_result_(*events.trace, reads_result) {
    for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
      if (events.ops[i].call != kNoIndex) op_of_call_.set(events.ops[i].call, i);
    }
    for (const RankEvents::Stream& stream : events.streams) index_stream(stream);
    for (const HostDeviceTrace::Overhead& one : events.trace->overheads) {
      if (one.queue_full) full_buffers_.push_back(one.start);
    }
    std::sort(full_buffers_.begin(), full_buffers_.end());
  }

  BlockingCalls run(const SyncEvents& syncs) {
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      const std::vector<std::uint32_t>& events = events_.threads[t].events;
      for (std::size_t i = 0; i < events.size(); ++i) {
        if (events_.trace->kind[events[i]] == EventKind::kRuntimeCall) {
          read_call(t, events[i], wait_of_(events[i]), syncs);
        } else if (reads_result_(events[i])) {
          // Some profilers record no calls. The innermost operator then shows the wait.
          const bool innermost = i + 1 == events.size() || events_.begin_of(events[i + 1]) >= events_.end_of(events[i]);
          if (innermost) read_call(t, events[i], CallWait::kResult, syncs);
        }
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
    std::uint32_t last_call = kNoIndex;
    for (const std::uint32_t op : stream.ops) {
      const DeviceOp& one = events_.ops[op];
      const bool has_call = one.call != kNoIndex;
      if (!has_call && !events_.is_before_capture(one)) continue;  // nothing shows when it was queued
      if (has_call && one.call == last_call) {                     // a CUDA graph, which takes one place in the queue
        times.ended.back() = std::max(times.ended.back(), one.end);
        continue;
      }
      times.launched.push_back(has_call ? events_.begin_of(one.call) : Time::min());
      times.ended.push_back(one.end);
      last_call = one.call;
    }
    sort_runs(times.ended);
    sort_runs(times.launched);
    stream_times_.push_back(std::move(times));
  }

  /// True if CUPTI saw a full command buffer between the two times.
  [[nodiscard]] bool saw_full_buffer(Time begin, Time end) const {
    const auto first = std::lower_bound(full_buffers_.begin(), full_buffers_.end(), begin);
    return first != full_buffers_.end() && *first < end;
  }

  /// Returns how many launches of the stream were queued or running. Those without a call at the start of the stream
  /// were launched before the capture.
  [[nodiscard]] std::ptrdiff_t outstanding(std::uint32_t stream, Time at) const {
    const StreamTimes& times = stream_times_[stream];
    const auto launched = std::lower_bound(times.launched.begin(), times.launched.end(), at) - times.launched.begin();
    const auto ended = std::upper_bound(times.ended.begin(), times.ended.end(), at) - times.ended.begin();
    return launched - ended;
  }

  /// Returns the op that ended last in (after, by] and was launched at `after` or before. If `stream` is not kNoIndex,
  /// only considers ops of that stream.
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

  void read_call(std::uint32_t thread, std::uint32_t call, CallWait wait, const SyncEvents& syncs) {
    if (wait == CallWait::kNothing) return;
    const Time begin = events_.begin_of(call);
    const Time end = events_.end_of(call);
    if (const auto* const awaited = syncs.awaited_by(call)) {
      for (const std::uint32_t op : *awaited) add_wait(thread, op, begin, end, false);
      return await_unrecorded(thread, *awaited, begin, end);
    }
    const std::uint32_t op = awaited_by_times(wait, call, begin, end);
    const bool needs_room = wait == CallWait::kLaunch || wait == CallWait::kRoom || wait == CallWait::kOwnWork;
    if (op != kNoIndex) {
      if (!needs_room) ++found_.inferred;
      add_wait(thread, op, begin, end, wait != CallWait::kOwnWork);
    } else if (const std::uint32_t ended = needs_room ? made_room(call, begin, end) : kNoIndex; ended != kNoIndex) {
      ++found_.full_queue;
      add_wait(thread, ended, begin, end, true);
    }
    if (wait == CallWait::kDevice || wait == CallWait::kStream)
      await_unrecorded(thread, op == kNoIndex ? std::vector<std::uint32_t>{} : std::vector{op}, begin, end);
  }

  /// Enters a wait from the end of the awaited work to the return of a synchronising call, if that took longer than a
  /// return: for work that was not recorded, such as the later iterations of a while node in a CUDA graph.
  void await_unrecorded(std::uint32_t thread, const std::vector<std::uint32_t>& awaited, Time begin, Time end) {
    Time from = begin + kCallOverhead;
    for (const std::uint32_t op : awaited) {
      if (events_.ops[op].end <= end + kDeviceClockError) from = std::max(from, events_.ops[op].end);
    }
    if (end - from <= kReturnDelay) return;
    ++found_.unexplained;
    threads_[thread].waits.push_back({from, end});
    threads_[thread].cuts.push_back(end);
  }

  [[nodiscard]] std::uint32_t awaited_by_times(CallWait wait, std::uint32_t call, Time begin, Time end) const {
    const std::uint32_t own = op_of_call_[call];
    switch (wait) {
      case CallWait::kOwnWork: return own != kNoIndex && is_awaited_copy(events_, events_.ops[own]) ? own : kNoIndex;
      case CallWait::kDevice: return ended_at_return(begin, end);
      case CallWait::kStream: return ended_just_before_return(begin, end);
      case CallWait::kAllocation:
      case CallWait::kResult: return end - begin > kReturnDelay ? ended_just_before_return(begin, end) : kNoIndex;
      case CallWait::kFree: return end - begin > kReturnDelay ? last_ended(begin, end, kNoIndex) : kNoIndex;
      case CallWait::kLaunch:
      case CallWait::kRoom:
      case CallWait::kNothing: break;
    }
    return kNoIndex;
  }

  /// Returns the op that made room in the launch queue for what the call put there; kNoIndex if there was room.
  [[nodiscard]] std::uint32_t made_room(std::uint32_t call, Time begin, Time end) const {
    const std::uint32_t own = op_of_call_[call];
    const std::uint32_t stream = own == kNoIndex ? kNoIndex : events_.ops[own].stream;
    const bool full = saw_full_buffer(begin, end) ||
                      (own != kNoIndex && end - begin >= kSlowLaunch && outstanding(stream, begin) >= kManyOutstanding);
    return full ? last_ended(begin, end, stream) : kNoIndex;
  }

  /// Returns the op that ended last while the call ran. If none ended close to its return, one that ended shortly after
  /// the return of a long call is taken instead, as far as the clocks can be wrong.
  [[nodiscard]] std::uint32_t ended_at_return(Time begin, Time end) const {
    const std::uint32_t op = last_ended(begin, end, kNoIndex);
    if (end - begin <= kReturnDelay || (op != kNoIndex && end - events_.ops[op].end <= kDeviceClockError)) return op;
    return last_ended(begin, end + kDeviceClockError, kNoIndex);
  }

  [[nodiscard]] std::uint32_t ended_just_before_return(Time begin, Time end) const {
    const std::uint32_t op = ended_at_return(begin, end);
    if (op == kNoIndex) return op;
    return end - events_.ops[op].end <= std::max(kReturnDelay, (end - begin) / kReturnShare) ? op : kNoIndex;
  }

  /// Returns true if the op was launched by the call that began at `call_begin`.
  [[nodiscard]] bool is_own(std::uint32_t op, Time call_begin) const {
    return events_.ops[op].call != kNoIndex && events_.begin_of(events_.ops[op].call) == call_begin;
  }

  void add_wait(std::uint32_t thread, std::uint32_t op, Time begin, Time end, bool inferred) {
    const Time recorded = events_.ops[op].end;
    if (recorded > end + kDeviceClockError && !is_own(op, begin)) return;
    const Time ended = is_own(op, begin) ? recorded : std::min(recorded, end);
    const Time waits_from = is_own(op, begin) && events_.ops[op].begin > begin
                                ? events_.ops[op].launched
                                : begin + std::min(kCallOverhead, end - begin);
    if (waits_from < ended) threads_[thread].waits.push_back({waits_from, ended});
    found_.waits.push_back({op, thread, std::max(ended, begin), inferred});
    threads_[thread].cuts.push_back(found_.waits.back().resume);
  }

  const RankEvents& events_;
  const OpsByEnd& by_end_;
  std::vector<HostThread>& threads_;
  ByName<decltype(&wait_of_call)> wait_of_;
  ByName<decltype(&reads_result)> reads_result_;
  BlockingCalls found_;
  IndexColumn op_of_call_;
  std::vector<StreamTimes> stream_times_;
  std::vector<Time> full_buffers_;  ///< starts, ascending
};

}  // namespace

BlockingCalls find_blocking_calls(const RankEvents& events, const OpsByEnd& by_end, const SyncEvents& syncs,
                                  std::vector<HostThread>& threads) {
  return BlockingCallFinder(events, by_end, threads).run(syncs);
}

namespace {

/// After polling for device work, the host continues within kPollGrain of the end of the work, or within 1/kPollShare
/// of the time it waited if that is less.
constexpr Duration kPollGrain{100'000};
constexpr std::int64_t kPollShare = 10;
/// A thread is assumed to poll for device work of one name if enough of its silences after launches of such work end
/// together with the work: at least kTimes of them, and at least a share of (kOf - 1) / kOf.
constexpr std::size_t kTimes = 3;
constexpr std::size_t kOf = 4;

/// A period in which a thread launches nothing. `op` is the last work that it launched before.
struct Silence {
  std::uint32_t thread = 0;
  std::uint32_t op = kNoIndex;
  Time begin;
  Time end;

  [[nodiscard]] bool ends_with(const DeviceOp& work) const {
    const Duration grain = std::min(kPollGrain, (end - begin) / kPollShare);
    return work.end > begin && end - grain <= work.end && work.end <= end + grain;
  }
};

/// Returns, for each thread, the device work that it launched.
std::vector<LaunchOrder> launches_by_thread(const RankEvents& events) {
  std::vector<LaunchOrder> launches(events.threads.size());
  for (std::uint32_t i = 0; i < events.ops.size(); ++i) {
    const DeviceOp& op = events.ops[i];
    if (op.call != kNoIndex) launches[op.thread].add(events.begin_of(op.call), i);
  }
  for (LaunchOrder& of_thread : launches) of_thread.sort();
  return launches;
}

/// Collects the silences of one thread that no known wait explains. The thread may have polled for device work in them.
class SilenceFinder {
 public:
  SilenceFinder(const HostThread& thread, std::uint32_t index, const LaunchOrder& launches, std::vector<Silence>& found)
      : explained_(thread.merged_waits()), index_(index), launches_(launches), found_(found) {}

  /// Adds a segment. Segments must be added in order of time.
  void add(const Segment& segment) {
    const bool quiet = segment.kind == Segment::Kind::kQuiet;
    // Two quiet segments may follow each other, in different annotations. They belong to the same silence.
    if (quiet && quiet_ && end_ == segment.begin && !segment.awaits_batch) {
      end_ = segment.end;
      return;
    }
    close();
    if ((!quiet && segment.kind != Segment::Kind::kWork) || segment.awaits_batch) return;
    quiet_ = quiet;
    begin_ = segment.begin;
    end_ = segment.end;
  }

  void close() {
    Silence silence{index_, kNoIndex, begin_, end_};
    begin_ = end_;
    if (silence.end - silence.begin <= kShortQuiet) return;
    silence.op = launches_.last_until(silence.begin);
    if (silence.op == kNoIndex) return;
    while (at_ < explained_.size() && explained_[at_].second <= silence.begin) ++at_;
    if (at_ == explained_.size() || explained_[at_].first >= silence.end) found_.push_back(silence);
  }

 private:
  std::vector<std::pair<Time, Time>> explained_;
  std::uint32_t index_;
  const LaunchOrder& launches_;
  std::vector<Silence>& found_;
  std::size_t at_ = 0;  ///< index into explained_
  bool quiet_ = false;
  Time begin_{};
  Time end_{};
};

}  // namespace

std::vector<HostWait> find_polls(const RankEvents& events, std::vector<HostThread>& threads) {
  const auto launches = launches_by_thread(events);
  std::vector<Silence> silences;
  for (std::uint32_t t = 0; t < threads.size(); ++t) {
    if (launches[t].launches().empty()) continue;
    SilenceFinder finder(threads[t], t, launches[t], silences);
    cut_thread(events, events.threads[t], [&finder](const Segment& segment) { finder.add(segment); });
    finder.close();
  }

  struct Count {
    std::size_t silences = 0;
    std::size_t in_time = 0;
  };
  const auto name_of = [&](const Silence& silence) { return events.trace->name[events.ops[silence.op].event]; };
  std::map<std::pair<std::uint32_t, TextId>, Count> counts;
  for (const Silence& silence : silences) {
    Count& count = counts[{silence.thread, name_of(silence)}];
    ++count.silences;
    if (silence.ends_with(events.ops[silence.op])) ++count.in_time;
  }

  std::vector<HostWait> polls;
  for (const Silence& silence : silences) {
    const Count& count = counts[{silence.thread, name_of(silence)}];
    const DeviceOp& op = events.ops[silence.op];
    const bool usual = count.in_time >= kTimes && kOf * count.in_time >= (kOf - 1) * count.silences;
    if (!usual || !silence.ends_with(op)) continue;
    HostThread& thread = threads[silence.thread];
    thread.waits.push_back({silence.begin, op.end});
    thread.cuts.push_back(op.end);
    polls.push_back({silence.op, silence.thread, op.end});
  }
  return polls;
}

}  // namespace stepsim::ingest
