#ifndef STEPSIM_CLI_PROGRAM_ERROR_H
#define STEPSIM_CLI_PROGRAM_ERROR_H

#include <exception>
#include <stdexcept>
#include <string>

#include "sim/report/text_style.h"

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

}  // namespace stepsim::cli

#endif
