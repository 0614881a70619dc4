#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_RANK_EVENTS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_RANK_EVENTS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingest/parts/collective_calls.h"
#include "ingest/parts/part.h"
#include "model/base/units.h"

namespace stepsim::ingest {

inline constexpr std::uint32_t kNoIndex = 0xFFFFFFFFU;

/// One piece of work on a device: a kernel, a copy, a memset, or all kernels or copies of one call of a collective. If
/// it overlaps the next one of its stream only slightly (kOverlapGrain), order_streams() moves its end to the begin of
/// the next one.
struct DeviceOp {
  std::uint32_t event = 0;          ///< index into the trace
  std::uint32_t last_event = 0;     ///< the last event of a collective that is several kernels or copies, else `event`
  std::uint32_t call = kNoIndex;    ///< event of the call that launched it; kNoIndex if not recorded
  std::uint32_t thread = kNoIndex;  ///< index into RankEvents::threads of that call
  std::uint32_t stream = 0;         ///< index into RankEvents::streams
  Time begin;
  Time end;
  Time launched;  ///< when its call had handed it to the device; equals `begin` if there is no call
};

/// Orders device work by (begin, end, event).
[[nodiscard]] inline bool runs_before(const DeviceOp& a, const DeviceOp& b) noexcept {
  return std::tuple{a.begin, a.end, a.event} < std::tuple{b.begin, b.end, b.event};
}

/// Times of the device and of the host are comparable up to this difference: a call that waits for work can return this
/// long before the recorded end of the work. It is up to 7.3 us in captures of two GPUs.
inline constexpr Duration kDeviceClockError{10'000};

/// The events of one rank's trace, arranged for stitching: host events by thread, device work by stream,
/// calls by correlation. Events are indices into `trace`, which must outlive this.
struct RankEvents {
  struct Thread {
    TrackId track;
    std::vector<std::uint32_t> events;  ///< by start, then the longest first, so that parents come before children
    bool launches = false;              ///< true if some of its calls launched device work
  };
  struct Stream {
    TrackId track;
    std::int32_t device = -1;
    std::int64_t number = -1;
    std::vector<std::uint32_t> ops;  ///< indices into `ops`, by begin
    /// Begin of the first op with a call; Time::min() if there is none. The capture recorded calls from then on, so ops
    /// that began earlier were launched before it.
    Time first_launched = Time::min();
  };
  struct StepWindow {
    std::int64_t number = 0;  ///< the N of ProfilerStep#N
    Time begin;
    Time end;
  };

  const HostDeviceTrace* trace = nullptr;
  std::vector<Thread> threads;
  std::vector<Stream> streams;
  std::vector<DeviceOp> ops;         ///< in the order of runs_before()
  std::vector<std::uint32_t> syncs;  ///< kSync events, by start
  std::vector<StepWindow> steps;     ///< by begin; each ends no later than the next begins (steps.h)
  bool marked = false;               ///< false if steps are the profiler's windows, or there are none
  std::string step_ranges;           ///< name of the ranges that replace step marks; empty if there are marks
  std::size_t steps_ignored = 0;     ///< marks that were ignored because most device time is outside their steps
  std::vector<bool> step_marks;      ///< by TextId: true for annotations that mark the steps; empty if none do
  std::size_t main_thread = 0;       ///< index into threads; 0 if there are none
  std::vector<std::pair<std::int64_t, std::uint32_t>> calls;  ///< (correlation, runtime call event), by begin for each
  std::vector<bool> communicates;  ///< by TextId: true if kernels with this name move data between devices
  std::vector<bool> loads;         ///< by TextId: true for waits for a data loader (awaits_loader); empty if none
  std::vector<bool> computes;      ///< by event: result of computing_events(); empty if devices compute
  std::uint64_t out_of_time = 0;   ///< events left out because their times cannot be compared with others
  /// Pairs of marked steps in which the second step began before the first had ended.
  std::vector<std::pair<StepWindow, StepWindow>> overlaps;
  std::uint64_t instants = 0;  ///< host events of zero length, which do not become tasks
  std::map<std::int32_t, Duration>
      device_clocks;  ///< result of device_clock_offsets(), to which `ops` are not adjusted
  // What mend_device_times() found.
  std::vector<std::uint32_t> mistimed;      ///< launching calls of device work that was left out, not in order
  std::vector<std::uint32_t> joined_calls;  ///< launching calls of work that became part of an op of another call
  std::uint64_t cut_short = 0;              ///< device work whose recorded end is too late
  std::uint64_t overlapping = 0;            ///< device work that overlaps earlier work of its stream

  [[nodiscard]] Time begin_of(std::uint32_t event) const noexcept { return trace->start[event]; }
  [[nodiscard]] Time end_of(std::uint32_t event) const noexcept { return trace->start[event] + trace->duration[event]; }
  [[nodiscard]] std::string_view name_of(std::uint32_t event) const noexcept { return trace->text(trace->name[event]); }
  /// Returns true if the name of a kernel shows that it moves data between devices. The name is tested only once.
  [[nodiscard]] bool is_communication(std::uint32_t kernel) const noexcept {
    return communicates[trace->name[kernel].index()];
  }
  /// Returns true if device work is a collective, as the name of the kernel or the arguments of its call show.
  [[nodiscard]] bool is_collective(std::uint32_t work) const noexcept {
    return is_communication(work) || names_collective(*trace, work);
  }
  /// Returns true if a host event asks a data loader for a batch that other processes make.
  [[nodiscard]] bool awaits_batch(std::uint32_t event) const noexcept {
    return !loads.empty() && loads[trace->name[event].index()];
  }
  /// Returns true if an event is a mark of a step.
  [[nodiscard]] bool marks_step(std::uint32_t event) const noexcept {
    return !step_marks.empty() && trace->kind[event] == EventKind::kAnnotation &&
           step_marks[trace->name[event].index()];
  }
  /// Returns the event of the runtime call with this correlation; kNoIndex if there is none. If several have it,
  /// because the numbers were used again, returns the last one that began by `by` (or kDeviceClockError later), else
  /// the first one.
  [[nodiscard]] std::uint32_t call_of(std::int64_t correlation, Time by) const noexcept;
  /// Returns the index into `steps` of the window that contains `at`; -1 if none does.
  [[nodiscard]] std::int32_t step_at(Time at) const noexcept;
  /// Returns when device work was launched, or when it began if its call was not recorded.
  [[nodiscard]] Time launch_of(const DeviceOp& op) const noexcept {
    return op.call == kNoIndex ? op.begin : begin_of(op.call);
  }
  /// Returns true if device work was launched before the capture began.
  [[nodiscard]] bool is_before_capture(const DeviceOp& op) const noexcept {
    return op.call == kNoIndex && op.begin < streams[op.stream].first_launched;
  }
  /// Returns the step in which device work was launched; -1 if in none.
  [[nodiscard]] std::int32_t step_of(const DeviceOp& op) const noexcept { return step_at(launch_of(op)); }
};

/// Arranges `trace`, and finds its steps (steps.h). O(events log events), on up to `threads` CPU threads.
[[nodiscard]] RankEvents arrange(const HostDeviceTrace& trace, int threads = 1);

/// Moves a trace and what was arranged of it to earlier times. `trace` is that of `events`.
void move_earlier(HostDeviceTrace& trace, RankEvents& events, Duration time);

/// Sorts host events of one thread by start, then the longest first, so that parents come before children.
void sort_nested(const HostDeviceTrace& trace, std::vector<std::uint32_t>& events);
/// Sorts events.calls, as call_of() needs it.
void sort_calls(RankEvents& events);

/// Prefixes of the names of some framework events.
inline constexpr std::string_view kProcessGroupCall = "c10d::";  ///< operators of torch.distributed's process groups
inline constexpr std::string_view kNcclAnnotation = "nccl:";     ///< around the launch of a collective
inline constexpr std::string_view kOptimizer = "Optimizer.";     ///< around an optimizer's step
inline constexpr std::string_view kRecordedCall = "record_param_comms";  ///< within a call of a process group

/// The operators and annotations that are open on a thread, whose events are visited in their order, each with a State
/// that follows from the event and what is around it. If an event ends after the one around it, the latter stays open
/// until then. Runtime calls are not opened: what they launch belongs to the operators around them.
template <class State>
class OpenEvents {
 public:
  explicit OpenEvents(const RankEvents& events) : events_(events) {}

  /// Returns the state of the innermost event that is open at `time`; State{} if none is. The reference is valid until
  /// the next call.
  [[nodiscard]] const State& at(Time time) {
    while (!open_.empty() && open_.back().first <= time) open_.pop_back();
    return open_.empty() ? outside_ : open_.back().second;
  }
  /// Visits the next event: `visit(event, around)` returns its state. Precondition: the calls of open() and at() are in
  /// order of time.
  template <class Visit>
  void open(std::uint32_t event, const Visit& visit) {
    State state = visit(event, at(events_.begin_of(event)));
    if (events_.trace->kind[event] != EventKind::kRuntimeCall)
      open_.emplace_back(events_.end_of(event), std::move(state));
  }

 private:
  const RankEvents& events_;
  State outside_{};
  std::vector<std::pair<Time, State>> open_;  // by end, the innermost last
};

/// Visits each event of a thread as OpenEvents::open() does. O(events) plus the visits.
template <class State, class Visit>
void for_each_nested(const RankEvents& events, const RankEvents::Thread& thread, const Visit& visit) {
  OpenEvents<State> open(events);
  for (const std::uint32_t event : thread.events) open.open(event, visit);
}

/// Returns true for the annotation of a communication library that works on the host: "gloo:all_reduce". Returns false
/// for NCCL's annotations, because its work is on the device.
[[nodiscard]] bool is_host_collective(std::string_view name) noexcept;

/// Returns the operation in a collective's name: "AllReduce" for "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
/// "all_reduce" for "gloo:all_reduce", "combine" for DeepEP's kernel. Returns nothing for other names
/// (model/job/kernel_class.h).
[[nodiscard]] std::optional<std::string_view> collective_in(std::string_view name) noexcept;

/// Caches the result of a function of an event's name. The function is called once per name, not once per event.
template <class Function>
class ByName {
 public:
  using Value = std::decay_t<std::invoke_result_t<Function, std::string_view>>;

  /// `trace` must outlive this.
  ByName(const HostDeviceTrace& trace, Function function) : trace_(trace) {
    values_.reserve(trace.texts.size());
    for (const std::string& text : trace.texts) values_.push_back(function(text));
  }

  [[nodiscard]] Value operator()(std::uint32_t event) const noexcept { return values_[trace_.name[event].index()]; }

 private:
  const HostDeviceTrace& trace_;
  std::vector<Value> values_;
};

/// What a runtime or driver call may wait for.
enum class CallWait : std::uint8_t {
  kNothing,
  kDevice,      ///< all work of the device: cudaDeviceSynchronize
  kStream,      ///< work of a stream, up to an event: cudaStreamSynchronize, cudaEventSynchronize
  kOwnWork,     ///< the copy that it starts: cudaMemcpy
  kAllocation,  ///< work that the allocator must let finish: cudaMalloc
  kFree,        ///< all work of the device: cudaFree
  kResult,      ///< the work whose result an operator returns: aten::item without calls in it
  kLaunch,      ///< room in the launch queue, for a kernel: cudaLaunchKernel
  kRoom,        ///< the same for other work: cudaMemsetAsync, cudaEventRecord
};

/// A call that can wait is assumed to spend at most this time on its own work before it waits.
inline constexpr Duration kCallOverhead{2'000};

/// True for operators that return only when the value of a tensor of a device is on the host.
[[nodiscard]] bool reads_result(std::string_view name) noexcept;

/// Returns what a call may wait for, judged by its name. The runtimes and drivers of CUDA and HIP use the same words
/// after their prefixes; Ascend's runtime uses similar words.
[[nodiscard]] CallWait wait_of_call(std::string_view name) noexcept;

}  // namespace stepsim::ingest

#endif
