#ifndef STEPSIM_SIM_OUTPUT_RUN_PROGRAM_H
#define STEPSIM_SIM_OUTPUT_RUN_PROGRAM_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::sim {

/// True if PATH contains a program of that name.
[[nodiscard]] bool has_program(const std::string& name);

/// Limits for a program's run, and the advice to give if it exceeds them.
struct ProgramLimits {
  std::chrono::milliseconds time;
  std::size_t bytes;                        ///< maximum size of the program's output
  std::string_view advice;                  ///< text of the error after "expected "
  const std::atomic<bool>* stop = nullptr;  ///< set by Ctrl-C: Interrupted is thrown
};

/// Runs the program command[0], found in PATH, with the other words as its arguments. Passes it `input` and returns its
/// standard output; drops its standard error. Uses no shell. Throws OutputError if the program cannot be started,
/// exceeds a limit or exits with a status other than 0. The program and its children are killed when this call ends or
/// this process dies.
[[nodiscard]] std::string run_program(const std::vector<std::string>& command, std::string_view input,
                                      const ProgramLimits& limits);

}  // namespace stepsim::sim

#endif
