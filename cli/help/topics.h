#ifndef STEPSIM_CLI_HELP_TOPICS_H
#define STEPSIM_CLI_HELP_TOPICS_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace stepsim::cli {

/// What `stepsim help WORD` prints: all that is called `word`, whatever the case, or the list of a kind ("devices").
/// Throws UsageError with the words that are near it.
[[nodiscard]] std::string explain(std::string_view word, std::span<const Command* const> commands);

/// "  stepsim help devices  accelerators that are known ...", a line a kind.
[[nodiscard]] std::string kinds_of_words();

/// A word that `stepsim help` explains. All texts come from the registry that the word is of.
struct Topic {
  std::string name;      ///< as typed where it is used: "network.bandwidth"
  std::string also;      ///< a shorter word for it, "bandwidth", which others may share; may be empty
  std::string summary;   ///< one line
  std::string more;      ///< further lines, each with its new line; may be empty
  bool goes_on = false;  ///< where it is used, more words follow the name: "unknown category npu"
};

/// Topics of one registry.
struct TopicKind {
  std::string_view name;    ///< "what-if"
  std::string_view plural;  ///< lists them: `stepsim help what-ifs`
  std::string_view summary;
  std::vector<Topic> (*topics)(std::span<const Command* const> commands) = nullptr;
};

/// All kinds, what is asked for most first.
[[nodiscard]] std::span<const TopicKind> topic_kinds() noexcept;

}  // namespace stepsim::cli

#endif
