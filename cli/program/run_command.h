#ifndef STEPSIM_CLI_PROGRAM_RUN_COMMAND_H
#define STEPSIM_CLI_PROGRAM_RUN_COMMAND_H

#include <span>
#include <string>

#include "cli/program/command.h"

namespace stepsim::cli {

/// What `stepsim --help` prints first: the commands with their summaries.
[[nodiscard]] std::string program_help(std::span<const Command* const> commands);
/// And last: where results go and what the exit codes mean.
[[nodiscard]] std::string exit_codes_help();

/// "stepsim 0.1.0 (commit ...)" and a new line.
[[nodiscard]] std::string program_version();

/// Parses session.arguments, whose first is the command's name, and runs the command, or writes its help where that is
/// asked for. Throws what the command throws, and UsageError for options that it does not have.
void run_command(const Command& command, const Session& session);

}  // namespace stepsim::cli

#endif
