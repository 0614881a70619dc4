#include "model/base/assumption.h"

#include <algorithm>

namespace stepsim {

void append(Assumptions& assumptions, const Assumptions& more) {
  assumptions.insert(assumptions.end(), more.begin(), more.end());
}

const Assumption* find_assumption(const Assumptions& assumptions, std::string_view id) {
  const auto found =
      std::find_if(assumptions.begin(), assumptions.end(), [id](const Assumption& one) { return one.id == id; });
  return found == assumptions.end() ? nullptr : &*found;
}

void remove_assumption(Assumptions& assumptions, const std::string& id) {
  std::erase_if(assumptions, [&id](const Assumption& assumption) { return assumption.id == id; });
}

std::vector<std::string> sentences_of(const Assumptions& assumptions) {
  std::vector<std::string> sentences;
  sentences.reserve(assumptions.size());
  for (const Assumption& assumption : assumptions) sentences.push_back(assumption.sentence);
  return sentences;
}

}  // namespace stepsim
