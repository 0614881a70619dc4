#include "cli/program/error.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <new>

#include "cli/program/terminal.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/base/units.h"
#include "model/job/dag_builder.h"

namespace stepsim::cli {

namespace {

// The longest text of an error, in bytes. Messages already escape control characters in the names that they contain.
// failure() escapes the whole text again, because a library's what() may contain line breaks; an error is always one
// line.
constexpr std::size_t kLineLimit = 2000;
constexpr std::string_view kMark = "error:";  // report() relies on this beginning of every error line

Failure failure(ExitCode code, std::string_view what) {
  return {code, fmt::format("{} {}\n", kMark, shown(what, kLineLimit))};
}

std::string memory_text() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return "out of memory; free some, or read fewer files, --ranks or --steps at a time";
  }
  return fmt::format(
      "out of memory under the limit of {} (ulimit -v); raise it, or read fewer files, --ranks or --steps at a time",
      to_text(Bytes{static_cast<std::int64_t>(limit.rlim_cur)}));
}

Failure describe_rethrown(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const CannotAnswer& e) {
    return failure(ExitCode::kCannotAnswer, e.what());
  } catch (const InputError& e) {
    return failure(ExitCode::kUnusable, e.what());
  } catch (const OutputError& e) {
    return failure(ExitCode::kUnusable, e.what());
  } catch (const CycleError& e) {
    return failure(ExitCode::kUnusable, e.what());
  } catch (const UsageError& e) {
    return failure(ExitCode::kWrongUsage, e.what());
  } catch (const GateFailed& e) {
    return failure(ExitCode::kGateFailed, e.what());
  } catch (const Interrupted& e) {
    return failure(ExitCode::kInterrupted, e.what());
  } catch (const std::bad_alloc&) {
    return failure(ExitCode::kUnusable, memory_text());
  } catch (const std::filesystem::filesystem_error& e) {
    return failure(ExitCode::kUnusable, fmt::format("{}: cannot be accessed: {}; check its path and permissions",
                                                    shown(e.path1().string()), e.code().message()));
  } catch (const std::exception& e) {
    if (is_thread_shortage(e)) return {ExitCode::kUnusable, std::string(kNoThreadsLine)};
    return failure(ExitCode::kOurBug,
                   fmt::format("a bug in stepsim: {}; please report it with the command line", e.what()));
  } catch (...) {
    return failure(ExitCode::kOurBug,
                   "a bug in stepsim: an exception of unknown type; please report it with the command line");
  }
}

}  // namespace

Failure describe(const std::exception_ptr& error) {
  // After memory has run out, any exception may be a consequence of that, for example because a text was truncated or
  // an archive seemed damaged. The lack of memory is therefore reported instead of the exception.
  return memory_ran_out() ? failure(ExitCode::kUnusable, memory_text()) : describe_rethrown(error);
}

ExitCode report(const std::exception_ptr& error, const sim::TextStyle& style) noexcept {
  try {
    const Failure failure = describe(error);
    write_error(sim::toned(kMark, sim::Tone::kWarning, style) + failure.line.substr(kMark.size()));
    return failure.code;
  } catch (...) {
    write_error(kNoMemoryLine);
    return ExitCode::kUnusable;
  }
}

namespace {

std::atomic<bool> ran_out{false};

void note_and_throw() {
  ran_out = true;
  throw std::bad_alloc();
}

struct End {
  ExitCode code;
  std::string_view line;
};

/// Returns the exit code and the line for std::terminate(). `error` is null if there was no memory for the exception
/// itself. Any exception other than a lack of memory or threads is a bug of stepsim.
End end_of(const std::exception_ptr& error) noexcept {
  if (error == nullptr || memory_ran_out()) return {ExitCode::kUnusable, kNoMemoryLine};
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    return {ExitCode::kUnusable, kNoMemoryLine};
  } catch (const std::exception& e) {
    if (is_thread_shortage(e)) return {ExitCode::kUnusable, kNoThreadsLine};
  } catch (...) {
  }
  return {ExitCode::kOurBug,
          "error: a bug in stepsim: it terminated unexpectedly; please report it with the command line\n"};
}

[[noreturn]] void end() noexcept {
  const End end = end_of(std::current_exception());
  write_error(end.line);
  ::_exit(static_cast<int>(end.code));
}

}  // namespace

void install_last_resort() noexcept {
  std::set_new_handler(note_and_throw);
  std::set_terminate(end);
}

bool memory_ran_out() noexcept { return ran_out; }

void throw_if_memory_ran_out() {
  if (memory_ran_out()) throw std::bad_alloc();
}

bool is_thread_shortage(const std::exception& error) noexcept {
  return std::string_view(error.what()).starts_with("pthread_create has failed");
}

}  // namespace stepsim::cli
