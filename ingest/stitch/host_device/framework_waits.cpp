#include "ingest/stitch/host_device/device_wait_passes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {
namespace {

/// The calls by which one host thread launches collectives and other work or makes streams wait.
struct ThreadCalls {
  std::vector<Time> stream_waits;  ///< begins of all *StreamWaitEvent calls
  struct WorkWait {
    Time begin;
    std::int64_t sequence = kUnknown;  ///< the collective's number, if an execution trace gives it
  };
  static constexpr std::int64_t kUnknown = -1;
  std::vector<WorkWait> work_waits;                         ///< stream waits made by Work::wait()
  std::map<std::int64_t, LaunchOrder::Launch> by_sequence;  ///< collectives that an execution trace numbers
  LaunchOrder collectives;
  LaunchOrder others;
};

bool waits_for_stream(std::string_view name) { return name.ends_with("StreamWaitEvent"); }

bool communicates(std::string_view name) {
  return name.starts_with(kProcessGroupCall) || name.starts_with(kNcclAnnotation);
}

bool is_recorded_call(std::string_view name) { return name == kRecordedCall; }

class FrameworkWaits {
 public:
  explicit FrameworkWaits(const RankEvents& events)
      : events_(events),
        waits_for_stream_(*events.trace, waits_for_stream),
        communicates_(*events.trace, communicates),
        is_recorded_call_(*events.trace, is_recorded_call),
        threads_(events.threads.size()),
        streams_(events.streams.size()) {
    for (std::size_t t = 0; t < threads_.size(); ++t) find_calls(events.threads[t], threads_[t]);
    for (std::uint32_t i = 0; i < events.ops.size(); ++i) add_launch(i);
    for (ThreadCalls& thread : threads_) {
      thread.collectives.sort();
      thread.others.sort();
    }
    for (LaunchOrder& stream : streams_) stream.sort();
  }

  std::vector<StreamWait> run() {
    for (const ThreadCalls& thread : threads_) wait_for_numbered_collectives(thread);
    for (const ThreadCalls& thread : threads_) {
      wait_for_current_stream(thread);
      wait_for_collectives(thread);
    }
    return std::move(found_);
  }

 private:
  void find_calls(const RankEvents::Thread& thread, ThreadCalls& calls) {
    for_each_nested<Around>(events_, thread, [&](std::uint32_t event, const Around& around) {
      if (events_.trace->kind[event] != EventKind::kRuntimeCall) return inside(event, around);
      if (waits_for_stream_(event)) {
        calls.stream_waits.push_back(events_.begin_of(event));
        if (!around.communicates && around.may_wait)
          calls.work_waits.push_back({events_.begin_of(event), around.sequence(true)});
      } else if (const std::int64_t sequence = around.sequence(false); sequence != ThreadCalls::kUnknown) {
        sequences_.emplace(event, sequence);
      }
      return Around{};
    });
  }

  /// What is around a runtime call.
  struct Around {
    bool communicates = false;                              ///< a collective of a process group
    bool may_wait = true;                                   ///< nothing, or kRecordedCall directly
    const HostDeviceTrace::CollectiveCall* call = nullptr;  ///< the innermost call that an execution trace numbers

    /// Returns the number of the collective that the call starts or, if `waits` is set, waits for; kUnknown if there is
    /// none.
    [[nodiscard]] std::int64_t sequence(bool waits) const {
      return call != nullptr && call->waits == waits ? call->sequence : ThreadCalls::kUnknown;
    }
  };

  [[nodiscard]] Around inside(std::uint32_t event, const Around& around) const {
    const auto& calls = events_.trace->collective_calls;
    const auto call = std::lower_bound(calls.begin(), calls.end(), event,
                                       [](const auto& known, std::uint32_t wanted) { return known.event < wanted; });
    return {around.communicates || communicates_(event), is_recorded_call_(event),
            call != calls.end() && call->event == event ? &*call : around.call};
  }

  void add_launch(std::uint32_t index) {
    const DeviceOp& op = events_.ops[index];
    if (op.call == kNoIndex) return;
    const Time called = events_.begin_of(op.call);
    const bool collective = events_.is_collective(op.event);
    (collective ? threads_[op.thread].collectives : threads_[op.thread].others).add(called, index);
    streams_[op.stream].add(called, index);
    if (const auto numbered = sequences_.find(op.call); collective && numbered != sequences_.end()) {
      // Each group numbers its own collectives, so a number that occurs twice identifies none.
      const auto [slot, added] = threads_[op.thread].by_sequence.try_emplace(numbered->second, called, index);
      if (!added) slot->second.second = slot->second.first == called ? index : kNoIndex;
    }
  }

  /// Returns the stream of the last work other than collectives that the thread launched before `at`, or else of the
  /// first such work after it; kNoIndex if there is none.
  [[nodiscard]] std::uint32_t current_stream(const ThreadCalls& thread, Time at) const {
    std::uint32_t op = thread.others.last_before(at);
    if (op == kNoIndex) op = thread.others.first_after(at);
    return op == kNoIndex ? kNoIndex : events_.ops[op].stream;
  }

  void wait_for_current_stream(const ThreadCalls& thread) {
    for (const auto& [launched, collective] : thread.collectives.launches()) {
      const std::uint32_t stream = current_stream(thread, launched);
      if (stream == kNoIndex) continue;
      const auto wait = std::lower_bound(thread.stream_waits.begin(), thread.stream_waits.end(), launched);
      const std::uint32_t own = thread.others.last_before(launched);
      const bool waits = wait != thread.stream_waits.begin() &&
                         (own == kNoIndex || *std::prev(wait) > events_.begin_of(events_.ops[own].call));
      if (waits) add(streams_[stream].last_before(launched), collective);
    }
  }

  /// The waits and collectives of one thread in one step.
  struct OfStep {
    std::vector<Time> waits;
    std::vector<LaunchOrder::Launch> collectives;
  };

  void wait_for_collectives(const ThreadCalls& thread) {
    std::map<std::int32_t, OfStep> steps;
    for (const ThreadCalls::WorkWait& wait : thread.work_waits) {
      if (wait.sequence == ThreadCalls::kUnknown) steps[events_.step_at(wait.begin)].waits.push_back(wait.begin);
    }
    for (const auto& launch : thread.collectives.launches()) {
      if (!numbered_.contains(launch.second)) steps[events_.step_at(launch.first)].collectives.push_back(launch);
    }
    for (const auto& [step, calls] : steps) {
      if (calls.waits.size() != calls.collectives.size()) continue;
      const bool in_order =
          std::equal(calls.waits.begin(), calls.waits.end(), calls.collectives.begin(),
                     [](Time wait, const LaunchOrder::Launch& launch) { return launch.first < wait; });
      for (std::size_t k = 0; in_order && k < calls.waits.size(); ++k)
        wait_for(calls.collectives[k].second, calls.waits[k], thread);
    }
  }

  /// Adds the waits for numbered collectives, no matter which thread launched them. Collectives from before the capture
  /// are unknown and assumed to have ended.
  void wait_for_numbered_collectives(const ThreadCalls& thread) {
    for (const ThreadCalls::WorkWait& wait : thread.work_waits) {
      if (wait.sequence == ThreadCalls::kUnknown) continue;
      for (const ThreadCalls& launcher : threads_) {
        const auto collective = launcher.by_sequence.find(wait.sequence);
        if (collective == launcher.by_sequence.end() || collective->second.first >= wait.begin) continue;
        numbered_.insert(collective->second.second);
        wait_for(collective->second.second, wait.begin, thread);
      }
    }
  }

  void wait_for(std::uint32_t collective, Time waited, const ThreadCalls& thread) {
    const std::uint32_t stream = current_stream(thread, waited);
    if (stream != kNoIndex) add(collective, streams_[stream].first_after(waited));
  }

  void add(std::uint32_t before, std::uint32_t after) {
    if (before == kNoIndex || after == kNoIndex) return;
    const DeviceOp& a = events_.ops[before];
    const DeviceOp& b = events_.ops[after];
    if (a.stream != b.stream && a.end <= b.begin) found_.push_back({before, after, StreamWait::Why::kFramework});
  }

  const RankEvents& events_;
  ByName<decltype(&waits_for_stream)> waits_for_stream_;
  ByName<decltype(&communicates)> communicates_;
  ByName<decltype(&is_recorded_call)> is_recorded_call_;
  std::map<std::uint32_t, std::int64_t> sequences_;  ///< the collective's number, by call
  std::set<std::uint32_t> numbered_;                 ///< collectives that a wait names by its number
  std::vector<ThreadCalls> threads_;
  std::vector<LaunchOrder> streams_;
  std::vector<StreamWait> found_;
};

}  // namespace

std::vector<StreamWait> framework_waits(const RankEvents& events) { return FrameworkWaits(events).run(); }

}  // namespace stepsim::ingest
