#include "cli/help/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/help/topics.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::cli {
namespace {

std::string lower(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

std::string list_of(const TopicKind& kind, std::span<const Command* const> commands) {
  const std::vector<Topic> topics = kind.topics(commands);
  constexpr std::size_t kWidest = 32;  // the summary of a longer name stands below it
  std::size_t width = 0;
  for (const Topic& topic : topics) width = std::max(width, std::min(topic.name.size(), kWidest));
  std::string text = fmt::format("{}: {}\n\n", kind.plural, kind.summary);
  for (const Topic& topic : topics) {
    if (topic.name.size() > width) text += fmt::format("  {}\n", topic.name);
    text += fmt::format("  {:<{}}  {}\n", topic.name.size() > width ? "" : topic.name, width, topic.summary);
  }
  return text;
}

/// Words that somebody who typed `word` may have meant: those that hold it, else the nearest one.
std::vector<std::string> near_words(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kMost = 5;
  constexpr std::size_t kShortest = 3;
  std::vector<std::string> near;
  for (const std::string& other : known) {
    const bool holds = word.size() >= kShortest && lower(other).find(word) != std::string::npos;
    if (holds && near.size() < kMost) near.push_back(other);
  }
  if (near.empty()) {
    if (const std::optional<std::string> nearest = nearest_name(word, known)) near.push_back(*nearest);
  }
  return near;
}

bool is_called(const Topic& topic, const std::string& asked) {
  const std::string name = lower(topic.name);
  return asked == name || asked == lower(topic.also) || (topic.goes_on && asked.starts_with(name + ' '));
}

[[noreturn]] void refuse(std::string_view word, const std::vector<std::string>& known) {
  std::vector<std::string> near = near_words(lower(word), known);
  for (std::string& other : near) other = fmt::format("'{}'", other);
  throw UsageError(fmt::format("nothing is called '{}'; {}expected one of the words that 'stepsim help' lists",
                               shown(word), near.empty() ? "" : fmt::format("did you mean {}? ", one_of(near))));
}

}  // namespace

std::string explain(std::string_view word, std::span<const Command* const> commands) {
  const std::string asked = lower(word);
  std::vector<std::string> known;
  std::vector<std::string> kinds;  // a kind is what its name means first, whatever else is called so
  std::vector<std::string> words;
  for (const TopicKind& kind : topic_kinds()) {
    if (asked == kind.plural || asked == kind.name) kinds.push_back(list_of(kind, commands));
    known.emplace_back(kind.plural);
    for (const Topic& topic : kind.topics(commands)) {
      if (is_called(topic, asked))
        words.push_back(fmt::format("{} ({}): {}\n{}", topic.name, kind.name, topic.summary, topic.more));
      known.push_back(topic.name);
      if (!topic.also.empty()) known.push_back(topic.also);
    }
  }
  if (kinds.empty() && words.empty()) refuse(word, known);
  kinds.insert(kinds.end(), words.begin(), words.end());
  return fmt::format("{}", fmt::join(kinds.begin(), kinds.end(), "\n"));
}

std::string kinds_of_words() {
  std::string text;
  for (const TopicKind& kind : topic_kinds()) text += fmt::format("  {:<12}  {}\n", kind.plural, kind.summary);
  return text;
}

}  // namespace stepsim::cli
