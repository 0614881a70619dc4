#ifndef STEPSIM_CLI_PROGRAM_RUN_COMMAND_H
#define STEPSIM_CLI_PROGRAM_RUN_COMMAND_H

#include "cli/program/command.h"

namespace stepsim::cli {

/// Parses session.arguments, whose first is the command's name, and runs the command, or writes its help where that is
/// asked for. Throws what the command throws, and UsageError for options that it does not have.
void run_command(const Command& command, const Session& session);

}  // namespace stepsim::cli

#endif
