#include "cli/program/process.h"

#include <oneapi/tbb/global_control.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <latch>
#include <limits>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cli/program/error.h"

namespace stepsim::cli {

namespace {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

constexpr itimerval kGrace{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 400'000}};

void request_stop(int /*signal*/) {
  if (!stop_requested.exchange(true)) {
    ::setitimer(ITIMER_REAL, &kGrace, nullptr);
  }
}

void exit_on_alarm(int /*signal*/) {
  constexpr std::string_view kLine = "error: interrupted\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
  ::_exit(static_cast<int>(ExitCode::kInterrupted));
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void on(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

const std::atomic<bool>& install_signal_handlers() {
  on(SIGALRM, exit_on_alarm);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (!is_ignored(signal)) on(signal, request_stop);
  }
  on(SIGXFSZ, SIG_IGN);
  return stop_requested;
}

void stop_without_haste() noexcept {
  constexpr itimerval kNever{};
  ::setitimer(ITIMER_REAL, &kNever, nullptr);
}

namespace {

/// Threads that wait until this object is destroyed.
class WaitingThreads {
 public:
  WaitingThreads() = default;
  ~WaitingThreads() {
    over_.count_down();
    for (std::thread& thread : threads_) thread.join();
  }
  WaitingThreads(const WaitingThreads&) = delete;
  WaitingThreads& operator=(const WaitingThreads&) = delete;

  /// Throws std::system_error if the system cannot start another thread.
  void start() {
    threads_.emplace_back([this] { over_.wait(); });
  }
  [[nodiscard]] int count() const { return static_cast<int>(threads_.size()); }

 private:
  std::latch over_{1};
  std::vector<std::thread> threads_;
};

/// Starts up to `most` threads that exist at the same time, and ends them. Returns how many could be started.
int started_together(int most) {
  WaitingThreads threads;
  try {
    while (threads.count() < most) threads.start();
  } catch (const std::system_error&) {
    // The system cannot start another thread.
  }
  return threads.count();
}

/// Returns how many threads a limit on the address space (ulimit -v) allows. Each thread reserves address space for its
/// stack and its allocator, and the work cannot use this space.
int fitting_threads() {
  constexpr rlim_t kReservedByThread = rlim_t{128} << 20U;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<int>::max();
  }
  return static_cast<int>(std::clamp<rlim_t>(limit.rlim_cur / kReservedByThread, 1, std::numeric_limits<int>::max()));
}

}  // namespace

std::string own_program() {
  std::error_code absent;  // without /proc
  const std::filesystem::path running = std::filesystem::read_symlink("/proc/self/exe", absent);
  // If the dynamic loader was started with the program as its argument, it is what is running.
  const bool is_loader = running.filename().string().starts_with("ld-");
  return absent || is_loader ? ::program_invocation_name : running.string();
}

namespace {

std::vector<std::string>& command_that_was_set() {
  static std::vector<std::string> words;
  return words;
}

}  // namespace

std::vector<std::string> own_command() {
  const std::vector<std::string>& words = command_that_was_set();
  return words.empty() ? std::vector{own_program()} : words;
}

void set_own_command(std::vector<std::string> words) { command_that_was_set() = std::move(words); }

int startable_threads(int wanted) {
  wanted = std::min(wanted, fitting_threads());
  const int others = wanted - 1;  // the calling thread works too
  const int started = others > 0 ? started_together(others) : 0;
  return started == others ? wanted : std::max(1, started / 2);
}

void limit_threads(int& threads) {
  using oneapi::tbb::global_control;
  static const int startable = startable_threads(threads);
  threads = std::min(threads, startable);
  // The limit is never destroyed: after oneTBB has run out of memory, the destructor would wait for a lock that was
  // never released.
  [[maybe_unused]] static const auto* const limit =
      new global_control(global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
}

void fit_threads(int& threads) {
  using oneapi::tbb::global_control;
  const std::size_t allowed = global_control::active_value(global_control::max_allowed_parallelism);
  if (allowed < static_cast<std::size_t>(threads)) threads = static_cast<int>(allowed);
  static std::mutex mutex;
  static int known = 1;  // the largest number that could be started
  const std::lock_guard lock(mutex);
  if (threads <= known) return;
  const int startable = startable_threads(threads);
  if (startable == threads) known = threads;
  threads = startable;
}

}  // namespace stepsim::cli
