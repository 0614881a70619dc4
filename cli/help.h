#ifndef STEPSIM_CLI_HELP_H
#define STEPSIM_CLI_HELP_H

#include <string>

namespace stepsim::cli {

/// What `stepsim --help` prints: the commands with their summaries.
[[nodiscard]] std::string program_help();

/// "stepsim 0.1.0 (commit ...)" and a new line.
[[nodiscard]] std::string program_version();

}  // namespace stepsim::cli

#endif
