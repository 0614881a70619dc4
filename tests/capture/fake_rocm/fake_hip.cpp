#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tests/capture/fake_rocm/fake_rocm.h"
#include "tests/capture/fake_rocm/recorder.h"

namespace fake_rocm {
namespace {

constexpr std::int64_t kBoot = 5'000'000'000'000;
constexpr std::int64_t kToDevice = 5'000;  // minimum time in ns from the start of a call to the start of its work
constexpr std::uint64_t kOpenMpQueue = 4;

std::atomic<std::int64_t> clock_now{kBoot};

struct Device {
  std::mutex mutex;
  std::map<std::uint64_t, std::int64_t> free_at;  // by stream
  std::map<std::uint32_t, std::int64_t> events;   // when they are done
  std::map<std::string, std::uint64_t> kernels;   // numbers of those whose code is loaded
  std::set<std::uint64_t> followed_streams{0};
  std::uint64_t streams = 1;
};
Device device;

std::uint64_t thread() { return static_cast<std::uint64_t>(::gettid()); }

/// A HIP call that lasts from construction to destruction. Its record is added by the destructor.
class ApiCall {
 public:
  ApiCall(Call call, std::int64_t cost) : call_(call), begin_(now()) {
    recorded_ = is_active(abi::BufferKind::kHipCall, static_cast<std::int32_t>(call));
    if (recorded_) correlation_ = next_correlation();
    external_ = external();
    clock_now += cost;
  }
  ~ApiCall() {
    if (!recorded_) return;
    const abi::Call record{.size = sizeof record,
                           .kind = abi::BufferKind::kHipCall,
                           .operation = static_cast<std::int32_t>(call_),
                           .correlation = correlation_,
                           .external = external_,
                           .start = static_cast<std::uint64_t>(begin_),
                           .end = static_cast<std::uint64_t>(now()),
                           .thread = thread()};
    add(abi::BufferKind::kHipCall, &record, sizeof record);
  }
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;
  [[nodiscard]] std::int64_t begin() const { return begin_; }
  /// The id of work that the call starts: the call's own, or a new one if the call is not recorded.
  [[nodiscard]] std::uint64_t correlation() const { return recorded_ ? correlation_ : next_correlation(); }

 private:
  Call call_;
  std::int64_t begin_;
  bool recorded_ = false;
  std::uint64_t correlation_ = 0;
  std::uint64_t external_ = 0;
};

/// A call with a stream as its argument. rocprofiler-sdk 1.0.0 looks the stream up among those that it saw being
/// created, which throws through the program's call if it is not there.
class OnStream {
 public:
  explicit OnStream(std::uint64_t stream)
      : event_{sizeof event_, stream}, notice_(abi::CallbackKind::kHipStream, abi::operation::kStreamSet, &event_) {
    const std::lock_guard lock(device.mutex);
    if (notice_.is_followed() && !device.followed_streams.contains(stream)) std::abort();
  }
  ~OnStream() { notice_.exit(); }
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;

 private:
  abi::StreamEvent event_;
  Notice notice_;
};

struct Span {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// Puts work on a stream. It starts when the stream is free, but not before `not_before`.
Span run(std::uint64_t stream, std::int64_t not_before, std::int64_t duration) {
  const std::lock_guard lock(device.mutex);
  std::int64_t& free_at = device.free_at[stream];
  const std::int64_t start = std::max(free_at, not_before);
  free_at = start + duration;
  return {start, free_at};
}

/// Returns the kernel's number. Loads its code at the first call, which names it to tools.
std::uint64_t number_of(const Kernel& kernel) {
  std::unique_lock lock(device.mutex);
  const auto [known, is_new] = device.kernels.try_emplace(kernel.mangled_name, device.kernels.size() + 1);
  const std::uint64_t number = known->second;
  lock.unlock();
  if (!is_new) return number;
  const std::string name = std::string(kernel.mangled_name) + ".kd";
  const abi::KernelSymbol symbol{
      .size = sizeof symbol, .kernel = number, .code_object = 1, .name = name.c_str(), .vector_registers = 48};
  const Notice notice(abi::CallbackKind::kCodeObject, abi::operation::kKernelSymbol, &symbol);
  return number;
}

void add_dispatch(const Kernel& kernel, std::uint64_t stream, std::uint64_t queue, std::int64_t called,
                  std::uint64_t correlation) {
  const std::uint64_t number = number_of(kernel);
  const bool is_recorded = is_active(abi::BufferKind::kDispatch, abi::operation::kDispatched);
  const Span span = run(stream, called + kToDevice, kernel.duration);
  if (!is_recorded) return;
  const abi::Dispatch record{.size = sizeof record,
                             .kind = abi::BufferKind::kDispatch,
                             .operation = abi::operation::kDispatched,
                             .correlation = correlation,
                             .external = external(),
                             .thread = thread(),
                             .start = static_cast<std::uint64_t>(span.start),
                             .end = static_cast<std::uint64_t>(span.end),
                             .info = {.size = sizeof(abi::DispatchInfo),
                                      .agent = kGpu,
                                      .queue = queue,
                                      .kernel = number,
                                      .dispatch = correlation,
                                      .group_segment_bytes = 1024,
                                      .workgroup = {kernel.threads, 1, 1},
                                      .grid = {kernel.blocks * kernel.threads, 1, 1}}};
  add(abi::BufferKind::kDispatch, &record, sizeof record);
}

}  // namespace

std::int64_t now() { return clock_now.load(); }

void initialise() {
  static std::once_flag once;
  std::call_once(once, load_tools);
}

void work(std::int64_t nanoseconds) { clock_now += nanoseconds; }

std::uint64_t create_stream() {
  const ApiCall call(Call::kStreamCreate, 10'000);
  std::uint64_t stream = 0;
  {
    const std::lock_guard lock(device.mutex);
    stream = device.streams++;
  }
  const abi::StreamEvent event{sizeof event, stream};
  const Notice notice(abi::CallbackKind::kHipStream, abi::operation::kStreamCreate, &event, abi::Phase::kNone);
  const std::lock_guard lock(device.mutex);
  if (notice.is_followed()) device.followed_streams.insert(stream);
  return stream;
}

void launch(const Kernel& kernel, std::uint64_t stream) {
  const OnStream on(stream);
  const ApiCall call(Call::kLaunchKernel, 3'000);
  constexpr std::uint64_t kQueues = 2;  // which streams share
  add_dispatch(kernel, stream, stream % kQueues, call.begin(), call.correlation());
}

void launch_without_hip(const Kernel& kernel) {
  constexpr std::uint64_t kNoStream = 1'000;
  add_dispatch(kernel, kNoStream, kOpenMpQueue, now(), next_correlation());
}

void copy_async(Direction direction, std::uint64_t bytes, std::uint64_t stream) {
  const OnStream on(stream);
  const ApiCall call(Call::kMemcpyAsync, 2'000);
  const bool is_recorded = is_active(abi::BufferKind::kCopy, 0);
  const Span span = run(stream, call.begin() + kToDevice, static_cast<std::int64_t>(bytes / 10));
  if (!is_recorded) return;
  const bool to_device = direction != Direction::kDeviceToHost;
  const bool from_device = direction != Direction::kHostToDevice;
  const abi::Copy record{.size = sizeof record,
                         .kind = abi::BufferKind::kCopy,
                         .operation = !from_device ? abi::operation::kHostToDevice
                                      : to_device  ? abi::operation::kDeviceToDevice
                                                   : abi::operation::kDeviceToHost,
                         .correlation = call.correlation(),
                         .external = external(),
                         .thread = thread(),
                         .start = static_cast<std::uint64_t>(span.start),
                         .end = static_cast<std::uint64_t>(span.end),
                         .destination = to_device ? kGpu : kCpu,
                         .source = from_device ? kGpu : kCpu,
                         .bytes = bytes};
  add(abi::BufferKind::kCopy, &record, sizeof record);
}

void record_event(std::uint32_t event, std::uint64_t stream) {
  const OnStream on(stream);
  const ApiCall call(Call::kEventRecord, 1'000);
  const std::lock_guard lock(device.mutex);
  device.events[event] = device.free_at[stream];
}

void wait_event(std::uint32_t event, std::uint64_t stream) {
  const OnStream on(stream);
  const ApiCall call(Call::kStreamWaitEvent, 1'000);
  const std::lock_guard lock(device.mutex);
  std::int64_t& free_at = device.free_at[stream];
  free_at = std::max(free_at, device.events[event]);
}

void synchronize_stream(std::uint64_t stream) {
  const OnStream on(stream);
  const ApiCall call(Call::kStreamSynchronize, 0);
  const std::lock_guard lock(device.mutex);
  clock_now = std::max(clock_now.load(), device.free_at[stream]) + 2'000;
}

void get_last_error() { const ApiCall call(Call::kGetLastError, 100); }

void profiler_call(bool start) {
  const Call number = start ? Call::kProfilerStart : Call::kProfilerStop;
  const std::uint64_t size = 0;
  Notice notice(abi::CallbackKind::kHipCall, static_cast<std::int32_t>(number), &size);
  { const ApiCall call(number, 100); }
  notice.exit();
}

namespace {

/// A range with its text, which the tool may read when the range ends.
struct Range {
  explicit Range(const char* name, std::int32_t operation)
      : text(name), event{sizeof event, text.c_str()}, notice(abi::CallbackKind::kMarkerRange, operation, &event) {}
  std::string text;
  abi::MarkerEvent event;
  Notice notice;
};
thread_local std::vector<std::unique_ptr<Range>> pushed;
std::mutex started_mutex;
std::map<std::uint64_t, std::unique_ptr<Range>> started;
std::uint64_t next_started = 1;

void control(std::int32_t operation) {
  initialise();
  const std::uint64_t size = 0;
  Notice notice(abi::CallbackKind::kMarkerControl, operation, &size);
  notice.exit();
}

}  // namespace

void push_range(const char* name) {
  initialise();
  pushed.push_back(std::make_unique<Range>(name, abi::operation::kThreadRange));
}

void pop_range() {
  if (pushed.empty()) return;
  pushed.back()->notice.exit();
  pushed.pop_back();
}

std::uint64_t start_range(const char* name) {
  initialise();
  const std::lock_guard lock(started_mutex);
  started.emplace(next_started, std::make_unique<Range>(name, abi::operation::kRange));
  return next_started++;
}

void stop_range(std::uint64_t range) {
  const std::lock_guard lock(started_mutex);
  const auto found = started.find(range);
  if (found == started.end()) return;
  found->second->notice.exit();
  started.erase(found);
}

void mark(const char* name) {
  initialise();
  Range(name, abi::operation::kMark).notice.exit();
}

void pause_profiler() { control(abi::operation::kPause); }
void resume_profiler() { control(abi::operation::kResume); }

}  // namespace fake_rocm
