#ifndef STEPSIM_CLI_COMMANDS_PROGRAM_H
#define STEPSIM_CLI_COMMANDS_PROGRAM_H

#include <string>
#include <vector>

namespace stepsim::cli {

/// Runs the program: `arguments` are those of its command line, without its name. Installs its signal handlers, so it
/// must be all that the process does. A failure writes at most one line to standard error. Returns the exit code.
[[nodiscard]] int run_program(const std::vector<std::string>& arguments) noexcept;

}  // namespace stepsim::cli

#endif
