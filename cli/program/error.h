#ifndef STEPSIM_CLI_PROGRAM_ERROR_H
#define STEPSIM_CLI_PROGRAM_ERROR_H

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/report/terminal_text.h"

namespace stepsim::cli {

/// The program's exit codes; part of its interface (README.md).
enum class ExitCode : int {
  kDone = 0,
  kUnusable = 1,  ///< the input cannot be used, or the result cannot be written
  kWrongUsage = 2,
  kOurBug = 3,
  kGateFailed = 4,    ///< compare --fail-above
  kCannotAnswer = 5,  ///< this capture cannot answer the question
  kInterrupted = 130,
};

/// Thrown if the check of `compare --fail-above` fails (exit code 4). The answer is written before this is thrown.
class GateFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Failure {
  ExitCode code = ExitCode::kOurBug;
  std::string line;  ///< "error: ...\n", one line, safe for a terminal
};

/// Returns the exit code and the error line for an exception. Throws std::bad_alloc if there is no memory for the line.
[[nodiscard]] Failure describe(const std::exception_ptr& error);

/// Writes the error line for an exception to standard error, with "error:" in the given style. Works without free
/// memory. Returns the exit code.
[[nodiscard]] ExitCode report(const std::exception_ptr& error, const sim::TextStyle& style) noexcept;

/// Replaces std::terminate() and the new handler of this process. Some exceptions cannot reach main(): those thrown in
/// the constructor of a static object (of the program or a library), in a destructor, on a library's thread, or when
/// there is no memory for the exception itself. For them, std::terminate() then writes one line and exits with 1 (3 if
/// the cause is a bug) instead of SIGABRT. The program calls this before the first constructor.
void install_last_resort() noexcept;

/// The error line if there is no memory to build a more specific one.
inline constexpr std::string_view kNoMemoryLine =
    "error: out of memory; free some, or read fewer files, --ranks or --steps at a time\n";
inline constexpr std::string_view kNoThreadsLine =
    "error: the system cannot start another thread; stop other programs, or use fewer --threads\n";

/// True if an allocation has failed since install_last_resort(), even if a library ignored the failure. For example, a
/// std::stringstream without memory truncates its text.
[[nodiscard]] bool memory_ran_out() noexcept;

/// Throws std::bad_alloc if memory_ran_out(), because the text to be written may be incomplete.
void throw_if_memory_ran_out();

/// True if oneTBB threw `error` because it could not start a thread.
[[nodiscard]] bool is_thread_shortage(const std::exception& error) noexcept;

}  // namespace stepsim::cli

#endif
