#ifndef STEPSIM_CLI_PROGRAM_ARGUMENTS_H
#define STEPSIM_CLI_PROGRAM_ARGUMENTS_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace stepsim::cli {

/// The command called `word`. Throws UsageError with the nearest name and the list.
[[nodiscard]] const Command& find_command(std::string_view word, std::span<const Command* const> commands);

enum class Parsed { kReady, kHelpWanted };

/// Parses what follows the command's name. Throws UsageError for every mistake that CLI11 finds: the
/// option as typed, what is wrong with it, the nearest right one.
[[nodiscard]] Parsed parse(CLI::App& app, std::span<const std::string> arguments);

/// The command's name, its inputs and the given options in the order of their declaration, without those
/// named in `leave_out`. So one command has one form, however it was typed. Precondition: `app` has parsed.
[[nodiscard]] std::vector<std::string> arguments_in_order(const CLI::App& app, const std::string& command,
                                                          std::span<const std::string_view> leave_out);

/// Throws UsageError: "unknown WHAT 'word'; did you mean 'x'? expected a, b or c".
[[noreturn]] void throw_unknown(std::string_view what, std::string_view word, std::span<const std::string> known);

}  // namespace stepsim::cli

#endif
