#ifndef STEPSIM_CLI_HELP_TOPICS_H
#define STEPSIM_CLI_HELP_TOPICS_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace stepsim::cli {

/// Returns the text of `stepsim help TOPIC`: all topics called `word`, or the list of the topics of a kind ("devices").
/// Ignores case and treats blanks, '-' and '_' as equal. If there is no such topic, throws UsageError, which lists
/// similar words.
[[nodiscard]] std::string explain(std::string_view word, std::span<const Command* const> commands);

/// Returns the output of `stepsim help --json`: {"kinds":[{"name", "plural", "summary", "topics":[{"name", "also",
/// "summary", "details":[{"label", "text"}], "text", "picture"}]}]}. Contains all topics if `word` is empty, otherwise
/// only those that explain() prints for the word.
[[nodiscard]] std::string topics_as_json(std::string_view word, std::span<const Command* const> commands);

/// Returns one line per kind: "  devices  Accelerators for device.to".
[[nodiscard]] std::string list_of_kinds();

/// A word that `stepsim help` explains. Its texts come from the table that defines the word, for example the list of
/// what-ifs.
struct Topic {
  struct Detail {
    std::string_view label;
    std::string text;
  };

  std::string name;               ///< as typed or shown: "network.bandwidth"
  std::vector<std::string> also;  ///< other names, such as "bandwidth"; several topics may share one
  std::string summary;            ///< one line
  std::vector<Detail> details{};  ///< each is printed on one line; details without a text are left out
  std::string text{};             ///< a paragraph; may be empty
  std::string picture{};          ///< whole lines; may be empty
  bool is_prefix = false;         ///< the name is the beginning of a longer text: "unknown category npu"
};

/// A kind of topics, for example all what-ifs or all devices.
struct TopicKind {
  std::string_view name;    ///< for example "what-if"
  std::string_view plural;  ///< lists the topics: `stepsim help what-ifs`
  std::string_view summary;
  std::vector<Topic> (*topics)(std::span<const Command* const> commands) = nullptr;
};

/// Returns all kinds, the most useful first.
[[nodiscard]] std::span<const TopicKind> topic_kinds() noexcept;

}  // namespace stepsim::cli

#endif
