#include "scenarios/change/selector.h"

#include <algorithm>
#include <set>

#include "model/base/text.h"

namespace stepsim::scenarios {
namespace {

/// Minimum length of a word, in letters. Shorter words are ignored, because they occur in too many names.
constexpr std::size_t kShortestWord = 3;
/// Maximum number of distinct words to compare. Only damaged input has more.
constexpr std::size_t kMostWords = 20'000;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// Calls `use` with each word of `text`. A word is a sequence of at least kShortestWord letters and digits.
template <class Use>
void for_each_word(std::string_view text, Use use) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_letter_or_digit(text[end])) ++end;
    if (end - begin >= kShortestWord) use(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::vector<std::string_view> all_names(const Capture& capture) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < capture.dag.name_count(); ++i) names.push_back(capture.dag.name(NameId{i}));
  for (const OperatorTable::Operator& one : capture.operators.operators) names.push_back(one.name);
  for (const std::string& annotation : capture.annotations.names) names.push_back(annotation);
  return names;
}

/// Returns how many names contain `word`.
std::size_t holders(const std::vector<std::string>& names, std::string_view word) {
  return static_cast<std::size_t>(std::count_if(
      names.begin(), names.end(), [word](const std::string& name) { return name.find(word) != std::string::npos; }));
}

/// Returns the word of `pattern` that occurs in the fewest names, because a common word such as "aten" would not help.
/// A word that occurs in no name is replaced by the one with the most similar spelling. Returns an empty text if there
/// is none.
std::string meant_word(std::string_view pattern, const std::vector<std::string>& names) {
  std::set<std::string> known;
  for (const std::string& name : names) {
    for_each_word(name, [&known](std::string_view word) {
      if (known.size() < kMostWords) known.emplace(word);
    });
  }
  const std::vector<std::string> list(known.begin(), known.end());
  std::string meant;
  std::size_t fewest = names.size() + 1;
  for_each_word(pattern, [&](std::string_view word) {
    std::string spelled(word);
    if (holders(names, word) == 0) spelled = nearest_name(word, list).value_or("");
    const std::size_t count = spelled.empty() ? 0 : holders(names, spelled);
    if (count == 0 || count >= fewest) return;
    fewest = count;
    meant = spelled;
  });
  return meant;
}

}  // namespace

std::vector<std::string> similar_names(std::string_view pattern, const Capture& capture, std::size_t most) {
  const std::vector<std::string_view> names = all_names(capture);
  std::vector<std::string> lower;
  lower.reserve(names.size());
  for (const std::string_view name : names) lower.push_back(lower_case(name));
  const std::string word = meant_word(lower_case(pattern), lower);
  std::vector<std::string> similar;
  if (word.empty()) return similar;
  for (std::size_t i = 0; i < names.size() && similar.size() < most; ++i) {
    if (lower[i].find(word) == std::string::npos) continue;
    if (std::find(similar.begin(), similar.end(), names[i]) == similar.end()) similar.emplace_back(names[i]);
  }
  return similar;
}

}  // namespace stepsim::scenarios
