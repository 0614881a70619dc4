#include "capture/session/signals.h"

#include <atomic>
#include <csignal>

namespace stepsim::capture {

namespace {

std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler changes it");

void count_signal(int /*signal*/) { received.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

bool count_signals(int signal) noexcept {
  struct sigaction before {};
  if (::sigaction(signal, nullptr, &before) != 0) return false;
  if ((before.sa_flags & SA_SIGINFO) != 0 || (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN))
    return false;
  struct sigaction ours {};
  ours.sa_handler = count_signal;
  ours.sa_flags = SA_RESTART | SA_ONSTACK;
  return ::sigaction(signal, &ours, nullptr) == 0;
}

int counted_signals() noexcept { return received.load(std::memory_order_relaxed); }

}  // namespace stepsim::capture
