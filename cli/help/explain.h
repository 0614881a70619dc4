#ifndef STEPSIM_CLI_HELP_EXPLAIN_H
#define STEPSIM_CLI_HELP_EXPLAIN_H

#include <span>
#include <string>
#include <string_view>

#include "cli/program/command.h"

namespace stepsim::cli {

/// What `stepsim help WORD` prints: all that is called `word`, whatever the case, or the list of a kind ("devices").
/// Throws UsageError with the words that are near it.
[[nodiscard]] std::string explain(std::string_view word, std::span<const Command* const> commands);

/// "  stepsim help devices  accelerators that are known ...", a line a kind.
[[nodiscard]] std::string kinds_of_words();

}  // namespace stepsim::cli

#endif
