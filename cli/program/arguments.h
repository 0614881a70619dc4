#ifndef STEPSIM_CLI_PROGRAM_ARGUMENTS_H
#define STEPSIM_CLI_PROGRAM_ARGUMENTS_H

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace stepsim::cli {

/// Returns the command called `word`. If there is none, throws UsageError, which names the most similar command and
/// lists all of them.
[[nodiscard]] const Command& find_command(std::string_view word, std::span<const Command* const> commands);

enum class Parsed { kReady, kHelpWanted };

/// Parses the arguments after the command's name. Throws UsageError for every mistake that CLI11 finds, with the option
/// as typed, what is wrong with it, and the most similar valid option.
[[nodiscard]] Parsed parse(CLI::App& app, std::span<const std::string> arguments);

/// Returns the command's name, its inputs and the given options in the order of their declaration, without those named
/// in `leave_out`. The result is the same for every order in which the options were typed. Precondition: `app` has
/// parsed.
[[nodiscard]] std::vector<std::string> arguments_in_order(const CLI::App& app, const std::string& command,
                                                          std::span<const std::string_view> leave_out);

/// Returns a command line that the same command accepts: the command's name, the given options without those named in
/// `leave_out`, "--" and the inputs. Precondition: `app` has parsed.
[[nodiscard]] std::vector<std::string> arguments_again(const CLI::App& app, const std::string& command,
                                                       std::span<const std::string_view> leave_out);

/// Splits "a,b" into a and b; leaves out empty parts.
[[nodiscard]] std::vector<std::string> divided_at_commas(const std::string& text);

/// Throws UsageError: "unknown WHAT 'word'; did you mean 'x'? expected a, b or c".
[[noreturn]] void throw_unknown(std::string_view what, std::string_view word, std::span<const std::string> known);

// Helpers for options that take one of a few words. `all` is a list of values that have a `name`, the default first.

template <class Named>
[[nodiscard]] std::vector<std::string> words_of(const Named& all) {
  std::vector<std::string> words(all.size());
  std::transform(all.begin(), all.end(), words.begin(), [](const auto& each) { return std::string(each.name); });
  return words;
}

/// Returns the entry whose name was typed; the first one if none was typed. Throws UsageError (throw_unknown()).
template <class Named>
[[nodiscard]] auto chosen(std::string_view what, const Named& all, const std::vector<std::string>& typed) {
  if (typed.empty()) return all.front();
  const auto found =
      std::find_if(all.begin(), all.end(), [&typed](const auto& each) { return each.name == typed.back(); });
  if (found == all.end()) throw_unknown(what, typed.back(), words_of(all));
  return *found;
}

}  // namespace stepsim::cli

#endif
