#include "capture/cupti/tracer.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "capture/writer/process.h"

namespace stepsim::capture::cupti {

namespace {

constexpr std::array kWaits{Activity::kSynchronization, Activity::kCudaEvent};
constexpr std::array kOthers{Activity::kOverhead, Activity::kExternalCorrelation};
/// Kinds of activity that are always recorded. They produce few records, and records of the other kinds refer to them.
constexpr std::array kAlways{Activity::kContext, Activity::kDevice, Activity::kStream};

/// Beginnings of the names of calls of the runtime that do no work, start none and wait for none. Programs make
/// thousands of them in a step.
constexpr std::array<std::string_view, 21> kUselessRuntimeCalls{"__cudaPopCallConfiguration",
                                                                "__cudaPushCallConfiguration",
                                                                "cudaDeviceCanAccessPeer",
                                                                "cudaDeviceGetAttribute",
                                                                "cudaDeviceGetStreamPriorityRange",
                                                                "cudaDriverGetVersion",
                                                                "cudaEventCreate",
                                                                "cudaEventDestroy",
                                                                "cudaEventQuery",
                                                                "cudaFuncGetAttributes",
                                                                "cudaGetDevice_",
                                                                "cudaGetDeviceCount",
                                                                "cudaGetErrorString",
                                                                "cudaGetLastError",
                                                                "cudaOccupancy",
                                                                "cudaPeekAtLastError",
                                                                "cudaPointerGetAttributes",
                                                                "cudaRuntimeGetVersion",
                                                                "cudaSetDevice_",
                                                                "cudaStreamGetCaptureInfo",
                                                                "cudaStreamIsCapturing"};
/// Beginnings of the names of calls of the driver that start work, wait for it, or take long.
constexpr std::array<std::string_view, 15> kUsefulDriverCalls{
    "cu64Memcpy", "cu64Memset", "cuCtxSynchronize", "cuEventRecord", "cuEventSynchronize",
    "cuGraph",    "cuLaunch",   "cuLibraryLoad",    "cuMemAlloc",    "cuMemFree",
    "cuMemcpy",   "cuMemset",   "cuModuleLoad",     "cuStreamSync",  "cuStreamWait"};

template <class Beginnings>
bool begins_with_any(std::string_view name, const Beginnings& beginnings) noexcept {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [name](std::string_view beginning) { return name.starts_with(beginning); });
}

/// A callback that is never called, because no callbacks are enabled.
void ignore(void*, Domain, std::uint32_t, const void*) {}

/// The callback of cuProfilerStart() and cuProfilerStop(). `data` is a CUpti_CallbackData, which begins with 1 when the
/// call returns.
void call_listener(void* listener, Domain, std::uint32_t callback, const void* data) {
  int site = 0;
  std::memcpy(&site, data, sizeof site);
  if (site == 1) (*static_cast<const std::function<void(bool)>*>(listener))(callback == kProfilerStart);
}

std::atomic<Tracer*> the_tracer{nullptr};

/// Locks `mutex` if that takes at most `longest`.
std::unique_lock<std::mutex> lock_within(std::mutex& mutex, std::chrono::milliseconds longest) {
  constexpr std::chrono::milliseconds kPause{1};
  std::unique_lock lock(mutex, std::try_to_lock);
  for (auto waited = kPause; !lock && waited <= longest; waited += kPause) {
    std::this_thread::sleep_for(kPause);
    static_cast<void>(lock.try_lock());
  }
  return lock;
}

/// Returns "12.3" for 12,345,678,901 nanoseconds.
std::string seconds(std::uint64_t nanoseconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", static_cast<double>(nanoseconds) / 1e9);
  return text.data();
}

std::string in_brackets(const std::string& name) { return name.empty() ? "" : " (" + name + ")"; }

bool is_always_recorded(const std::uint8_t* record) noexcept {
  return std::find(kAlways.begin(), kAlways.end(), member<Activity>(record, 0)) != kAlways.end();
}

bool is_probe(const std::uint8_t* record) noexcept {
  return member<Activity>(record, 0) == Activity::kDriver &&
         member<std::uint32_t>(record, offset::call::kCallback) == kDriverGetVersion;
}

}  // namespace

Tracer::Tracer(TracerSettings settings, Writer& writer)
    : capture::Tracer(writer), settings_(std::move(settings)), buffers_(settings_.buffer_bytes) {
  the_tracer.store(this, std::memory_order_release);
}

void Tracer::start(bool record_at_once) {
  std::string other;
  std::string problem;
  bool taken = false;
  const bool loaded = load(
      settings_.library, library_,
      [&] {
        taken = another_client(other);
        return taken ? std::string{} : prepare(record_at_once);
      },
      problem);
  if (!loaded) {
    return give_up(wire::Status::kNoCupti,
                   advice_.empty() ? problem : "CUPTI does not work: " + advice_ + " (" + problem + ")");
  }
  if (taken) {
    return give_up(wire::Status::kOtherClient, "another profiler" + in_brackets(other) + " is using CUPTI (" +
                                                   to_text(library_) + "); run the program without it");
  }
  std::uint64_t time = 0;
  if (library_.functions.get_timestamp(&time) == kSuccess) clock_ahead_ = time - system_now();
  started_ = now();
  get_driver_version_ = driver_version_of(library_.path);
  choose_calls();
  works_.store(true, std::memory_order_release);
  if (record_at_once) record(Recording::kOn, std::chrono::milliseconds::zero());
  describe_library();
}

void Tracer::describe_again() noexcept try {
  started_ = now();
  unreadable_told_ = false;
  if (repeat_why_not()) return;
  describe_library();
  std::unique_lock lock(control_);
  for (const auto& [kind, result] : refused_) say_refused(kind, result);
  lock.unlock();
  const std::lock_guard keeping(keeping_);
  writer_.with_producer([&](Producer& producer) {
    for (const KeptRecord& record : kept_) translator_.add(record.data(), producer);
  });
} catch (...) {
  return;
}

/// On WSL, CUPTI's clock is not the system's. The difference puts the records of several processes on one clock.
void Tracer::describe_library() {
  describe("cupti_version", std::to_string(library_.version));
  describe("cupti_path", library_.path);
  if (::access("/dev/dxg", F_OK) == 0)
    describe("clock_ahead_ns", std::to_string(static_cast<std::int64_t>(clock_ahead_)));
}

void Tracer::keep(const std::uint8_t* record) noexcept try {
  constexpr std::size_t kMost = 1'000;  // a program may create and destroy streams all the time
  KeptRecord kept{};
  const auto kind = member<Activity>(record, 0);
  const std::size_t last = kind == Activity::kStream ? offset::stream::kFlag : offset::context::kDevice;
  std::memcpy(kept.data(), record, kind == Activity::kDevice ? kept.size() : last + sizeof(std::uint32_t));
  const std::lock_guard lock(keeping_);
  if (kept_.size() < kMost && std::find(kept_.begin(), kept_.end(), kept) == kept_.end()) kept_.push_back(kept);
} catch (...) {
  return;
}

std::string Tracer::prepare(bool record_at_once) {
  const Functions& f = library_.functions;
  if (settings_.on_profiler_call && f.enable_callback != nullptr) {
    void* subscriber = nullptr;
    std::string other;
    subscribed_ = subscribe(&subscriber, call_listener, other) == kSuccess;
    for (const std::uint32_t call : {kProfilerStart, kProfilerStop}) {
      if (subscribed_) static_cast<void>(f.enable_callback(1, subscriber, Domain::kDriver, call));
    }
  }
  system_threads_ = f.set_thread_id_type != nullptr && f.set_thread_id_type(kSystemThreadIds) == kSuccess;
  for (const Attribute attribute : {Attribute::kZeroedBuffers, Attribute::kBuffersPerThread}) {
    std::uint8_t on = 1;
    std::size_t size = sizeof on;
    if (f.set_attribute != nullptr) static_cast<void>(f.set_attribute(attribute, &size, &on));
  }
  Result result = f.register_callbacks(on_buffer_requested, on_buffer_completed);
  if (result == kSuccess) result = f.enable(record_at_once ? Activity::kConcurrentKernel : kAlways.front());
  if (result != kSuccess) {
    advice_ = advice(result, surroundings());
    return to_text(library_) + ": " + to_text(library_, result);
  }
  for (const Activity kind : kAlways) set(kind, true);
  if (settings_.whole_graphs) set_device_work(true);
  return {};
}

void Tracer::choose_calls() {
  constexpr std::uint32_t kMostCalls = 2048;
  const Functions& f = library_.functions;
  if (f.get_callback_name == nullptr) return;
  for (std::uint32_t call = 1; call < kMostCalls; ++call) {
    const char* name = nullptr;
    const auto known = [&](Domain domain) {
      name = nullptr;
      return f.get_callback_name(domain, call, &name) == kSuccess && name != nullptr;
    };
    if (f.enable_runtime_call != nullptr && known(Domain::kRuntime) && begins_with_any(name, kUselessRuntimeCalls))
      useless_runtime_calls_.push_back(call);
    const bool probes = call == kDriverGetVersion;  // by probe()
    if (f.enable_driver_call != nullptr && !probes && known(Domain::kDriver) &&
        !begins_with_any(name, kUsefulDriverCalls))
      useless_driver_calls_.push_back(call);
  }
}

void Tracer::record(Recording wanted, std::chrono::milliseconds longest) noexcept try {
  wanted_.store(wanted, std::memory_order_release);
  if (!works() || recording() == wanted) return;
  const bool late = flush_is_late_.load(std::memory_order_relaxed);
  if (const auto lock = lock_within(control_, late ? std::chrono::milliseconds::zero() : longest)) {
    apply_wanted();
  } else if (longest > std::chrono::milliseconds::zero()) {
    flush_is_late_.store(true, std::memory_order_relaxed);
  }
} catch (...) {
  return;
}

void Tracer::apply_wanted() noexcept {
  const Recording wanted = wanted_.load(std::memory_order_acquire);
  const Recording before = recording_.load(std::memory_order_relaxed);
  if (!works() || before == wanted) return;
  if ((before == Recording::kOff) != (wanted == Recording::kOff)) {
    if (settings_.whole_graphs) {
      static_cast<void>(flush(0));  // what is delivered now is taken or dropped as before
    } else {
      set_device_work(wanted != Recording::kOff);
    }
  }
  if ((before == Recording::kOn) != (wanted == Recording::kOn)) set_calls(wanted == Recording::kOn);
  silent_rounds_ = 0;
  recording_.store(wanted, std::memory_order_release);
}

/// All calls are switched on, and then those that are useless off: CUPTI 13.0 does not record a call that is switched
/// on alone after the program has begun, such as the cuLaunchKernelEx of cuBLAS and cuDNN.
void Tracer::set_calls(bool on) noexcept {
  set(Activity::kRuntime, on);
  set(Activity::kDriver, on);
  for (const std::uint32_t call : useless_runtime_calls_) {
    if (on) static_cast<void>(library_.functions.enable_runtime_call(call, 0));
  }
  for (const std::uint32_t call : useless_driver_calls_) {
    if (on) static_cast<void>(library_.functions.enable_driver_call(call, 0));
  }
  for (const Activity kind : kOthers) set(kind, on);
  for (const Activity kind : kWaits) {
    if (settings_.waits) set(kind, on);
  }
}

void Tracer::set_device_work(bool on) noexcept {
  for (const Activity kind : {Activity::kConcurrentKernel, Activity::kMemcpy, Activity::kMemcpyPeer, Activity::kMemset})
    set(kind, on);
  if (settings_.whole_graphs) set(Activity::kGraphTrace, on);
}

void Tracer::set(Activity kind, bool on) noexcept try {
  const Functions& f = library_.functions;
  const Result result = on ? f.enable(kind) : f.disable(kind);
  if (on && result != kSuccess && refused_.emplace(kind, result).second) say_refused(kind, result);
} catch (...) {
  return;
}

void Tracer::say_refused(Activity kind, Result result) {
  say(wire::Status::kIncomplete,
      to_text(library_) + " does not record " + to_text(kind) + ": " + to_text(library_, result));
}

void Tracer::tend() noexcept {
  if (!works()) return;
  const std::lock_guard lock(control_);
  if (recording() == Recording::kOff && buffers_.taken() == 0) return apply_wanted();
  if (recording() == Recording::kOn) probe();
  const bool flushed = flush(0);
  apply_wanted();
  if (flushed) look_for_other_clients();
}

void Tracer::finish() noexcept {
  finishes_.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(control_);
  if (works()) static_cast<void>(flush(kFlushForced));
}

bool Tracer::flush(std::uint32_t flags) noexcept {
  flush_began_.store(now(), std::memory_order_relaxed);
  const Result result = library_.functions.flush_all(flags);
  flush_began_.store(0, std::memory_order_relaxed);
  flush_is_late_.store(false, std::memory_order_relaxed);
  return result == kSuccess;
}

void Tracer::abandon() noexcept try {
  if (!works_.exchange(false)) return;
  const std::uint32_t buffers = buffers_.taken();
  writer_.add_lost_before(buffers);
  const std::uint64_t began = flush_began_.load(std::memory_order_relaxed);
  const bool earlier = began > 0 && !finishes_.load(std::memory_order_relaxed);
  say(wire::Status::kIncomplete,
      (earlier ? "CUPTI stopped delivering records " + seconds(began - started_) + " s after the capture began: "
               : "CUPTI did not deliver its records when the program ended: ") +
          std::to_string(buffers) + " buffers of records are lost");
} catch (...) {
  return;
}

/// Makes a call that CUPTI records, so that something is to be delivered even if the program does nothing.
void Tracer::probe() noexcept {
  int version = 0;
  if (get_driver_version_ != nullptr) static_cast<void>(get_driver_version_(&version));
}

/// Another client shows in two ways: it has subscribed, or it has registered callbacks of its own, which replaces ours.
/// PyTorch's profiler does only the latter since August 2026. CUPTI then asks us for no buffer and returns none,
/// although probe() makes records.
void Tracer::look_for_other_clients() noexcept try {
  constexpr int kSilentRounds = 3;
  const std::uint64_t deliveries = deliveries_.load(std::memory_order_relaxed);
  const bool silent = deliveries == std::exchange(known_deliveries_, deliveries) && recording() == Recording::kOn &&
                      probe_seen_.load(std::memory_order_relaxed);
  silent_rounds_ = silent ? silent_rounds_ + 1 : 0;
  if (!silent) last_delivery_ = now();
  constexpr const char* kNothingAfter = " s after the capture began; nothing was recorded after that";
  std::string name;
  const std::uint64_t clock_lost = clock_lost_.load(std::memory_order_relaxed);
  if (another_client(name) || clock_lost > 0) {
    give_up(wire::Status::kOtherClient, "another profiler" + in_brackets(name) + " began to use CUPTI " +
                                            seconds((clock_lost > 0 ? clock_lost : now()) - started_) + kNothingAfter);
  } else if (silent_rounds_ == kSilentRounds) {
    give_up(wire::Status::kOtherClient,
            "another profiler registered itself for CUPTI's records in place of this capture " +
                seconds(last_delivery_ - started_) + kNothingAfter);
  }
} catch (...) {
  return;
}

Result Tracer::subscribe(void** subscriber, Callback callback, std::string& other) const noexcept {
  const Functions& f = library_.functions;
  void* const ours = const_cast<std::function<void(bool)>*>(&settings_.on_profiler_call);
  if (f.subscribe_by_name == nullptr) return f.subscribe(subscriber, callback, ours);
  constexpr const char* kNoName = "not provided";  // a client of the older interface is "CUPTI for <not provided>"
  std::array<char, kSubscriberNameBytes> name{};
  SubscriberParams params{.name = "stepsim capture", .name_of_other = name.data(), .size_of_other = name.size()};
  const Result result = f.subscribe_by_name(subscriber, callback, ours, &params);
  name.back() = '\0';
  try {
    if (result == kMultipleSubscribers && std::strstr(name.data(), kNoName) == nullptr) other = name.data();
  } catch (...) {
    return result;
  }
  return result;
}

/// True if another client uses CUPTI. CUPTI allows one subscriber; we subscribe only to test this and unsubscribe
/// immediately, so that a later client can subscribe.
bool Tracer::another_client(std::string& name) const noexcept {
  const Functions& f = library_.functions;
  if (subscribed_ || f.subscribe == nullptr || f.unsubscribe == nullptr) return false;
  void* subscriber = nullptr;
  const Result result = subscribe(&subscriber, ignore, name);
  if (result == kSuccess) f.unsubscribe(subscriber);
  return result == kMultipleSubscribers;
}

/// Another client may replace CUPTI's clock: PyTorch's profiler makes it count processor cycles. The times of a
/// replaced clock and of the system's since 1970 differ by years.
std::uint64_t Tracer::now() const noexcept {
  constexpr std::uint64_t kAnotherClock = 3'600'000'000'000;
  const std::uint64_t expected = system_now() + clock_ahead_;
  std::uint64_t time = 0;
  if (library_.functions.get_timestamp == nullptr || library_.functions.get_timestamp(&time) != kSuccess)
    return expected;
  if (std::max(time, expected) - std::min(time, expected) < kAnotherClock) return time;
  std::uint64_t never = 0;
  clock_lost_.compare_exchange_strong(never, expected, std::memory_order_relaxed);
  return expected;
}

std::uint32_t Tracer::thread() const noexcept {
  return system_threads_ ? system_thread() : static_cast<std::uint32_t>(::pthread_self());
}

void Tracer::on_buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most) noexcept {
  Tracer& tracer = *the_tracer.load(std::memory_order_acquire);
  tracer.deliveries_.fetch_add(1, std::memory_order_relaxed);
  *most = 0;
  *size = ActivityBuffers::kBufferBytes;
  *buffer = tracer.buffers_.take();
  if (*buffer == nullptr && tracer.library_.version < kNoBufferAllowedSince) {
    *buffer = tracer.buffers_.take_last_resort();
    *size = ActivityBuffers::kLastResortBytes;
  }
  if (*buffer == nullptr) *size = 0;
}

void Tracer::on_buffer_completed(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                                 std::size_t filled) noexcept {
  Tracer& tracer = *the_tracer.load(std::memory_order_acquire);
  tracer.deliveries_.fetch_add(1, std::memory_order_relaxed);
  if (buffer == nullptr) return;
  if (tracer.works()) tracer.take_records(context, stream, buffer, filled);
  tracer.buffers_.give_back(buffer);
}

void Tracer::take_records(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t filled) noexcept {
  const Functions& f = library_.functions;
  const bool too_early = settings_.whole_graphs && recording() == Recording::kOff;
  Result result = kMaxLimitReached;
  const auto take = [&](Producer* producer) {
    std::uint8_t* record = nullptr;
    while (filled > 0 && (result = f.get_next_record(buffer, filled, &record)) == kSuccess) {
      const bool always = is_always_recorded(record);
      if (always) keep(record);
      if (is_probe(record)) {
        probe_seen_.store(true, std::memory_order_relaxed);
      } else if (producer != nullptr && (!too_early || always)) {
        translator_.add(record, *producer);
      }
    }
  };
  if (!writer_.with_producer([&](Producer& producer) { take(&producer); })) take(nullptr);
  if (result != kMaxLimitReached) {
    writer_.add_lost_before(1);
    if (!unreadable_told_.exchange(true)) {
      say(wire::Status::kIncomplete, "CUPTI delivered a buffer that cannot be read to its end (" +
                                         to_text(library_, result) + "); the rest of it counts as one lost record");
    }
  }
  std::size_t dropped = 0;
  if (f.get_dropped(context, stream, &dropped) == kSuccess && dropped > 0) writer_.add_lost_before(dropped);
}

}  // namespace stepsim::capture::cupti
