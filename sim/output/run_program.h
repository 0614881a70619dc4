#ifndef STEPSIM_SIM_OUTPUT_RUN_PROGRAM_H
#define STEPSIM_SIM_OUTPUT_RUN_PROGRAM_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stepsim::sim {

/// Whether PATH leads to a program of that name.
[[nodiscard]] bool has_program(const std::string& name);

/// What a program may take, and what to do where it takes more.
struct ProgramLimits {
  std::chrono::milliseconds time;
  std::size_t bytes;                        ///< of what it writes
  std::string_view advice;                  ///< of the error: what follows "expected "
  const std::atomic<bool>* stop = nullptr;  ///< set by Ctrl-C: Interrupted is thrown
};

/// Runs the program command[0], found along PATH, with the other words as its arguments, hands it `input` and returns
/// what it writes to standard output; its standard error is dropped. No shell takes part. Throws OutputError if it
/// cannot be started, exceeds a limit or does not end with 0. It ends with this call, together with the programs that
/// it started itself, and is killed with us.
[[nodiscard]] std::string run_program(const std::vector<std::string>& command, std::string_view input,
                                      const ProgramLimits& limits);

}  // namespace stepsim::sim

#endif
