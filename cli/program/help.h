#ifndef STEPSIM_CLI_PROGRAM_HELP_H
#define STEPSIM_CLI_PROGRAM_HELP_H

#include <span>
#include <string>

#include "cli/program/command.h"

namespace stepsim::cli {

/// What `stepsim --help` prints: the commands with their summaries.
[[nodiscard]] std::string program_help(std::span<const Command* const> commands);

/// "stepsim 0.1.0 (commit ...)" and a new line.
[[nodiscard]] std::string program_version();

}  // namespace stepsim::cli

#endif
