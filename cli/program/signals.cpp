#include "cli/program/signals.h"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

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

void end_at_once(int /*signal*/) {
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
  on(SIGALRM, end_at_once);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (!is_ignored(signal)) on(signal, request_stop);
  }
  on(SIGXFSZ, SIG_IGN);
  return stop_requested;
}

}  // namespace stepsim::cli
