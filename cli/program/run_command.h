#ifndef STEPSIM_CLI_PROGRAM_RUN_COMMAND_H
#define STEPSIM_CLI_PROGRAM_RUN_COMMAND_H

#include <span>
#include <string>

#include "cli/program/command.h"

namespace stepsim::cli {

/// Returns the first part of `stepsim --help`: the commands with their summaries.
[[nodiscard]] std::string program_help(std::span<const Command* const> commands);
/// Returns the last part of `stepsim --help`: where results go and what the exit codes mean.
[[nodiscard]] std::string exit_codes_help();

/// Returns "stepsim 0.1.0 (commit ...)" and a newline.
[[nodiscard]] std::string program_version();

/// Parses session.arguments, which begin with the command's name, and runs the command or writes its help. Throws what
/// the command throws, and UsageError for unknown options.
void run_command(const Command& command, const Session& session);

}  // namespace stepsim::cli

#endif
