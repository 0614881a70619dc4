#include "capture/session/session.h"

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>

#include "capture/cupti/tracer.h"
#include "capture/rocprofiler/tracer.h"
#include "capture/writer/signals_blocked.h"
#include "model/wire/environment.h"
#include "model/wire/request.h"

namespace stepsim::capture {

namespace {

std::atomic<Session*> the_session{nullptr};

constexpr std::chrono::milliseconds kLongestSwitch{2'000};

const char* variable(const char* name) { return std::getenv(name); }

/// True if nothing is recorded before a step is marked.
bool needs_marks(const Schedule& schedule) noexcept {
  return schedule.active > 0 || schedule.phase_of(0) == wire::Phase::kWait;
}

}  // namespace

Session::Session(Settings settings, Loader loader, const Identity& identity, std::unique_ptr<Writer> writer)
    : settings_(std::move(settings)),
      loader_(loader),
      identity_(identity),
      writer_(std::move(writer)),
      tracer_(*make_tracer(loader).release()),
      window_(settings_.delay == std::chrono::seconds::zero() && !settings_.profiler_api && settings_.idle.empty()),
      wanted_(window_ && !needs_marks(settings_.schedule)) {}

std::unique_ptr<Tracer> Session::make_tracer(Loader loader) {
  const std::size_t buffer_bytes = settings_.buffer_bytes / 4 * 3;
  std::function<void(bool)> on_profiler_call;
  if (settings_.profiler_api) on_profiler_call = [this](bool begins) { open_window(begins); };
  if (loader == Loader::kRocm) {
    return std::make_unique<rocprofiler::Tracer>(
        rocprofiler::TracerSettings{
            .buffer_bytes = buffer_bytes, .ranges = listener(), .on_profiler_call = std::move(on_profiler_call)},
        *writer_);
  }
  return std::make_unique<cupti::Tracer>(cupti::TracerSettings{.library = settings_.cupti,
                                                               .buffer_bytes = buffer_bytes,
                                                               .waits = settings_.sync,
                                                               .whole_graphs = settings_.whole_graphs,
                                                               .on_profiler_call = std::move(on_profiler_call)},
                                         *writer_);
}

Session* Session::current() noexcept { return the_session.load(std::memory_order_acquire); }

nvtx::Listener Session::listener() noexcept {
  return {.begin =
              [](std::uint64_t id, const char* name) {
                if (Session* const session = current()) session->begin_range(id, name);
              },
          .end =
              [](std::uint64_t id) {
                if (Session* const session = current()) session->end_range(id);
              },
          .mark =
              [](const char* name) {
                if (Session* const session = current()) session->mark(name);
              }};
}

Session* Session::start(Loader loader) noexcept try {
  static std::mutex starting;
  const std::lock_guard lock(starting);
  if (Session* const session = current(); session != nullptr && session->owner_.is_surely_here()) return session;
  const Identity identity = identity_from(variable);
  Settings settings = settings_from(variable, identity.rank);
  if (settings.directory.empty()) return nullptr;
  std::unique_ptr<Writer> writer = Writer::create(settings.buffer_bytes / 4);
  if (writer == nullptr || (settings.idle.empty() && !make_file(settings, *writer))) return nullptr;
  auto* const session = new Session(std::move(settings), loader, identity, std::move(writer));
  session->describe();
  if (loader != Loader::kNccl) session->tracer_.start(session->is_wanted());
  if (!session->settings_.idle.empty()) session->become_idle();
  session->start_helper();
  the_session.store(session, std::memory_order_release);
  return session;
} catch (...) {
  return nullptr;
}

bool Session::make_file(const Settings& settings, Writer& writer) {
  return create_file_of_process(settings.directory, ".capture",
                                [&writer](const std::string& path) { return writer.open(path); })
      .has_value();
}

void Session::describe() {
  writer_->with_producer([&](Producer& producer) {
    const auto describe_number = [&](std::string_view key, std::optional<std::uint64_t> value) {
      if (value) producer.describe(key, std::to_string(*value));
    };
    producer.describe("host", wire::host_name());
    producer.describe("pid", std::to_string(owner_.pid()));
    producer.describe("run", settings_.run);
    if (loader_ == Loader::kNccl) producer.describe("loaded_by", "nccl");
    if (needs_marks(settings_.schedule)) producer.describe("waits_for_steps", "1");
    describe_number("rank", identity_.rank);
    describe_number("local_rank", identity_.local_rank);
    describe_number("world", identity_.world);
  });
  writer_->flush();
}

void Session::start_helper() {
  const SignalsBlocked blocked;
  std::thread([this] {
    constexpr std::chrono::milliseconds kPause{100};
    constexpr int kTendEvery = 10;  // once per second
    std::unique_lock lock(ending_);
    for (int pauses = 1; !changed_.wait_for(lock, kPause, [this] { return ends_; }); ++pauses) {
      lock.unlock();
      watch_bounds();
      serve();
      if (pauses % kTendEvery == 0) {
        tracer_.tend();
        writer_->flush();
      }
      lock.lock();
    }
    lock.unlock();
    if (requests_) requests_->withdraw();
    tracer_.finish();
    lock.lock();
    delivered_ = true;
    changed_.notify_all();
  }).detach();
}

void Session::follow(bool wanted) noexcept {
  // A recording that begins late would miss a part of the step; one that ends late only has more than is needed.
  wanted_.store(wanted, std::memory_order_relaxed);
  if (wanted) {
    tracer_.record(Recording::kOn, kLongestSwitch);
  } else {
    const bool was_on = tracer_.recording() == Recording::kOn;
    tracer_.record(was_on ? Recording::kDraining : Recording::kOff, std::chrono::milliseconds::zero());
  }
}

void Session::open_window(bool open) noexcept {
  const std::lock_guard lock(marks_);
  window_ = open;
  if (next_step_ > 0 || needs_marks(settings_.schedule)) return;
  // Without steps, device work of later calls could not be told from that of recorded ones, so nothing is drained.
  wanted_.store(open, std::memory_order_relaxed);
  tracer_.record(open ? Recording::kOn : Recording::kOff, kLongestSwitch);
}

void Session::watch_bounds() noexcept try {
  using std::chrono::seconds;
  constexpr seconds kLongestStep{60};
  if (requests_ && !is_recording_) return;
  const auto now_here = std::chrono::steady_clock::now();
  const bool is_delayed = settings_.delay > seconds::zero() && !settings_.profiler_api;
  if (is_delayed && !opened_ && now_here - began_ >= settings_.delay) open_window(true);
  std::unique_lock lock(marks_);
  if (window_ && !opened_) opened_ = now_here;
  if (!opened_ || (!tracer_.works() && !(requests_ && loader_ == Loader::kNccl))) return;
  const bool marked = next_step_ > 0 || needs_marks(settings_.schedule);
  if (!closed_) {
    const auto why = settings_.why_over(marked, now_here - *opened_, writer_->written());
    if (!why) return;
    closed_ = now_here;
    lock.unlock();
    open_window(false);
    if (!why->empty()) writer_->report(wire::Status::kIncomplete, *why, now());
    return;
  }
  if (marked && now_here - *closed_ >= kLongestStep && tracer_.recording() == Recording::kOn) {
    ignores_marks_ = true;
    follow(false);
  }
} catch (...) {
  return;
}

void Session::at_each_file(std::function<void()> write) noexcept {
  const std::lock_guard lock(marks_);
  at_each_file_ = std::move(write);
}

void Session::add(const wire::Record& record) noexcept {
  writer_->with_producer([&](Producer& producer) { producer.add(record); });
}

void Session::mark_step() noexcept try {
  if (!owner_.is_here()) return;
  const std::lock_guard lock(marks_);
  if (ignores_marks_) return;
  const std::uint64_t number = next_step_++;
  wire::Phase phase = settings_.schedule.phase_of(number - first_step_);
  is_done_ = is_done_ || phase == wire::Phase::kDone;
  const bool wanted = window_ && (phase == wire::Phase::kWarmUp || phase == wire::Phase::kActive);
  if (!wanted && phase != wire::Phase::kDone) phase = wire::Phase::kWait;
  if (wanted) follow(true);  // switching on takes time, which is not the step's
  if (wanted && tracer_.works() && tracer_.recording() != Recording::kOn) phase = wire::Phase::kWait;
  add({.kind = wire::Kind::kStep,
       .detail = static_cast<std::uint8_t>(phase),
       .start = now(),
       .stream = thread(),
       .a = number});
  if (!wanted) follow(false);
} catch (...) {
  return;
}

void Session::begin_range(std::uint64_t id, const char* name) noexcept {
  if (!owner_.is_here()) return;
  if (name != nullptr && !settings_.step_range.empty() && settings_.step_range == name) mark_step();
  if (!settings_.nvtx || tracer_.recording() != Recording::kOn) return;
  writer_->with_producer([&](Producer& producer) {
    producer.add({.kind = wire::Kind::kRangeBegin,
                  .which = name == nullptr ? 0 : producer.text(name),
                  .start = now(),
                  .stream = thread(),
                  .a = id});
  });
}

void Session::end_range(std::uint64_t id) noexcept {
  if (!settings_.nvtx || tracer_.recording() == Recording::kOff || !owner_.is_here()) return;
  add({.kind = wire::Kind::kRangeEnd, .start = now(), .stream = thread(), .a = id});
}

void Session::mark(const char* name) noexcept {
  if (!owner_.is_here()) return;
  if (name != nullptr && !settings_.step_range.empty() && settings_.step_range == name) mark_step();
  if (!settings_.nvtx || tracer_.recording() != Recording::kOn) return;
  writer_->with_producer([&](Producer& producer) {
    producer.add({.kind = wire::Kind::kRangeMark,
                  .which = name == nullptr ? 0 : producer.text(name),
                  .start = now(),
                  .stream = thread()});
  });
}

void Session::finish() noexcept try {
  constexpr std::chrono::seconds kLongest{5};
  if (!owner_.is_surely_here()) return;
  std::unique_lock lock(ending_);
  if (std::exchange(ends_, true)) return;
  changed_.notify_all();
  const bool delivered = changed_.wait_for(lock, kLongest, [this] { return delivered_; });
  lock.unlock();
  if (!delivered) tracer_.abandon();
  writer_->close();
} catch (...) {
  return;
}

}  // namespace stepsim::capture
