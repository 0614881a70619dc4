#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_RANK_EVENTS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_RANK_EVENTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingest/parts/part.h"
#include "model/base/units.h"

namespace stepsim::ingest {

inline constexpr std::uint32_t kNoIndex = 0xFFFFFFFFU;

/// One piece of work on a device: a kernel, a copy or a memset. Its end is clipped where the recording
/// lets two pieces of one stream overlap by less than the grain of the clock (kOverlapGrain).
struct DeviceOp {
  std::uint32_t event = 0;          ///< index into the trace
  std::uint32_t call = kNoIndex;    ///< event of the call that launched it; kNoIndex if not recorded
  std::uint32_t thread = kNoIndex;  ///< index into RankEvents::threads of that call
  std::uint32_t stream = 0;         ///< index into RankEvents::streams
  Time begin;
  Time end;
  Time launched;  ///< when its call had handed it to the device; `begin` if there is no call
};

/// The events of one rank's trace, arranged for stitching: host events by thread, device work by stream,
/// calls by correlation. Events are indices into `trace`, which must outlive this.
struct RankEvents {
  struct Thread {
    TrackId track;
    std::vector<std::uint32_t> events;  ///< by start, the longest first: parents before children
    bool launches = false;              ///< some of its calls launched device work
  };
  struct Stream {
    TrackId track;
    std::int32_t device = -1;
    std::int64_t number = -1;
    std::vector<std::uint32_t> ops;  ///< indices into `ops`, by begin
  };
  struct StepWindow {
    std::int64_t number = 0;  ///< the N of ProfilerStep#N
    Time begin;
    Time end;
  };

  const HostDeviceTrace* trace = nullptr;
  std::vector<Thread> threads;
  std::vector<Stream> streams;
  std::vector<DeviceOp> ops;         ///< by (begin, end, event)
  std::vector<std::uint32_t> syncs;  ///< kSync events, by start
  std::vector<StepWindow> steps;     ///< ProfilerStep#N by begin, each to the begin of the next at most
  bool marked = false;               ///< steps are marked; else they are the profiler's windows, or there are none
  std::string step_ranges;           ///< the ranges that stand in for marks of steps; empty where there are marks
  std::size_t steps_ignored = 0;     ///< marks that hold less than half of the device's time, so that none counts
  std::size_t main_thread = 0;       ///< index into threads; 0 if there are none
  std::vector<std::pair<std::int64_t, std::uint32_t>> calls;  ///< (correlation, runtime call event), sorted
  std::vector<bool> communicates;  ///< by TextId: kernels of this name move data between devices
  std::vector<bool> loads;     ///< by TextId: a data loader's processes are waited for (awaits_loader); empty if never
  std::vector<bool> computes;  ///< by event: it is an operator that computes (computing_events); empty if devices do
  std::uint64_t out_of_time = 0;  ///< events left out, because their times cannot be compared with others
  /// Steps that began before the one before them had ended, as they were marked: (the one before, the step).
  std::vector<std::pair<StepWindow, StepWindow>> overlaps;
  std::uint64_t instants = 0;  ///< host events of no length, which become no tasks

  [[nodiscard]] Time begin_of(std::uint32_t event) const noexcept { return trace->start[event]; }
  [[nodiscard]] Time end_of(std::uint32_t event) const noexcept { return trace->start[event] + trace->duration[event]; }
  [[nodiscard]] std::string_view name_of(std::uint32_t event) const noexcept { return trace->text(trace->name[event]); }
  /// Whether a kernel moves data between devices, by its name. Its name is looked up once for all kernels that have it.
  [[nodiscard]] bool is_communication(std::uint32_t kernel) const noexcept {
    return communicates[trace->name[kernel].index()];
  }
  /// Whether a host event asks a data loader for a batch that other processes make.
  [[nodiscard]] bool awaits_batch(std::uint32_t event) const noexcept {
    return !loads.empty() && loads[trace->name[event].index()];
  }
  /// The event of the runtime call with this correlation; kNoIndex if there is none.
  [[nodiscard]] std::uint32_t call_of(std::int64_t correlation) const noexcept;
  /// Index into `steps` of the window in which `at` lies; -1 if it lies in none.
  [[nodiscard]] std::int32_t step_at(Time at) const noexcept;
  /// When device work was launched; if its call was not recorded, when it began.
  [[nodiscard]] Time launch_of(const DeviceOp& op) const noexcept {
    return op.call == kNoIndex ? op.begin : begin_of(op.call);
  }
  /// The step in which device work was launched; -1: in none.
  [[nodiscard]] std::int32_t step_of(const DeviceOp& op) const noexcept { return step_at(launch_of(op)); }
};

/// Arranges `trace`. Steps are the marks of torch.profiler. Without these they are the ranges that a framework opens
/// once a step: those of serving ("step[DECODE bs=8]", "execute_..."), of Lightning, or from the end of one
/// optimizer step to the end of the next. Steps in which less device time was launched than outside them are no steps
/// of this capture; where several steps launched some, outside means between them. The main thread is the one with most
/// step marks. Without marks it is, of the threads with at least a tenth of the busiest one's events, the first to
/// begin, because it starts the others. O(events log events), on up to `threads` threads.
[[nodiscard]] RankEvents arrange(const HostDeviceTrace& trace, int threads = 1);

/// What the names of some framework events begin with.
inline constexpr std::string_view kProcessGroupCall = "c10d::";  ///< operators of torch.distributed's process groups
inline constexpr std::string_view kNcclAnnotation = "nccl:";     ///< around the launch of a collective
inline constexpr std::string_view kOptimizer = "Optimizer.";     ///< around an optimizer's step
inline constexpr std::string_view kRecordedCall = "record_param_comms";  ///< within a call of a process group

/// Calls `visit(event, around)` for each event of a thread; `around` are the events that are open then and no runtime
/// calls, the innermost last.
template <class Visit>
void for_each_nested(const RankEvents& events, const RankEvents::Thread& thread, Visit visit) {
  std::vector<std::uint32_t> around;
  for (const std::uint32_t event : thread.events) {
    while (!around.empty() && events.end_of(around.back()) <= events.begin_of(event)) around.pop_back();
    visit(event, std::as_const(around));
    if (events.trace->kind[event] != EventKind::kRuntimeCall) around.push_back(event);
  }
}

/// True for the annotation of a communication library that does its work on the host: "gloo:all_reduce".
/// Not for NCCL's annotations, whose work is on the device.
[[nodiscard]] bool is_host_collective(std::string_view name) noexcept;

/// The operation in a collective's name: "AllReduce" of "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
/// "all_reduce" of "gloo:all_reduce", "combine" of DeepEP's kernel. Nothing for other names
/// (model/job/kernel_class.h).
[[nodiscard]] std::optional<std::string_view> collective_in(std::string_view name) noexcept;

/// The number of "ProfilerStep#12"; nothing for other names.
[[nodiscard]] std::optional<std::int64_t> step_number(std::string_view name) noexcept;

/// What a function says of the names of a trace's events. It is asked once for each name, not for each event.
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

/// What a runtime or driver call may wait for, besides doing its own work.
enum class CallWait : std::uint8_t {
  kNothing,
  kDevice,      ///< all work of the device: cudaDeviceSynchronize
  kStream,      ///< work of a stream, up to an event: cudaStreamSynchronize, cudaEventSynchronize
  kOwnWork,     ///< the copy that it starts: cudaMemcpy
  kAllocation,  ///< whatever the allocator must let finish: cudaMalloc, cudaFree
  kLaunch,      ///< room in the launch queue: cudaLaunchKernel
};

/// A call that can wait is taken to spend at most this on its own part before it waits.
inline constexpr Duration kCallOverhead{2'000};

/// By the call's name. CUDA's runtime and driver and HIP use the same words behind their prefixes, Ascend's runtime
/// similar ones.
[[nodiscard]] CallWait wait_of_call(std::string_view name) noexcept;

}  // namespace stepsim::ingest

#endif
