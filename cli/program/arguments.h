#ifndef STEPSIM_CLI_PROGRAM_ARGUMENTS_H
#define STEPSIM_CLI_PROGRAM_ARGUMENTS_H

#include <algorithm>
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

/// "a,b" as a and b; what is empty is left out.
[[nodiscard]] std::vector<std::string> divided_at_commas(const std::string& text);

/// Throws UsageError: "unknown WHAT 'word'; did you mean 'x'? expected a, b or c".
[[noreturn]] void throw_unknown(std::string_view what, std::string_view word, std::span<const std::string> known);

// For options that take one of a few words. `all` is a list of values that have a `name`, the default first.

template <class Named>
[[nodiscard]] std::vector<std::string> words_of(const Named& all) {
  std::vector<std::string> words(all.size());
  std::transform(all.begin(), all.end(), words.begin(), [](const auto& each) { return std::string(each.name); });
  return words;
}

/// The entry whose name was typed; the first if none was typed. Throws UsageError (throw_unknown()).
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
