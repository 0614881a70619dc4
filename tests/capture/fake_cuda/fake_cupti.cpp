// A fake of CUPTI's activity interface for the fake device. Environment variables make it misbehave:
//
//     FAKE_CUPTI_VERSION=N            the result of cuptiGetVersion(), and that version's layouts (default 130001)
//     FAKE_CUPTI_FAIL=FUNCTION=CODE   this function returns the code, for example cuptiActivityEnable=35
//     FAKE_CUPTI_OTHER_CLIENT=N       cuptiSubscribe() fails from its N-th call on, as if there were another client
//     FAKE_CUPTI_DROP_EVERY=N         every N-th record is dropped, and counted
//     FAKE_CUPTI_SHUFFLE=1            full buffers are delivered by two threads, the last one first

#include <algorithm>
#include <array>
#include <atomic>
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
  return std::atoi(text + equals + 1);
}

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
      if (requested_ == nullptr || !enabled_.contains(kind)) return;
      static const std::uint64_t drop_every = number("FAKE_CUPTI_DROP_EVERY", 0);
      if (drop_every > 0 && ++seen_ % drop_every == 0) return static_cast<void>(++dropped_);
      Filled& open = host ? host_ : device_;
      if (open.used + record.size() > open.size) {
        full = std::exchange(open, {});
        std::size_t most = 0;
        requested_(&open.buffer, &open.size, &most);
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
      for (Filled* const open : {&device_, &host_}) {
        if (open->used > 0 && (forced || open->complete <= now())) ready.push_back(std::exchange(*open, {}));
      }
      ready.insert(ready.end(), waiting_.rbegin(), waiting_.rend());
      waiting_.clear();
    }
    for (const Filled& filled : ready) complete(filled);
  }

  std::size_t take_dropped() {
    const std::lock_guard lock(mutex_);
    return std::exchange(dropped_, 0);
  }

 private:
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
  Filled host_;
  Filled device_;
  std::vector<Filled> waiting_;  ///< full buffers that are not delivered yet, with FAKE_CUPTI_SHUFFLE
  std::uint64_t seen_ = 0;
  std::size_t dropped_ = 0;
};

/// Returns the recorder. It is never destroyed, because threads of the program may outlive main().
Recorder& recorder() {
  static auto* const the_recorder = new Recorder;
  return *the_recorder;
}

const char* call_name(std::uint32_t call) {
  switch (Call{call}) {
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
    case Activity::kExternalCorrelation: return 24;
    case Activity::kOverhead: return 40;
    case Activity::kGraphTrace: return 48;
  }
  return 0;
}

bool is_enabled(Activity kind) { return recorder().is_enabled(kind); }

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
  *time = static_cast<std::uint64_t>(fake_cuda::now());
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
  recorder().set_enabled(kind, true);
  return 0;
}
int cuptiActivityDisable(fake_cuda::Activity kind) {
  FAKE_CUPTI_BEGIN(cuptiActivityDisable);
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
  recorder().flush(flag == 1);
  return 0;
}
int cuptiGetCallbackName(std::uint32_t, std::uint32_t call, const char** name) {
  FAKE_CUPTI_BEGIN(cuptiGetCallbackName);
  *name = fake_cuda::call_name(call);
  return *name == nullptr ? 1 : 0;
}
int cuptiGetResultString(int result, const char** text) {
  if (result != 35) return 1;
  *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
  return 0;
}
int cuptiSubscribe(void** subscriber, void*, void*) {
  FAKE_CUPTI_BEGIN(cuptiSubscribe);
  static std::atomic<std::uint64_t> tries{0};
  static const std::uint64_t from = fake_cuda::number("FAKE_CUPTI_OTHER_CLIENT", 0);
  if (from > 0 && ++tries >= from) return 39;
  *subscriber = subscriber;
  return 0;
}
int cuptiUnsubscribe(void*) { return 0; }
int cuptiSetThreadIdType(std::uint32_t) { return failure_of("cuptiSetThreadIdType"); }
}
