#ifndef STEPSIM_SIM_OUTPUT_RUN_PROGRAM_H
#define STEPSIM_SIM_OUTPUT_RUN_PROGRAM_H

#include <string>
#include <string_view>
#include <vector>

namespace stepsim::sim {

/// Whether PATH leads to a program of that name.
[[nodiscard]] bool has_program(const std::string& name);

/// Runs the program command[0], found along PATH, with the other words as its arguments, hands it `input` and returns
/// what it writes to standard output; its standard error is dropped. No shell takes part. Throws OutputError if it
/// cannot be started or ends in another way than with 0.
[[nodiscard]] std::string run_program(const std::vector<std::string>& command, std::string_view input);

}  // namespace stepsim::sim

#endif
