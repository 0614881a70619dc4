#include "cli/capture/child.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "cli/program/output.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

std::atomic<::pid_t> the_child{0};
static_assert(std::atomic<::pid_t>::is_always_lock_free, "a signal handler reads it");

/// What the terminal sends, it sends to the child as well.
void pass_on(int signal, ::siginfo_t* from, void*) {
  const ::pid_t child = the_child.load();
  if (child > 0 && from != nullptr && from->si_code <= 0) ::kill(child, signal);
}

constexpr std::array kPassedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/// Signals that come before the child is known wait.
sigset_t hold_signals() {
  sigset_t held;
  sigset_t before;
  sigemptyset(&held);
  for (const int signal : kPassedOn) sigaddset(&held, signal);
  ::pthread_sigmask(SIG_BLOCK, &held, &before);
  return before;
}

void pass_signals_on() {
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  for (const int signal : kPassedOn) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

Ending run_child(const std::vector<std::string>& words,
                 const std::vector<std::pair<std::string, std::string>>& variables) {
  constexpr int kNotThere = 127;
  constexpr int kNotRunnable = 126;
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t as_usual;
  sigemptyset(&as_usual);
  sigaddset(&as_usual, SIGXFSZ);  // ignored by us, which a program inherits
  ::posix_spawnattr_setsigdefault(&attributes, &as_usual);
  const sigset_t mask = hold_signals();
  ::posix_spawnattr_setsigmask(&attributes, &mask);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  ::pid_t child = 0;
  pass_signals_on();
  const int problem = ::posix_spawnp(&child, arguments.front(), nullptr, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  the_child.store(problem == 0 ? child : 0);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if (problem != 0) {
    write_error(fmt::format("error: cannot run {}: {}\n", shown(words.front()), std::strerror(problem)));
    return {.code = problem == ENOENT ? kNotThere : kNotRunnable};
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  the_child.store(0);
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status)};
}

void end_as(const Ending& ending) {
  if (ending.signal == 0) ::_exit(ending.code);
  const ::rlimit no_second_core{};
  ::setrlimit(RLIMIT_CORE, &no_second_core);
  std::signal(ending.signal, SIG_DFL);
  std::raise(ending.signal);
  constexpr int kBySignal = 128;
  ::_exit(kBySignal + ending.signal);
}

}  // namespace stepsim::cli
