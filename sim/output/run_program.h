#ifndef STEPSIM_SIM_OUTPUT_RUN_PROGRAM_H
#define STEPSIM_SIM_OUTPUT_RUN_PROGRAM_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/error.h"

namespace stepsim::sim {

/// True if PATH contains a program of that name.
[[nodiscard]] bool has_program(const std::string& name);

/// How a program ended.
struct ProgramEnd {
  int code = 0;
  int signal = 0;      ///< the signal that killed it; 0 if it exited
  std::string errors;  ///< the last 16 KB that it wrote to standard error
};

/// A program ended with another status than 0. what() has the last line of its errors, if any.
class ProgramFailed : public OutputError {
 public:
  ProgramFailed(const std::string& what, ProgramEnd end) : OutputError(what), end_(std::move(end)) {}
  [[nodiscard]] const ProgramEnd& end() const noexcept { return end_; }

 private:
  ProgramEnd end_;
};

/// Limits for a program's run, and the advice to give if it exceeds them.
struct ProgramLimits {
  /// Processor time of each process of the program, which does not depend on what else the machine does; 0 = no limit.
  std::chrono::seconds processor_time{0};
  /// Ends a program that hangs. Must be much longer than processor_time, because machines can be busy.
  std::chrono::milliseconds time = std::chrono::minutes{30};
  std::size_t bytes = 0;                    ///< maximum size of the program's output
  std::string_view advice;                  ///< text of the error after "expected "
  const std::atomic<bool>* stop = nullptr;  ///< set by Ctrl-C: Interrupted is thrown
};

/// Runs the program command[0], a path or a name in PATH, with the other words as its arguments. Passes it `input` and
/// returns its standard output. Uses no shell. Throws ProgramFailed if it exits with a status other than 0, and
/// OutputError if it cannot be started or exceeds a limit. The program and its children are killed when this call ends
/// or this process dies.
[[nodiscard]] std::string run_program(const std::vector<std::string>& command, std::string_view input,
                                      const ProgramLimits& limits);

}  // namespace stepsim::sim

#endif
