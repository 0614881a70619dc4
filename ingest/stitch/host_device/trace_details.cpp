#include "ingest/stitch/host_device/device_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "ingest/parts/busy_time.h"

namespace stepsim::ingest {
namespace {

std::optional<CallKind> call_kind(EventKind kind) {
  switch (kind) {
    case EventKind::kOp: return CallKind::kOperator;
    case EventKind::kAnnotation: return CallKind::kAnnotation;
    case EventKind::kRuntimeCall: return CallKind::kRuntime;
    default: return std::nullopt;
  }
}

/// Builds the list of calls of one rank.
class Calls {
 public:
  using Call = TraceDetails::Call;

  Calls(const RankEvents& events, Rank rank, TraceDetails& out)
      : events_(events),
        trace_(*events.trace),
        rank_(rank),
        out_(out),
        name_of_(trace_.texts.size(), kUnnamed),
        call_of_(trace_.size(), kNoIndex) {
    for (std::uint32_t i = 0; i < out.names.size(); ++i) numbers_.try_emplace(out.names[i], i);
    for (const TraceTables::Flops& one : trace_.flops_of) flops_[one.event] = one.count;
  }

  void run() {
    std::map<TrackId, std::vector<Timed>> of_thread;
    for (const RankEvents::Thread& thread : events_.threads) add_events(thread, of_thread[thread.track]);
    for (const HostDeviceTrace::ModuleCall& call : trace_.python) {
      of_thread[call.track].push_back(
          {{.start = call.begin, .duration = call.length, .name = number_of(call.name), .kind = CallKind::kPython}});
    }
    for (auto& [track, calls] : of_thread) {
      if (!calls.empty()) add_thread(track, std::move(calls));
    }
  }

  void add_launches(const DeviceTasks& tasks) {
    for (std::size_t i = 0; i < events_.ops.size(); ++i) {
      const std::uint32_t event = events_.ops[i].call;
      if (event != kNoIndex && call_of_[event] != kNoIndex)
        out_.launches.push_back({tasks.ops[i].first, call_of_[event]});
    }
  }

 private:
  static constexpr std::uint32_t kUnnamed = TraceDetails::kNone;
  static constexpr Duration kRounding{1000};

  struct Timed {
    Call call;
    std::uint32_t event = kNoIndex;  ///< event of the call; kNoIndex for a Python call
  };

  void add_events(const RankEvents::Thread& thread, std::vector<Timed>& calls) {
    for (const std::uint32_t event : thread.events) {
      const std::optional<CallKind> kind = call_kind(trace_.kind[event]);
      if (!kind) continue;
      const auto computed = flops_.find(event);
      const std::uint32_t which = trace_.operator_of[event];
      const double estimate = which == kNoIndex ? 0 : trace_.operators[which].work.flops;
      calls.push_back({{.start = events_.begin_of(event),
                        .duration = events_.end_of(event) - events_.begin_of(event),
                        .flops = computed == flops_.end() ? estimate : computed->second,
                        .name = number_of(trace_.name[event]),
                        .kind = *kind},
                       event});
    }
  }

  /// Adds the calls of one thread and finds the caller of each from the times. A call is assumed to be made by the
  /// innermost call whose span contains it. The inner call may end up to a microsecond after its caller, because old
  /// profilers round times. A call that begins within another one but ends still later was not made by that one: such a
  /// call is a mark that a function sets.
  void add_thread(TrackId track, std::vector<Timed> calls) {
    std::stable_sort(calls.begin(), calls.end(), [](const Timed& a, const Timed& b) {
      return a.call.start != b.call.start ? a.call.start < b.call.start : a.call.duration > b.call.duration;
    });
    const auto thread = static_cast<std::uint32_t>(out_.threads.size());
    out_.threads.push_back({rank_, fmt::format("thread {}", trace_.tracks[track.index()].thread)});
    std::vector<std::uint32_t> open;  // the innermost last
    std::vector<bool> counted;        // by open call: true if its FLOPs, or those of a call around it, count
    for (auto& [call, event] : calls) {
      while (!open.empty() &&
             (end_of(open.back()) <= call.start || end_of(open.back()) + kRounding < call.start + call.duration)) {
        open.pop_back();
        counted.pop_back();
      }
      call.thread = thread;
      call.self = call.duration;
      const bool around = !counted.empty() && counted.back();
      if (around) call.flops = 0;
      if (!open.empty()) {
        call.caller = open.back();
        Call& caller = out_.calls[open.back()];
        const Duration inside = std::min(call.start + call.duration, end_of(open.back())) - call.start;
        caller.self = std::max(Duration{}, caller.self - inside);
      }
      open.push_back(static_cast<std::uint32_t>(out_.calls.size()));
      if (event != kNoIndex) call_of_[event] = open.back();
      counted.push_back(around || call.flops > 0);
      out_.calls.push_back(call);
    }
  }

  [[nodiscard]] Time end_of(std::uint32_t call) const { return out_.calls[call].start + out_.calls[call].duration; }

  std::uint32_t number_of(TextId text) {
    std::uint32_t& known = name_of_[text.index()];
    if (known != kUnnamed) return known;
    const auto [place, is_new] = numbers_.try_emplace(trace_.text(text), static_cast<std::uint32_t>(out_.names.size()));
    if (is_new) out_.names.push_back(trace_.text(text));
    return known = place->second;
  }

  const RankEvents& events_;
  const HostDeviceTrace& trace_;
  Rank rank_;
  TraceDetails& out_;
  std::vector<std::uint32_t> name_of_;  ///< by text
  std::vector<std::uint32_t> call_of_;  ///< by event
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::unordered_map<std::uint32_t, double> flops_;  ///< by event, as the profiler computed them
};

}  // namespace

void add_trace_details(const RankEvents& events, const DeviceTasks& tasks, Rank rank, TraceDetails& details) {
  Calls calls(events, rank, details);
  calls.run();
  calls.add_launches(tasks);
  for (const TransportUse& use : events.trace->transports) details.transports.emplace_back(rank, use);
  for (OverheadUse& use : overhead_uses(*events.trace)) details.overheads.emplace_back(rank, std::move(use));
}

}  // namespace stepsim::ingest
