#include "ingest/load/recognise.h"

#include <string_view>
#include <vector>

#include "model/base/text.h"

namespace stepsim::ingest {

const Format* recognise(const Input& input) {
  const std::string_view name = std::string_view{input.name()}.substr(input.name().find_last_of('/') + 1);
  const Format* best = nullptr;
  int best_score = 0;
  for (const Format* format : formats()) {
    const int score = format->recognise(name, input.head());
    if (score <= best_score) continue;
    best = format;
    best_score = score;
  }
  return best;
}

std::string known_formats() {
  std::vector<std::string> names;
  for (const Format* format : formats()) names.emplace_back(format->name);
  return one_of(names);
}

}  // namespace stepsim::ingest
