#ifndef STEPSIM_CLI_PROGRAM_HELP_H
#define STEPSIM_CLI_PROGRAM_HELP_H

#include <span>
#include <string>

#include "cli/program/command.h"

namespace stepsim::cli {

/// What `stepsim --help` prints first: the commands with their summaries.
[[nodiscard]] std::string program_help(std::span<const Command* const> commands);
/// And last: where results go and what the exit codes mean.
[[nodiscard]] std::string exit_codes_help();

/// The end of a command's help; empty if it has no examples.
[[nodiscard]] std::string examples_of(const Command& command);

/// "stepsim 0.1.0 (commit ...)" and a new line.
[[nodiscard]] std::string program_version();

}  // namespace stepsim::cli

#endif
