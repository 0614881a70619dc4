// The recordings of an idle session: each has a file of its own and begins when `stepsim capture --attach` or a signal
// asks for it.
#include "capture/session/session.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "capture/session/signals.h"
#include "model/wire/environment.h"
#include "model/wire/shared_folder.h"

namespace stepsim::capture {

namespace {

using std::chrono::steady_clock;

/// The environment of the process, in which the variables of `request` come first.
Variables variables_of(const wire::Request& request) {
  return [&request](const char* name) -> const char* {
    if (std::strcmp(name, wire::kRunVariable) == 0) return request.run.c_str();
    for (const auto& [key, value] : request.variables) {
      if (key == name) return value.c_str();
    }
    return std::getenv(name);
  };
}

}  // namespace

void Session::become_idle() {
  requests_.emplace(settings_.idle, wire::process_name(wire::host_name(), owner_.pid()));
  if (settings_.signal != 0 && !count_signals(settings_.signal) && make_file(settings_, *writer_)) {
    describe();
    writer_->report(wire::Status::kIncomplete,
                    "signal " + std::to_string(settings_.signal) +
                        " does not start a recording, because the program handles it itself; give --signal another one",
                    now());
    writer_->end_file();
  }
  requests_->announce({});
}

void Session::serve() noexcept try {
  if (!requests_) return;
  if (is_recording_) end_recording_if_over();
  const std::optional<wire::Request> request = requests_->poll();
  const int signals = counted_signals();
  const bool signalled = std::exchange(signals_, signals) != signals;
  if (is_recording_ && (signalled || (request && request->stop))) return stop_recording();
  if (is_recording_ || (request && request->stop)) return;
  if (request) {
    begin_recording(settings_from(variables_of(*request), identity_.rank));
  } else if (signalled) {
    Settings settings = settings_from([](const char* name) { return std::getenv(name); }, identity_.rank);
    if (settings.directory.empty()) return;  // not one of the ranks
    settings.directory += wire::kSignalFolder + std::to_string(++started_by_signal_);
    static_cast<void>(wire::create_folder(settings.directory, 0777));  // another process of the job may have made it
    begin_recording(std::move(settings));
  }
} catch (...) {
  return;
}

void Session::begin_recording(Settings settings) {
  wire::Reply reply{.run = settings.run, .problem = {}};
  if (settings.directory.empty()) return requests_->announce(reply);  // not one of the ranks
  requests_->withdraw();
  if (!make_file(settings, *writer_)) {
    reply.problem = "cannot create a file in " + settings.directory + ": " + std::strerror(errno);
    return requests_->announce(reply);
  }
  std::unique_lock lock(marks_);
  settings_.schedule = settings.schedule;
  settings_.run = std::move(settings.run);
  settings_.delay = settings.delay;
  settings_.duration = settings.duration;
  settings_.most_bytes = settings.most_bytes;
  is_done_ = false;
  ignores_marks_ = true;  // until the window opens, or the schedule would begin with steps that are not recorded
  const std::function<void()> write_more = at_each_file_;
  lock.unlock();
  is_recording_ = true;
  began_ = state_since_ = steady_clock::now();
  opened_.reset();
  closed_.reset();
  describe();
  if (loader_ != Loader::kNccl) tracer_.describe_again();
  if (write_more) write_more();
  const bool opens = settings_.delay == std::chrono::seconds::zero();
  lock.lock();
  first_step_ = next_step_;
  ignores_marks_ = false;
  window_ = opens;
  lock.unlock();
  if (opens) open_window(true);
}

void Session::stop_recording() noexcept {
  if (closed_) return;
  closed_ = steady_clock::now();
  open_window(false);
}

void Session::end_recording_if_over() {
  constexpr std::chrono::seconds kLongestDraining{5};
  constexpr std::chrono::milliseconds kShortestPause{500};  // for what NCCL still reports
  constexpr std::chrono::seconds kLongestPause{2};
  const bool works = tracer_.works();
  const Recording state = works ? tracer_.recording() : Recording::kOff;
  const auto now_here = steady_clock::now();
  if (std::exchange(state_, state) != state) state_since_ = now_here;
  const auto unchanged = now_here - state_since_;
  {
    const std::lock_guard lock(marks_);
    const bool can_record = works || loader_ == Loader::kNccl;
    if (!closed_ && !is_done_ && can_record) {
      state_since_ = now_here;
      return;
    }
  }
  if (state == Recording::kDraining && unchanged >= kLongestDraining)
    tracer_.record(Recording::kOff, std::chrono::milliseconds::zero());
  if (state != Recording::kOff || unchanged < kShortestPause) return;
  tracer_.tend();
  if (works && !tracer_.has_delivered() && unchanged < kLongestPause) return;
  if (works) tracer_.finish();
  {
    const std::lock_guard lock(marks_);
    window_ = false;
  }
  wanted_.store(false, std::memory_order_relaxed);
  writer_->end_file();
  is_recording_ = false;
  requests_->announce({.run = settings_.run, .problem = {}});
}

}  // namespace stepsim::capture
