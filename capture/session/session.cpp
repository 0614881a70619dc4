#include "capture/session/session.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <span>
#include <thread>
#include <utility>

#include "capture/writer/signals_blocked.h"

namespace stepsim::capture {
namespace {

using cupti::Activity;

constexpr std::array kCalls{Activity::kRuntime, Activity::kDriver};
constexpr std::array kDeviceWork{Activity::kConcurrentKernel, Activity::kMemcpy, Activity::kMemcpyPeer,
                                 Activity::kMemset};
constexpr std::array kWaits{Activity::kSynchronization, Activity::kCudaEvent};
constexpr std::array kOthers{Activity::kOverhead, Activity::kExternalCorrelation};
/// Kinds of activity that are always recorded. They produce few records, and records of the other kinds refer to them.
constexpr std::array kAlways{Activity::kDevice, Activity::kContext};

std::atomic<Session*> the_session{nullptr};

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "host";
  return name.data();
}

/// Replaces characters that are unsafe in a file name by '-'.
std::string as_file_name(std::string text) {
  for (char& c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (!plain) c = '-';
  }
  return text;
}

/// A callback that is never called, because no callbacks are enabled.
void ignore(void*, cupti::Domain, std::uint32_t, const void*) {}

const char* variable(const char* name) { return std::getenv(name); }

}  // namespace

Session::Session(Settings settings, std::unique_ptr<Writer> writer)
    : settings_(std::move(settings)),
      owner_(::getpid()),
      writer_(std::move(writer)),
      buffers_(settings_.buffer_bytes / 4 * 3) {}

Session* Session::current() noexcept { return the_session.load(std::memory_order_acquire); }

Session* Session::start(Loader loader) noexcept try {
  static std::mutex starting;
  const std::lock_guard lock(starting);
  if (Session* const session = current(); session != nullptr && session->owner_ == ::getpid()) return session;
  const Identity identity = identity_from(variable);
  Settings settings = settings_from(variable, identity.rank);
  if (settings.directory.empty()) return nullptr;
  std::unique_ptr<Writer> writer = make_file(settings);
  if (writer == nullptr) return nullptr;
  auto* const session = new Session(std::move(settings), std::move(writer));
  session->describe(identity, loader);
  the_session.store(session, std::memory_order_release);
  if (loader == Loader::kCuda) session->start_cupti();
  session->start_helper();
  return session;
} catch (...) {
  return nullptr;
}

std::unique_ptr<Writer> Session::make_file(const Settings& settings) {
  constexpr int kMostNames = 100;
  const std::string base = settings.directory + "/" + as_file_name(host_name()) + "_" + std::to_string(::getpid());
  for (int i = 1; i <= kMostNames; ++i) {
    std::string path = base;
    if (i > 1) path.append("-").append(std::to_string(i));
    path += ".capture";
    std::unique_ptr<Writer> writer = Writer::create(path.c_str(), settings.buffer_bytes / 4);
    if (writer != nullptr || errno != EEXIST) return writer;
  }
  return nullptr;
}

void Session::describe(const Identity& identity, Loader loader) {
  writer_->with_producer([&](Producer& producer) {
    const auto say = [&](std::string_view key, std::string_view value) {
      producer.add({.kind = wire::Kind::kSession, .which = producer.text(key), .a = producer.text(value)});
    };
    const auto say_number = [&](std::string_view key, std::optional<std::uint64_t> value) {
      if (value) say(key, std::to_string(*value));
    };
    say("host", host_name());
    say("pid", std::to_string(owner_));
    say("run", settings_.run);
    if (loader == Loader::kNccl) say("loaded_by", "nccl");
    say_number("rank", identity.rank);
    say_number("local_rank", identity.local_rank);
    say_number("world", identity.world);
    producer.add(
        {.kind = wire::Kind::kStatus, .detail = static_cast<std::uint8_t>(wire::Status::kRecording), .start = now()});
  });
  writer_->flush();
}

void Session::start_cupti() {
  std::string problem;
  if (!cupti::load(settings_.cupti, library_, problem)) return give_up(wire::Status::kNoCupti, problem);
  const cupti::Functions& f = library_.functions;
  if (another_client())
    return give_up(wire::Status::kOtherClient, "another profiler is using CUPTI; run the program without it");
  system_threads_ = f.set_thread_id_type != nullptr && f.set_thread_id_type(cupti::kSystemThreadIds) == cupti::kSuccess;
  cupti::Result result = f.register_callbacks(on_buffer_requested, on_buffer_completed);
  if (result == cupti::kSuccess) result = f.enable(Activity::kConcurrentKernel);
  if (result != cupti::kSuccess)
    return give_up(wire::Status::kNoCupti, "CUPTI does not record kernels: " + cupti::to_text(library_, result));
  cupti_works_.store(true, std::memory_order_release);
  for (const Activity kind : kAlways) static_cast<void>(f.enable(kind));
  record(Recording::kOn);
  writer_->with_producer([&](Producer& producer) {
    producer.add({.kind = wire::Kind::kSession,
                  .which = producer.text("cupti_version"),
                  .a = producer.text(std::to_string(library_.version))});
  });
}

void Session::give_up(wire::Status status, std::string_view why) noexcept {
  cupti_works_.store(false, std::memory_order_release);
  writer_->with_producer([&](Producer& producer) {
    producer.add({.kind = wire::Kind::kStatus,
                  .detail = static_cast<std::uint8_t>(status),
                  .which = producer.text(why),
                  .start = now()});
  });
  writer_->flush();
}

/// True if another client uses CUPTI. CUPTI allows one subscriber; we subscribe only to test this and unsubscribe
/// immediately, so that a later client can subscribe.
bool Session::another_client() const noexcept {
  const cupti::Functions& f = library_.functions;
  if (f.subscribe == nullptr || f.unsubscribe == nullptr) return false;
  void* subscriber = nullptr;
  const cupti::Result result = f.subscribe(&subscriber, ignore, nullptr);
  if (result == cupti::kSuccess) f.unsubscribe(subscriber);
  return result == cupti::kMultipleSubscribers;
}

void Session::start_helper() {
  const SignalsBlocked blocked;
  std::thread([this] {
    constexpr std::chrono::milliseconds kPause{20};
    constexpr int kFlushEvery = 50;  // once per second: after 50 pauses of 20 ms
    for (int pauses = 1;; ++pauses) {
      std::this_thread::sleep_for(kPause);
      if (!flush_wanted_.exchange(false, std::memory_order_acq_rel) && pauses % kFlushEvery != 0) continue;
      const std::lock_guard lock(helping_);
      if (ended_) return;
      help();
    }
  }).detach();
}

void Session::help() noexcept {
  constexpr std::uint64_t kLongestUnmarked = 60'000'000'000;
  if (cupti_works_.load(std::memory_order_acquire)) {
    static_cast<void>(library_.functions.flush_all(0));
    const std::uint64_t first = first_delivery_.load(std::memory_order_relaxed);
    const bool unmarked = settings_.schedule.active > 0 && !marked_.load(std::memory_order_relaxed);
    if (unmarked && first > 0 && now() - first > kLongestUnmarked) {
      wanted_.store(false, std::memory_order_relaxed);
      record(Recording::kOff);
    }
    if (another_client()) {
      record(Recording::kOff);
      give_up(wire::Status::kOtherClient,
              "another profiler took over CUPTI while the program ran; nothing was recorded after that");
    }
  }
  writer_->flush();
}

void Session::record(Recording wanted) noexcept {
  if (!cupti_works_.load(std::memory_order_acquire)) return;
  const Recording before = recording_.exchange(wanted, std::memory_order_acq_rel);
  if (before == wanted) return;
  if ((before == Recording::kOn) != (wanted == Recording::kOn)) set_calls(wanted == Recording::kOn);
  if ((before == Recording::kOff) != (wanted == Recording::kOff)) set_device_work(wanted != Recording::kOff);
}

void Session::set_calls(bool on) noexcept {
  const auto set = on ? library_.functions.enable : library_.functions.disable;
  for (const Activity kind : kCalls) static_cast<void>(set(kind));
  for (const Activity kind : kOthers) static_cast<void>(set(kind));
  if (!settings_.sync) return;
  for (const Activity kind : kWaits) static_cast<void>(set(kind));
}

void Session::set_device_work(bool on) noexcept {
  const auto set = on ? library_.functions.enable : library_.functions.disable;
  for (const Activity kind : kDeviceWork) static_cast<void>(set(kind));
}

std::uint64_t Session::now() const noexcept {
  std::uint64_t time = 0;
  if (library_.functions.get_timestamp != nullptr && library_.functions.get_timestamp(&time) == cupti::kSuccess)
    return time;
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count());
}

/// Returns the number of this thread, in the same numbering as CUPTI's records of calls.
std::uint32_t Session::thread() const noexcept {
  if (system_threads_) return static_cast<std::uint32_t>(::gettid());
  return static_cast<std::uint32_t>(::pthread_self());
}

void Session::add(const wire::Record& record) noexcept {
  writer_->with_producer([&](Producer& producer) { producer.add(record); });
}

void Session::mark_step() noexcept try {
  if (::getpid() != owner_) return;
  const std::lock_guard lock(marks_);
  const std::uint64_t number = next_step_++;
  const wire::Phase phase = settings_.schedule.phase_of(number);
  marked_.store(true, std::memory_order_relaxed);
  add({.kind = wire::Kind::kStep,
       .detail = static_cast<std::uint8_t>(phase),
       .start = now(),
       .stream = thread(),
       .a = number});
  const bool wanted = phase == wire::Phase::kWarmUp || phase == wire::Phase::kActive;
  wanted_.store(wanted, std::memory_order_relaxed);
  const Recording before = recording_.load(std::memory_order_acquire);
  if (wanted) {
    record(Recording::kOn);
  } else {
    record(before == Recording::kOn ? Recording::kDraining : Recording::kOff);
  }
  if (before != Recording::kOff) flush_wanted_.store(true, std::memory_order_release);
} catch (...) {
  return;
}

void Session::begin_range(std::uint64_t id, const char* name) noexcept {
  if (::getpid() != owner_) return;
  if (name != nullptr && !settings_.step_range.empty() && settings_.step_range == name) mark_step();
  if (!settings_.nvtx || recording_.load(std::memory_order_relaxed) != Recording::kOn) return;
  writer_->with_producer([&](Producer& producer) {
    producer.add({.kind = wire::Kind::kRangeBegin,
                  .which = name == nullptr ? 0 : producer.text(name),
                  .start = now(),
                  .stream = thread(),
                  .a = id});
  });
}

void Session::end_range(std::uint64_t id) noexcept {
  if (!settings_.nvtx || recording_.load(std::memory_order_relaxed) == Recording::kOff || ::getpid() != owner_) return;
  add({.kind = wire::Kind::kRangeEnd, .start = now(), .stream = thread(), .a = id});
}

void Session::mark(const char* name) noexcept {
  if (::getpid() != owner_) return;
  if (name != nullptr && !settings_.step_range.empty() && settings_.step_range == name) mark_step();
  if (!settings_.nvtx || recording_.load(std::memory_order_relaxed) != Recording::kOn) return;
  writer_->with_producer([&](Producer& producer) {
    producer.add({.kind = wire::Kind::kRangeMark,
                  .which = name == nullptr ? 0 : producer.text(name),
                  .start = now(),
                  .stream = thread()});
  });
}

void Session::finish() noexcept try {
  if (::getpid() != owner_) return;
  const std::lock_guard lock(helping_);
  if (std::exchange(ended_, true)) return;
  if (cupti_works_.load(std::memory_order_acquire))
    static_cast<void>(library_.functions.flush_all(cupti::kFlushForced));
  writer_->close();
} catch (...) {
  return;
}

void Session::on_buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most) noexcept {
  Session& session = *current();
  *most = 0;
  *size = CuptiBuffers::kBufferBytes;
  *buffer = session.buffers_.take();
  if (*buffer == nullptr && session.library_.version < cupti::kNoBufferAllowedSince) {
    *buffer = CuptiBuffers::take_last_resort();
    *size = CuptiBuffers::kLastResortBytes;
  }
  if (*buffer == nullptr) *size = 0;
}

void Session::on_buffer_completed(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                                  std::size_t filled) noexcept {
  Session& session = *current();
  if (buffer == nullptr) return;
  const cupti::Functions& f = session.library_.functions;
  std::uint64_t none = 0;
  if (filled > 0) session.first_delivery_.compare_exchange_strong(none, session.now(), std::memory_order_relaxed);
  session.writer_->with_producer([&](Producer& producer) {
    std::uint8_t* record = nullptr;
    while (filled > 0 && f.get_next_record(buffer, filled, &record) == cupti::kSuccess)
      session.translator_.add(record, producer);
    producer.submit();
  });
  std::size_t dropped = 0;
  if (f.get_dropped(context, stream, &dropped) == cupti::kSuccess && dropped > 0)
    session.writer_->add_lost_before(dropped);
  session.buffers_.give_back(buffer);
}

}  // namespace stepsim::capture
