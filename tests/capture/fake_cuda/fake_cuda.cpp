#include "tests/capture/fake_cuda/fake_cuda.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "tests/capture/fake_cuda/activity_log.h"

namespace fake_cuda {
namespace {

constexpr std::int64_t kBegin = 1'700'000'000'000'000'000;
constexpr std::uint32_t kContext = 1;
constexpr std::uint32_t kDevice = 0;
constexpr std::int64_t kToDevice = 4'000;  // minimum time in ns from the start of a call to the start of its work

std::atomic<std::int64_t> clock_now{kBegin};

/// The state of the device: its streams and events.
struct Device {
  struct Event {
    std::int64_t done = 0;
    std::uint64_t sync_id = 0;
  };
  std::mutex mutex;
  std::map<std::uint32_t, std::int64_t> free_at;  // indexed by stream
  std::map<std::uint32_t, Event> events;
  std::set<std::uint32_t> blocking;  // streams that the default stream is ordered with
  std::uint64_t next_sync_id = 1;
  std::uint32_t next_correlation = 1;
};
Device device;

/// A CUDA call that lasts from construction to destruction. The destructor logs its record with these times.
class ApiCall {
 public:
  ApiCall(Call call, std::int64_t cost) : ApiCall(Activity::kRuntime, static_cast<std::uint32_t>(call), cost) {}
  /// `kind` is kRuntime or kDriver, and `call` CUPTI's number of the call.
  ApiCall(Activity kind, std::uint32_t call, std::int64_t cost) : kind_(kind), call_(call), begin_(now()) {
    const std::lock_guard lock(device.mutex);
    correlation_ = device.next_correlation++;
    clock_now += cost;
  }
  ~ApiCall() {
    log(kind_,
        ActivityRecord(kind_)
            .set(layout::call::kCallback, call_)
            .set(layout::call::kStart, begin_)
            .set(layout::call::kEnd, now())
            .set(layout::call::kThread, static_cast<std::uint32_t>(::gettid()))
            .set(layout::call::kCorrelation, correlation_),
        now());
  }
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;
  [[nodiscard]] std::int64_t begin() const { return begin_; }
  [[nodiscard]] std::uint32_t correlation() const { return correlation_; }
  /// Advances the host's clock to `time`, if that is later, and then by 2 us.
  static void wait_until(std::int64_t time) { clock_now = std::max(clock_now.load(), time) + 2'000; }

 private:
  Activity kind_;
  std::uint32_t call_;
  std::int64_t begin_;
  std::uint32_t correlation_ = 0;
};

struct Span {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// Puts work on a stream and returns its start and end. The work starts when the stream is free, but not before
/// `not_before`.
Span run(std::uint32_t stream, std::int64_t not_before, std::int64_t duration) {
  const std::lock_guard lock(device.mutex);
  std::int64_t& free_at = device.free_at[stream];
  std::int64_t start = std::max(free_at, not_before);
  if (device.blocking.contains(stream)) start = std::max(start, device.free_at[kStream]);
  for (const std::uint32_t other : device.blocking) {
    if (stream == kStream) start = std::max(start, device.free_at[other]);
  }
  free_at = start + duration;
  return {start, free_at};
}

void log_kernel(const Kernel& kernel, Span span, std::uint32_t stream, std::uint32_t correlation, std::uint64_t node,
                std::uint32_t graph) {
  namespace at = layout::kernel;
  ActivityRecord record(Activity::kConcurrentKernel);
  record.set(at::kRegisters, std::uint16_t{32}).set(at::kStart, span.start).set(at::kEnd, span.end);
  record.set(at::kDevice, kDevice).set(at::kStream, stream).set(at::kCorrelation, correlation);
  record.set(at::kGrid, kernel.blocks).set(at::kGrid + 4, 1).set(at::kGrid + 8, 1);
  record.set(at::kBlock, kernel.threads).set(at::kBlock + 4, 1).set(at::kBlock + 8, 1);
  record.set(at::kName, kernel.mangled_name).set(at::kGraphNode, node).set(at::kGraph, graph);
  log(Activity::kConcurrentKernel, record, span.end);
}

/// Set by initialise(): CUPTI recorded whole graphs when the program's graphs were made.
bool graphs_are_traced = false;

void launch_whole_graph(std::uint32_t graph, const std::vector<Kernel>& kernels, std::uint32_t stream,
                        const ApiCall& call) {
  namespace at = layout::graph;
  if (!graphs_are_traced) std::abort();
  std::int64_t duration = 0;
  for (const Kernel& kernel : kernels) duration += kernel.duration;
  const Span span = run(stream, call.begin() + kToDevice, duration);
  ActivityRecord record(Activity::kGraphTrace);
  record.set(at::kStart, span.start).set(at::kEnd, span.end).set(at::kDevice, kDevice).set(at::kStream, stream);
  record.set(at::kCorrelation, call.correlation()).set(at::kGraph, graph);
  log(Activity::kGraphTrace, record, span.end);
}

void log_sync(std::uint32_t type, const ApiCall& call, std::uint32_t stream, std::uint32_t event,
              std::uint64_t sync_id) {
  namespace at = layout::sync;
  ActivityRecord record(Activity::kSynchronization);
  record.set(at::kType, type).set(at::kStart, call.begin()).set(at::kEnd, now());
  record.set(at::kCorrelation, call.correlation()).set(at::kContext, kContext).set(at::kStream, stream);
  record.set(at::kEvent, event).set(at::kSyncId, sync_id);
  log(Activity::kSynchronization, record, now());
}

std::int64_t end_of_stream(std::uint32_t stream) {
  const std::lock_guard lock(device.mutex);
  return device.free_at[stream];
}

Device::Event event_of(std::uint32_t event) {
  const std::lock_guard lock(device.mutex);
  return device.events[event];
}

constexpr std::uint32_t kNone = 0xFFFFFFFF;

// Values of CUpti_ActivityStreamFlag.
constexpr std::uint32_t kBlockingStream = 1;
constexpr std::uint32_t kNonBlockingStream = 2;
constexpr std::uint32_t kDefaultStream = 3;

void log_stream(std::uint32_t stream, std::uint32_t kind, std::int32_t priority) {
  namespace at = layout::stream;
  ActivityRecord record(Activity::kStream);
  record.set(at::kContext, kContext).set(at::kStream, stream).set(at::kPriority, priority).set(at::kFlag, kind);
  log(Activity::kStream, record, 0);
}

void log_device() {
  namespace at = layout::device;
  constexpr std::array<std::uint8_t, 16> kUuid{0x8F, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD,
                                               0xEF, 0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC};
  static const char* const name = "Fake GPU 80GB";
  ActivityRecord record(Activity::kDevice);
  record.set(at::kDevice, kDevice)
      .set(at::kName, name)
      .set(at::kMemory, std::uint64_t{80} << 30U)
      .set(at::kUuid, kUuid);
  record.set(at::kBandwidth, std::uint64_t{3'352'000'000}).set(at::kClock, 1'980'000U).set(at::kProcessors, 132U);
  record.set(at::kMajor, 9U).set(at::kMinor, 0U);
  log(Activity::kDevice, record, 0);
}

}  // namespace

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* const path = std::getenv("CUDA_INJECTION64_PATH");
    if (path == nullptr) return;
    void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    if (auto* const begin = reinterpret_cast<int (*)()>(::dlsym(library, "InitializeInjection"))) begin();
    graphs_are_traced = is_enabled(Activity::kGraphTrace);
    program_began();
    log_device();
    log(Activity::kContext,
        ActivityRecord(Activity::kContext)
            .set(layout::context::kContext, kContext)
            .set(layout::context::kDevice, kDevice),
        0);
    log_stream(kStream, kDefaultStream, 0);
  });
}

void create_stream(std::uint32_t stream, bool blocking, std::int32_t priority) {
  const std::lock_guard lock(device.mutex);
  if (blocking) device.blocking.insert(stream);
  log_stream(stream, blocking ? kBlockingStream : kNonBlockingStream, priority);
}

void work(std::int64_t nanoseconds) { clock_now += nanoseconds; }
std::int64_t now() { return clock_now.load(); }

void overhead(std::uint32_t kind, std::int64_t nanoseconds) {
  namespace at = layout::overhead;
  const std::int64_t begin = now();
  clock_now += nanoseconds;
  ActivityRecord record(Activity::kOverhead);
  record.set(at::kKind, kind).set(at::kStart, begin).set(at::kEnd, now());
  record.set(at::kThread, static_cast<std::uint32_t>(::gettid()));
  log(Activity::kOverhead, record, now());
}

void get_last_error() { const ApiCall call(Call::kGetLastError, 100); }

void launch(const Kernel& kernel, std::uint32_t stream) {
  const ApiCall call(Call::kLaunchKernel, 3'000);
  log_kernel(kernel, run(stream, call.begin() + kToDevice, kernel.duration), stream, call.correlation(), 0, 0);
}

void launch_by_driver(const Kernel& kernel, std::uint32_t stream) {
  const ApiCall call(Activity::kDriver, fake_cupti::kDriverLaunchKernel, 3'000);
  log_kernel(kernel, run(stream, call.begin() + kToDevice, kernel.duration), stream, call.correlation(), 0, 0);
}

void launch_graph(std::uint32_t graph, const std::vector<Kernel>& kernels, std::uint32_t stream) {
  const ApiCall call(Call::kGraphLaunch, 5'000);
  if (is_enabled(Activity::kGraphTrace)) return launch_whole_graph(graph, kernels, stream, call);
  std::uint64_t node = (std::uint64_t{graph} << 32U) + 1;
  for (const Kernel& kernel : kernels) {
    const Span span = run(stream, call.begin() + kToDevice, kernel.duration);
    log_kernel(kernel, span, stream, call.correlation(), node++, graph);
  }
}

void copy_async(std::uint8_t kind, std::uint64_t bytes, std::uint32_t stream) {
  namespace at = layout::copy;
  const ApiCall call(Call::kMemcpyAsync, 2'000);
  const Span span = run(stream, call.begin() + kToDevice, static_cast<std::int64_t>(bytes / 10));
  ActivityRecord record(Activity::kMemcpy);
  const bool to_device = kind == 1;
  record.set(at::kKind, kind).set(at::kSource, std::uint8_t(to_device ? 2 : 3));
  record.set(at::kDestination, std::uint8_t(to_device ? 3 : 2)).set(at::kBytes, bytes);
  record.set(at::kStart, span.start).set(at::kEnd, span.end).set(at::kDevice, kDevice).set(at::kStream, stream);
  record.set(at::kCorrelation, call.correlation());
  log(Activity::kMemcpy, record, span.end);
}

void copy_to_peer(std::uint64_t bytes, std::uint32_t stream) {
  namespace at = layout::copy;
  const ApiCall call(Call::kMemcpyPeerAsync, 2'000);
  const Span span = run(stream, call.begin() + kToDevice, static_cast<std::int64_t>(bytes / 10));
  ActivityRecord record(Activity::kMemcpyPeer);
  record.set(at::kKind, std::uint8_t{10}).set(at::kSource, std::uint8_t{3}).set(at::kDestination, std::uint8_t{3});
  record.set(at::kBytes, bytes).set(at::kStart, span.start).set(at::kEnd, span.end);
  record.set(at::kDevice, kDevice).set(at::kStream, stream);
  record.set(layout::peer_copy::kCorrelation, call.correlation());
  log(Activity::kMemcpyPeer, record, span.end);
}

void set_async(std::uint64_t bytes, std::uint32_t stream) {
  namespace at = layout::set;
  const ApiCall call(Call::kMemsetAsync, 2'000);
  const Span span = run(stream, call.begin() + kToDevice, static_cast<std::int64_t>(bytes / 100));
  ActivityRecord record(Activity::kMemset);
  record.set(at::kBytes, bytes).set(at::kStart, span.start).set(at::kEnd, span.end).set(at::kDevice, kDevice);
  record.set(at::kStream, stream).set(at::kCorrelation, call.correlation()).set(at::kMemory, std::uint16_t{3});
  log(Activity::kMemset, record, span.end);
}

void record_event(std::uint32_t event, std::uint32_t stream) {
  namespace at = layout::event;
  const ApiCall call(Call::kEventRecord, 1'000);
  const std::int64_t done = end_of_stream(stream);
  std::uint64_t sync_id = 0;
  {
    const std::lock_guard lock(device.mutex);
    sync_id = device.next_sync_id++;
    device.events[event] = {done, sync_id};
  }
  ActivityRecord record(Activity::kCudaEvent);
  record.set(at::kCorrelation, call.correlation()).set(at::kContext, kContext).set(at::kStream, stream);
  record.set(at::kEvent, event).set(at::kSyncId, sync_id);
  log(Activity::kCudaEvent, record, done);
}

void wait_event(std::uint32_t event, std::uint32_t stream) {
  const ApiCall call(Call::kStreamWaitEvent, 1'000);
  const Device::Event waited_for = event_of(event);
  {
    const std::lock_guard lock(device.mutex);
    std::int64_t& free_at = device.free_at[stream];
    free_at = std::max(free_at, waited_for.done);
  }
  log_sync(2, call, stream, event, waited_for.sync_id);
}

void synchronize_event(std::uint32_t event) {
  const ApiCall call(Call::kEventSynchronize, 0);
  const Device::Event waited_for = event_of(event);
  ApiCall::wait_until(waited_for.done);
  log_sync(1, call, kNone, event, waited_for.sync_id);
}

void synchronize_stream(std::uint32_t stream) {
  const ApiCall call(Call::kStreamSynchronize, 0);
  ApiCall::wait_until(end_of_stream(stream));
  log_sync(3, call, stream, 0, 0);
}

void synchronize_device() {
  const ApiCall call(Call::kDeviceSynchronize, 0);
  std::int64_t last = 0;
  {
    const std::lock_guard lock(device.mutex);
    for (const auto& [stream, free_at] : device.free_at) last = std::max(last, free_at);
  }
  ApiCall::wait_until(last);
  log_sync(4, call, kNone, 0, 0);
}

}  // namespace fake_cuda
