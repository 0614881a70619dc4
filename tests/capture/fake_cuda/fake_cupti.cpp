// A fake of CUPTI's activity interface for the fake device. Environment variables make it misbehave:
//
//     FAKE_CUPTI_VERSION=N            the result of cuptiGetVersion(), and that version's layouts (default 130001)
//     FAKE_CUPTI_FAIL=FUNCTION=CODE   this function returns the code, for example cuptiActivityEnable=35.
//                                     FUNCTION=CODE@NAME limits this to the library whose file name ends with NAME
//     FAKE_CUPTI_REFUSE=KIND          cuptiActivityEnable() refuses this kind (its number)
//     FAKE_CUPTI_OTHER_CLIENT=N       subscribing fails from the N-th call on, as if Kineto had subscribed
//     FAKE_CUPTI_OTHER_CALLBACKS=N    after the N-th flush another client registers its own callbacks for buffers
//     FAKE_CUPTI_OTHER_CLOCK=N        the same, and that client gives CUPTI its own clock, as Kineto does
//     FAKE_CUPTI_DROP_EVERY=N         every N-th record is dropped, and counted
//     FAKE_CUPTI_UNREADABLE_EVERY=N   every N-th record cannot be read, and neither can what follows it in its buffer
//     FAKE_CUPTI_SHUFFLE=1            full buffers are delivered by two threads, the last one first
//     FAKE_CUPTI_FLUSH_MS=N           a flush takes this long
//     FAKE_CUPTI_HANG=1               a forced flush never ends
//     FAKE_CUPTI_HANG_PAUSED=N        of the flushes that are made while no calls are recorded, the N-th never ends
//     FAKE_CUPTI_WSL=1                the program finds the device file of WSL
//     FAKE_CUPTI_COUNTS=FILE          at the end of the program, writes how often the functions were called to the file
//
// As with CUPTI 13, each thread has its own buffer, unless the version is older or the client wants it otherwise.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "capture/cupti/abi.h"
#include "tests/capture/fake_cuda/activity_log.h"
#include "tests/capture/fake_cuda/fake_cuda.h"

namespace fake_cuda {
namespace {

namespace cupti = stepsim::capture::cupti;
using cupti::Result;

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Returns the error code that FAKE_CUPTI_FAIL sets for this function; 0 if the function is to succeed.
Result failure_of(std::string_view function) {
  const char* const text = std::getenv("FAKE_CUPTI_FAIL");
  if (text == nullptr) return 0;
  const std::string_view asked(text);
  const std::size_t equals = asked.find('=');
  if (asked.substr(0, equals) != function) return 0;
  if (const std::size_t at = asked.find('@'); at != std::string_view::npos) {
    static const int here = 0;
    ::Dl_info library{};
    const bool known = ::dladdr(&here, &library) != 0 && library.dli_fname != nullptr;
    if (!known || !std::string_view(library.dli_fname).ends_with(asked.substr(at + 1))) return 0;
  }
  return std::atoi(text + equals + 1);
}

/// How often the client called CUPTI, and whether it did so as CUPTI allows.
struct Counts {
  std::atomic<int> flushes{0};
  std::atomic<int> subscriptions{0};
  std::atomic<int> switches{0};
  std::atomic<int> disabled{0};
  std::atomic<int> flushing{0};             ///< flushes that are running
  std::atomic<int> switches_in_flushes{0};  ///< must be 0: CUPTI 13 may deadlock or crash
  std::atomic<int> zeroed{0};               ///< buffers that are all zero, as the client has promised
  std::atomic<int> not_zeroed{0};
  ~Counts() {
    const char* const path = std::getenv("FAKE_CUPTI_COUNTS");
    std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return;
    std::fprintf(file,
                 R"({"flushes": %d, "subscriptions": %d, "switches": %d, "disabled": %d, "switches_in_flushes": %d, )"
                 R"("zeroed": %d, "not_zeroed": %d})",
                 flushes.load(), subscriptions.load(), switches.load(), disabled.load(), switches_in_flushes.load(),
                 zeroed.load(), not_zeroed.load());
    std::fclose(file);
  }
};
Counts counts;

/// Counts a change of what is recorded.
void count_switch() {
  ++counts.switches;
  if (counts.flushing.load() > 0) ++counts.switches_in_flushes;
}

/// The buffers of another client, which never returns them to us.
void other_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  *size = 1U << 16U;
  *buffer = new std::uint8_t[*size];
  *most = 0;
}
void other_completed(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) {}

/// The client that has subscribed, and the calls of the driver of which it is told.
struct Subscriber {
  cupti::Callback callback = nullptr;
  void* data = nullptr;
  std::set<std::uint32_t> calls;
};
Subscriber subscribed;

struct Filled {
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
  std::int64_t complete = 0;  ///< when the last of its records is complete
};

/// Collects CUPTI's records in buffers and delivers them. Records of the host and of the device are in separate
/// buffers, so they arrive out of order.
class Recorder {
 public:
  void set_callbacks(void (*requested)(std::uint8_t**, std::size_t*, std::size_t*),
                     void (*completed)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t)) {
    const std::lock_guard lock(mutex_);
    requested_ = requested;
    completed_ = completed;
  }
  void set_enabled(Activity kind, bool on) {
    const std::lock_guard lock(mutex_);
    on ? static_cast<void>(enabled_.insert(kind)) : static_cast<void>(enabled_.erase(kind));
    calls_[kind].clear();  // a later switch of the kind overrides those of its calls
  }
  /// Without its kind, a call can be switched on only before the program begins, as with CUPTI 13.0.
  void set_call_enabled(Activity kind, std::uint32_t call, bool on) {
    const std::lock_guard lock(mutex_);
    if (on && began_ && !enabled_.contains(kind)) return;
    calls_[kind][call] = on;
  }
  void begin() {
    const std::lock_guard lock(mutex_);
    began_ = true;
  }
  void expect_zeroed_buffers(bool on) { expects_zeroed_.store(on); }
  void set_buffer_per_thread(bool on) {
    const std::lock_guard lock(mutex_);
    buffer_per_thread_ = on;
  }
  [[nodiscard]] bool is_enabled(Activity kind) {
    const std::lock_guard lock(mutex_);
    return enabled_.contains(kind);
  }

  void add(Activity kind, const std::vector<std::uint8_t>& record, std::int64_t complete) {
    const bool host = kind == Activity::kRuntime || kind == Activity::kDriver;
    Filled full;
    {
      const std::lock_guard lock(mutex_);
      if (requested_ == nullptr || !is_wanted(kind, record)) return;
      static const std::uint64_t drop_every = number("FAKE_CUPTI_DROP_EVERY", 0);
      if (drop_every > 0 && ++seen_ % drop_every == 0) return static_cast<void>(++dropped_);
      Filled& open = host ? host_[buffer_per_thread_ ? std::this_thread::get_id() : std::thread::id{}] : device_;
      if (open.used + record.size() > open.size) {
        full = std::exchange(open, {});
        std::size_t most = 0;
        requested_(&open.buffer, &open.size, &most);
        look_at(open);
      }
      if (open.buffer == nullptr) {
        open = {};
        return static_cast<void>(++dropped_);
      }
      std::memcpy(open.buffer + open.used, record.data(), record.size());
      open.used += record.size();
      open.complete = std::max(open.complete, complete);
    }
    if (full.buffer != nullptr) deliver_full(full);
  }

  void flush(bool forced) {
    std::vector<Filled> ready;
    {
      const std::lock_guard lock(mutex_);
      const auto take = [&](Filled& open) {
        if (open.used > 0 && (forced || open.complete <= now())) ready.push_back(std::exchange(open, {}));
      };
      take(device_);
      for (auto& [thread, open] : host_) take(open);
      ready.insert(ready.end(), waiting_.rbegin(), waiting_.rend());
      waiting_.clear();
    }
    for (const Filled& filled : ready) complete(filled);
    static const std::uint64_t with_clock = number("FAKE_CUPTI_OTHER_CLOCK", 0);
    static const std::uint64_t other = number("FAKE_CUPTI_OTHER_CALLBACKS", with_clock);
    if (other == 0 || static_cast<std::uint64_t>(counts.flushes.load()) != other) return;
    set_callbacks(other_requested, other_completed);
    has_other_clock_ = with_clock > 0;
  }

  /// True if another client replaced the clock.
  [[nodiscard]] bool has_other_clock() const noexcept { return has_other_clock_.load(); }

  std::size_t take_dropped() {
    const std::lock_guard lock(mutex_);
    return std::exchange(dropped_, 0);
  }

 private:
  void look_at(const Filled& fresh) const {
    if (fresh.buffer == nullptr || !expects_zeroed_.load()) return;
    const bool zero = std::all_of(fresh.buffer, fresh.buffer + fresh.size, [](std::uint8_t byte) { return byte == 0; });
    ++(zero ? counts.zeroed : counts.not_zeroed);
  }
  [[nodiscard]] bool is_wanted(Activity kind, const std::vector<std::uint8_t>& record) {
    const auto of_kind = calls_.find(kind);
    if (of_kind == calls_.end()) return enabled_.contains(kind);
    std::uint32_t callback = 0;
    std::memcpy(&callback, record.data() + layout::call::kCallback, sizeof callback);
    const auto call = of_kind->second.find(callback);
    return call == of_kind->second.end() ? enabled_.contains(kind) : call->second;
  }
  void deliver_full(const Filled& full) {
    static const bool shuffle = number("FAKE_CUPTI_SHUFFLE", 0) == 1;
    if (!shuffle) return complete(full);
    std::vector<Filled> two;
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(full);
      if (waiting_.size() < 2) return;
      two.swap(waiting_);
    }
    std::thread later([&] { complete(two[1]); });
    std::thread earlier([&] { complete(two[0]); });
    later.join();
    earlier.join();
  }
  void complete(const Filled& filled) { completed_(nullptr, 0, filled.buffer, filled.size, filled.used); }

  std::mutex mutex_;
  void (*requested_)(std::uint8_t**, std::size_t*, std::size_t*) = nullptr;
  void (*completed_)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) = nullptr;
  std::set<Activity> enabled_;
  std::map<Activity, std::map<std::uint32_t, bool>> calls_;  ///< calls that are recorded or not, whatever their kind is
  bool buffer_per_thread_ = cupti_version() >= 130'000;
  bool began_ = false;                      ///< the program uses CUDA
  std::map<std::thread::id, Filled> host_;  ///< by thread, or one for all of them
  Filled device_;
  std::vector<Filled> waiting_;  ///< full buffers that are not delivered yet, with FAKE_CUPTI_SHUFFLE
  std::uint64_t seen_ = 0;
  std::size_t dropped_ = 0;
  std::atomic<bool> has_other_clock_{false};
  std::atomic<bool> expects_zeroed_{false};
};

/// Returns the recorder. It is never destroyed, because threads of the program may outlive main().
Recorder& recorder() {
  static auto* const the_recorder = new Recorder;
  return *the_recorder;
}

const char* driver_call_name(std::uint32_t call) {
  if (call == fake_cupti::kDriverGetVersion) return "cuDriverGetVersion";
  return call == fake_cupti::kDriverLaunchKernel ? "cuLaunchKernel" : nullptr;
}

const char* call_name(std::uint32_t call) {
  switch (Call{call}) {
    case Call::kGetLastError: return "cudaGetLastError_v3020";
    case Call::kLaunchKernel: return "cudaLaunchKernel_v7000";
    case Call::kGraphLaunch: return "cudaGraphLaunch_v10000";
    case Call::kMemcpyAsync: return "cudaMemcpyAsync_v3020";
    case Call::kMemcpyPeerAsync: return "cudaMemcpyPeerAsync_v4000";
    case Call::kMemsetAsync: return "cudaMemsetAsync_v3020";
    case Call::kEventRecord: return "cudaEventRecord_v3020";
    case Call::kStreamWaitEvent: return "cudaStreamWaitEvent_v3020";
    case Call::kEventSynchronize: return "cudaEventSynchronize_v3020";
    case Call::kStreamSynchronize: return "cudaStreamSynchronize_v3020";
    case Call::kDeviceSynchronize: return "cudaDeviceSynchronize_v3020";
  }
  return nullptr;
}

}  // namespace

std::uint32_t cupti_version() {
  static const auto version = static_cast<std::uint32_t>(number("FAKE_CUPTI_VERSION", 130'001));
  return version;
}

/// The sizes are those of CUpti_ActivityKernel4 to Kernel10, CUpti_ActivityMemcpy to Memcpy6, MemcpyPtoP to
/// MemcpyPtoP4, Memset to Memset4, Synchronization and Synchronization2, and CudaEvent and CudaEvent2.
std::size_t size_of(Activity kind, std::uint32_t version) {
  const auto since = [version](std::initializer_list<std::pair<std::uint32_t, std::size_t>> sizes) {
    std::size_t size = 0;
    for (const auto& [first, bytes] : sizes) size = version >= first ? bytes : size;
    return size;
  };
  switch (kind) {
    case Activity::kConcurrentKernel:
      return since({{0, 144}, {13, 160}, {15, 168}, {17, 176}, {18, 200}, {19, 208}, {130'000, 216}});
    case Activity::kMemcpy: return since({{0, 64}, {13, 72}, {14, 80}, {17, 88}, {26, 96}});
    case Activity::kMemcpyPeer: return since({{0, 72}, {13, 80}, {14, 88}, {17, 96}});
    case Activity::kMemset: return since({{0, 64}, {13, 72}, {14, 80}, {17, 88}});
    case Activity::kSynchronization: return since({{0, 40}, {26, 56}});
    case Activity::kCudaEvent: return since({{0, 24}, {26, 56}});
    case Activity::kRuntime:
    case Activity::kDriver: return 40;
    case Activity::kDevice: return 184;
    case Activity::kContext: return 16;
    case Activity::kStream:
    case Activity::kExternalCorrelation: return 24;
    case Activity::kOverhead: return 40;
    case Activity::kGraphTrace: return 48;
  }
  return 0;
}

void profiler_call(bool start) {
  const std::uint32_t call = start ? fake_cupti::kProfilerStart : fake_cupti::kProfilerStop;
  if (subscribed.callback == nullptr || !subscribed.calls.contains(call)) return;
  for (const int site : {0, 1}) subscribed.callback(subscribed.data, cupti::Domain::kDriver, call, &site);
}

bool is_enabled(Activity kind) { return recorder().is_enabled(kind); }

void program_began() { recorder().begin(); }

void log(Activity kind, const ActivityRecord& record, std::int64_t complete) {
  recorder().add(kind, record.bytes(), complete);
}

}  // namespace fake_cuda

using fake_cuda::failure_of;
using fake_cuda::recorder;

#define FAKE_CUPTI_BEGIN(function) \
  if (const int code = failure_of(#function); code != 0) return code

extern "C" {

int cuptiGetVersion(std::uint32_t* version) {
  FAKE_CUPTI_BEGIN(cuptiGetVersion);
  *version = fake_cuda::cupti_version();
  return 0;
}
int cuptiGetTimestamp(std::uint64_t* time) {
  FAKE_CUPTI_BEGIN(cuptiGetTimestamp);
  constexpr std::uint64_t kTicksInNanosecond = 3;
  *time = static_cast<std::uint64_t>(fake_cuda::now());
  if (recorder().has_other_clock()) *time = *time % 1'000'000'000'000 * kTicksInNanosecond;
  return 0;
}
int cuptiActivityRegisterCallbacks(void (*requested)(std::uint8_t**, std::size_t*, std::size_t*),
                                   void (*completed)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t)) {
  FAKE_CUPTI_BEGIN(cuptiActivityRegisterCallbacks);
  recorder().set_callbacks(requested, completed);
  return 0;
}
int cuptiActivityEnable(fake_cuda::Activity kind) {
  FAKE_CUPTI_BEGIN(cuptiActivityEnable);
  fake_cuda::count_switch();
  if (fake_cuda::number("FAKE_CUPTI_REFUSE", 0) == static_cast<std::uint64_t>(kind)) return 27;
  recorder().set_enabled(kind, true);
  return 0;
}
int cuptiActivityDisable(fake_cuda::Activity kind) {
  FAKE_CUPTI_BEGIN(cuptiActivityDisable);
  fake_cuda::count_switch();
  ++fake_cuda::counts.disabled;
  recorder().set_enabled(kind, false);
  return 0;
}
int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) {
  FAKE_CUPTI_BEGIN(cuptiActivityGetNextRecord);
  std::uint8_t* next = buffer;
  if (*record != nullptr) {
    fake_cuda::Activity kind{};
    std::memcpy(&kind, *record, sizeof kind);
    next = *record + fake_cuda::size_of(kind, fake_cuda::cupti_version());
  }
  if (next >= buffer + valid) return 12;
  static const std::uint64_t unreadable = fake_cuda::number("FAKE_CUPTI_UNREADABLE_EVERY", 0);
  static std::atomic<std::uint64_t> read{0};
  if (unreadable > 0 && ++read % unreadable == 0) return 21;
  *record = next;
  return 0;
}
int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  FAKE_CUPTI_BEGIN(cuptiActivityGetNumDroppedRecords);
  *dropped = recorder().take_dropped();
  return 0;
}
int cuptiActivityFlushAll(std::uint32_t flag) {
  FAKE_CUPTI_BEGIN(cuptiActivityFlushAll);
  ++fake_cuda::counts.flushes;
  ++fake_cuda::counts.flushing;
  static std::atomic<std::uint64_t> paused{0};
  const std::uint64_t number = recorder().is_enabled(fake_cuda::Activity::kRuntime) ? 0 : ++paused;
  const bool hangs = (flag == 1 && fake_cuda::number("FAKE_CUPTI_HANG", 0) == 1) ||
                     (number > 0 && number == fake_cuda::number("FAKE_CUPTI_HANG_PAUSED", 0));
  if (hangs) std::this_thread::sleep_for(std::chrono::hours{10'000});
  std::this_thread::sleep_for(std::chrono::milliseconds{fake_cuda::number("FAKE_CUPTI_FLUSH_MS", 0)});
  recorder().flush(flag == 1);
  --fake_cuda::counts.flushing;
  return 0;
}
int cuptiActivitySetAttribute(fake_cupti::Attribute attribute, std::size_t*, void* value) {
  FAKE_CUPTI_BEGIN(cuptiActivitySetAttribute);
  if (attribute == fake_cupti::Attribute::kZeroedBuffers)
    recorder().expect_zeroed_buffers(*static_cast<std::uint8_t*>(value) != 0);
  if (attribute == fake_cupti::Attribute::kBuffersPerThread) {
    if (fake_cuda::cupti_version() < 130'000) return 1;
    recorder().set_buffer_per_thread(*static_cast<std::uint8_t*>(value) != 0);
  }
  return 0;
}
int cuptiActivityEnableRuntimeApi(std::uint32_t call, std::uint8_t on) {
  recorder().set_call_enabled(fake_cuda::Activity::kRuntime, call, on != 0);
  return 0;
}
int cuptiActivityEnableDriverApi(std::uint32_t call, std::uint8_t on) {
  recorder().set_call_enabled(fake_cuda::Activity::kDriver, call, on != 0);
  return 0;
}
int cuptiGetCallbackName(fake_cuda::cupti::Domain domain, std::uint32_t call, const char** name) {
  FAKE_CUPTI_BEGIN(cuptiGetCallbackName);
  *name = domain == fake_cuda::cupti::Domain::kDriver ? fake_cuda::driver_call_name(call) : fake_cuda::call_name(call);
  return *name == nullptr ? 1 : 0;
}
int cuptiGetResultString(int result, const char** text) {
  if (result != 35) return 1;
  *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
  return 0;
}
int cuptiSubscribe(void** subscriber, fake_cuda::cupti::Callback callback, void* data) {
  FAKE_CUPTI_BEGIN(cuptiSubscribe);
  const int tries = ++fake_cuda::counts.subscriptions;
  static const std::uint64_t from = fake_cuda::number("FAKE_CUPTI_OTHER_CLIENT", 0);
  if (from > 0 && static_cast<std::uint64_t>(tries) >= from) return 39;
  fake_cuda::subscribed = {callback, data, {}};
  *subscriber = &fake_cuda::subscribed;
  return 0;
}
int cuptiEnableCallback(std::uint32_t on, void*, fake_cuda::cupti::Domain, std::uint32_t call) {
  FAKE_CUPTI_BEGIN(cuptiEnableCallback);
  if (on != 0) fake_cuda::subscribed.calls.insert(call);
  return 0;
}
int cuptiSubscribe_v2(void** subscriber, fake_cuda::cupti::Callback callback, void* data,
                      fake_cuda::cupti::SubscriberParams* params) {
  const int result = cuptiSubscribe(subscriber, callback, data);
  if (result == 39 && params->name_of_other != nullptr)
    std::snprintf(params->name_of_other, params->size_of_other, "CUPTI for Kineto");
  return result;
}
int cuptiUnsubscribe(void*) {
  fake_cuda::subscribed = {};
  return 0;
}
int cuptiSetThreadIdType(std::uint32_t) { return failure_of("cuptiSetThreadIdType"); }

/// A call of the driver that takes no time.
int cuDriverGetVersion(int* version) {
  *version = 13'000;
  fake_cuda::ActivityRecord record(fake_cuda::Activity::kDriver);
  namespace at = fake_cuda::layout::call;
  record.set(at::kCallback, std::uint32_t{fake_cupti::kDriverGetVersion});
  record.set(at::kStart, fake_cuda::now()).set(at::kEnd, fake_cuda::now());
  fake_cuda::log(fake_cuda::Activity::kDriver, record, fake_cuda::now());
  return 0;
}

/// Takes the place of the C library's function in the program and in what it loads.
int access(const char* path, int mode) noexcept {
  const bool is_of_wsl = std::string_view(path) == "/dev/dxg" && fake_cuda::number("FAKE_CUPTI_WSL", 0) == 1;
  return is_of_wsl ? 0 : ::faccessat(AT_FDCWD, path, mode, 0);
}
}
