#ifndef STEPSIM_CLI_PROGRAM_NAMED_VALUES_H
#define STEPSIM_CLI_PROGRAM_NAMED_VALUES_H

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/arguments.h"

namespace stepsim::cli {

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
