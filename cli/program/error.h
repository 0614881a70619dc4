#ifndef STEPSIM_CLI_PROGRAM_ERROR_H
#define STEPSIM_CLI_PROGRAM_ERROR_H

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/report/terminal_text.h"

namespace stepsim::cli {

/// How the program ends; part of its interface (README.md).
enum class ExitCode : int {
  kDone = 0,
  kUnusable = 1,  ///< the input cannot be used, or the result cannot be written
  kWrongUsage = 2,
  kOurBug = 3,
  kGateFailed = 4,    ///< compare --fail-above
  kCannotAnswer = 5,  ///< this capture cannot answer that question
  kInterrupted = 130,
};

/// A comparison was asked to fail, and did (exit 4). The answer is written before it is thrown.
class GateFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Failure {
  ExitCode code = ExitCode::kOurBug;
  std::string line;  ///< "error: ...", one line, safe for a terminal, with its new line
};

/// The exit code and the line for an exception. Throws std::bad_alloc if there is no memory for the line.
[[nodiscard]] Failure describe(const std::exception_ptr& error);

/// Writes the line for an exception to standard error, without memory too, "error:" as the style says. Returns the
/// exit code.
[[nodiscard]] ExitCode report(const std::exception_ptr& error, const sim::TextStyle& style) noexcept;

// How the program ends where an exception cannot reach main(): in the constructors of static objects, its own and
// those of its libraries, in a destructor, on a thread of a library, or if there is no memory for the exception itself.
// std::terminate() then writes one line and exits with 1 (3 if the cause is a bug) instead of SIGABRT. That is set up
// before the first of those constructors runs, in every program that this file is linked into.

/// For when there is no memory to make a better one.
inline constexpr std::string_view kNoMemoryLine =
    "error: out of memory; free some, or read fewer files, --ranks or --steps at a time\n";
inline constexpr std::string_view kNoThreadsLine =
    "error: the system does not start another thread; free some, or ask for fewer --threads\n";

/// Whether an allocation has failed, even if a library hid it: a std::stringstream without memory cuts its text.
[[nodiscard]] bool memory_ran_out() noexcept;

/// Throws std::bad_alloc if memory_ran_out(): what is about to be written may be incomplete.
void refuse_what_memory_cut();

/// Whether oneTBB threw `error` because it could not start a thread.
[[nodiscard]] bool is_thread_shortage(const std::exception& error) noexcept;

}  // namespace stepsim::cli

#endif
