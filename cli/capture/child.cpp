#include "cli/capture/child.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/program/terminal.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/formats/capture/survey.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/base/units.h"

namespace stepsim::cli {

namespace {

std::atomic<::pid_t> the_child{0};
static_assert(std::atomic<::pid_t>::is_always_lock_free, "a signal handler reads it");

/// Forwards signals from other processes to the child. Signals from the terminal are skipped, because the child
/// receives them directly.
void pass_on(int signal, ::siginfo_t* from, void*) {
  const ::pid_t child = the_child.load();
  if (child > 0 && from != nullptr && from->si_code <= 0) ::kill(child, signal);
}

constexpr std::array kPassedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/// Blocks the forwarded signals until the child's id is known. Returns the previous mask.
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
                 const std::vector<std::pair<std::string, std::string>>& variables, int ignored) {
  constexpr int kNotThere = 127;
  constexpr int kNotRunnable = 126;
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t as_usual;
  sigemptyset(&as_usual);
  sigaddset(&as_usual, SIGXFSZ);  // stepsim ignores this signal, and the child would inherit that
  ::posix_spawnattr_setsigdefault(&attributes, &as_usual);
  const sigset_t mask = hold_signals();
  ::posix_spawnattr_setsigmask(&attributes, &mask);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  ::pid_t child = 0;
  if (ignored != 0) std::signal(ignored, SIG_IGN);  // the child inherits this
  const int problem = ::posix_spawnp(&child, arguments.front(), nullptr, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  pass_signals_on();
  the_child.store(problem == 0 ? child : 0);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if (problem != 0) {
    write_error(fmt::format("error: cannot run {}: {}\n", shown(words.front()), std::strerror(problem)));
    return {.code = problem == ENOENT ? kNotThere : kNotRunnable, .started = false};
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

namespace {

namespace fs = std::filesystem;

/// Returns the regular files of a folder whose names end so.
std::vector<std::string> files_with(std::string_view ending, const std::string& directory) {
  std::vector<std::string> files;
  std::error_code problem;
  for (fs::directory_iterator at(directory, problem), end; !problem && at != end; at.increment(problem)) {
    std::error_code unknown;
    if (at->path().string().ends_with(ending) && fs::is_regular_file(at->symlink_status(unknown)))
      files.push_back(at->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

constexpr std::size_t kLongestProblem = 1000;

std::string lines_of(const std::string& file, const ingest::CaptureSurvey& found) {
  const auto rank = found.session.find("rank");
  const std::string of = rank == found.session.end() ? "" : fmt::format(" of rank {}", shown(rank->second));
  const std::string what = found.marked ? counted(found.active_steps, "step") : "a program without marked steps";
  const std::string nccl =
      found.nccl_operations == 0 ? "" : ", " + counted(found.nccl_operations, "operation") + " of NCCL";
  std::string lines =
      fmt::format("stepsim: captured {}{}: {}{}, {} in {}\n", what, of, counted(found.kernels, "kernel"), nccl,
                  to_text(Bytes{static_cast<std::int64_t>(found.bytes)}), shown(file));
  if (!found.marked && found.session.contains("waits_for_steps")) {
    lines +=
        "stepsim: warning: no step was marked, so nothing was recorded: call stepsim_mark_step(), name an NVTX range "
        "with --step-range, or leave out the options that count steps\n";
  } else if (found.kernels == 0 && found.problems.empty()) {
    lines +=
        "stepsim: warning: no kernel was recorded: the program ran none while recording, or ended before recording "
        "began (--delay, --wait, --profiler-api)\n";
  }
  for (const std::string& problem : found.problems)
    lines += fmt::format("stepsim: warning: {}\n", shown(problem, kLongestProblem));
  if (found.lost > 0) {
    lines += fmt::format("stepsim: warning: {} lost; capture fewer steps, or give a larger --buffer-mb\n",
                         counted(found.lost, "record"));
  }
  if (found.write_error != 0) {
    lines +=
        fmt::format("stepsim: warning: {}: the capture ends where writing failed: {}; give a --dir on another disk\n",
                    shown(file), std::strerror(found.write_error));
  } else if (!found.closed) {
    lines += "stepsim: the program ended abnormally; everything that was written before is kept\n";
  }
  return lines;
}

}  // namespace

std::string capture_summary(const std::string& directory, const std::string& run) {
  std::string text;
  for (const std::string& file : files_with(".capture", directory)) {
    try {
      const auto source = ingest::open_file(file);
      const ingest::CaptureSurvey found = ingest::survey_capture(*source);
      const auto of_run = found.session.find("run");
      if (of_run != found.session.end() && of_run->second == run) text += lines_of(file, found);
    } catch (const InputError& problem) {
      text += fmt::format("stepsim: warning: {}\n", problem.what());
    }
  }
  return text.empty() ? text : text + fmt::format("stepsim: next: stepsim replay {}\n", shown(directory));
}

std::string nccl_summary_line(const std::string& directory, const std::string& run) {
  constexpr std::streamsize kBegin = 4096;
  std::uint64_t files = 0;
  for (const std::string& file : files_with(".nccl.json", directory)) {
    std::ifstream stream(file);
    std::string begin(kBegin, '\0');  // it has the line of the process, in which the run is a plain number
    stream.read(begin.data(), kBegin);
    if (begin.find(fmt::format(R"("run": "{}")", run)) != std::string::npos) ++files;
  }
  if (files > 0) {
    return fmt::format("stepsim: wrote {} of NCCL's collectives to {}/*.nccl.json\n",
                       files == 1 ? "a summary" : fmt::format("{} summaries", files), shown(directory));
  }
  return fmt::format(
      "stepsim: no summary was written to {}: COMMAND created no communicator of NCCL 2.24 or later, or could not "
      "write there\n",
      shown(directory));
}

}  // namespace stepsim::cli
