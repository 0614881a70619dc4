#include "python/background_work.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>

#include "cli/program/terminal.h"

namespace py = pybind11;

namespace stepsim::python {

/// Everything that the thread of the work uses.
struct BackgroundWork::State {
  State(Function function, std::shared_ptr<cli::CaptureStore> store, std::vector<std::string> arguments)
      : work(std::move(function)),
        captures(std::move(store)),
        host{*captures,
             [this](cli::Result result, const cli::CommonOptions& options) {
               taken.emplace(Taken{std::move(result), options});
             },
             [this](std::string_view name, std::uint64_t units, std::uint64_t all) {
               const std::lock_guard lock(mutex);
               phase = name;
               done = units;
               total = all;
             }},
        session{.arguments = std::move(arguments), .out = out, .stop = stop, .host = &host} {}

  void run() {
    try {
      work(session);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    over = true;
    changed.notify_all();
  }
  /// Waits until the work is over, at most for `limit`. Returns whether it is over. Releases the GIL.
  bool wait_for(std::chrono::milliseconds limit) {
    const py::gil_scoped_release release;
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, limit, [this] { return over; });
  }
  [[nodiscard]] py::tuple progress() {
    std::unique_lock lock(mutex);
    const std::string name = phase;
    const auto [units, all] = std::pair{done, total};
    lock.unlock();
    return py::make_tuple(name, units, all);
  }

  Function work;
  std::shared_ptr<cli::CaptureStore> captures;
  cli::Output out;
  std::atomic<bool> stop{false};
  std::mutex mutex;  ///< protects the members up to `over`
  std::condition_variable changed;
  std::string phase;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  bool over = false;
  std::optional<Taken> taken;  ///< like `error`, written before `over` and read after it
  std::exception_ptr error;
  cli::Host host;
  cli::Session session;
};

namespace {

constexpr std::chrono::milliseconds kBetweenSignals{100};
constexpr std::chrono::milliseconds kGrace{400};
constexpr std::chrono::milliseconds kGraceAtExit{2000};

/// Functions that wait at most the given time for work that was left to its thread. Protected by the GIL.
std::vector<std::function<bool(std::chrono::milliseconds limit)>>& left_behind() {
  static auto& works = *new std::vector<std::function<bool(std::chrono::milliseconds limit)>>;
  return works;
}

}  // namespace

BackgroundWork::BackgroundWork(Function work, std::shared_ptr<cli::CaptureStore> captures,
                               std::vector<std::string> arguments)
    : state_(std::make_shared<State>(std::move(work), std::move(captures), std::move(arguments))),
      thread_([state = state_] { state->run(); }) {}

BackgroundWork::~BackgroundWork() {
  if (thread_.joinable()) thread_.detach();
}

void BackgroundWork::wait(const py::object& progress) {
  try {
    while (!state_->wait_for(kBetweenSignals)) {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress.is_none()) progress(*state_->progress());
    }
  } catch (...) {
    stop();
    throw;
  }
  thread_.join();
}

void BackgroundWork::stop() {
  state_->stop = true;
  if (state_->wait_for(kGrace)) return thread_.join();
  thread_.detach();
  left_behind().emplace_back([state = std::weak_ptr(state_)](std::chrono::milliseconds limit) {
    const std::shared_ptr<State> running = state.lock();
    return running == nullptr || running->wait_for(limit);
  });
}

const std::exception_ptr& BackgroundWork::error() const noexcept { return state_->error; }

std::optional<Taken> BackgroundWork::take() { return std::move(state_->taken); }

void wait_for_work_left_behind() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + kGraceAtExit;
  for (const auto& wait : left_behind()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left <= std::chrono::milliseconds{0} || !wait(left)) return;
  }
}

}  // namespace stepsim::python
