#include "ingest/load/recognise.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

/// How the files begin that sim/export writes, without the blanks that formatters of JSON add.
constexpr std::array<std::string_view, 3> kOwnBeginnings{R"({"schema":"stepsim.)",
                                                         R"({"displayTimeUnit":"ns","otherData":{"program":"stepsim")",
                                                         R"({"name":"stepsimreplay","hosts":)"};

/// The first `length` characters of a text that are no blanks.
std::string without_blanks(std::string_view text, std::size_t length) {
  std::string dense;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') dense += c;
    if (dense.size() == length) break;
  }
  return dense;
}

}  // namespace

bool is_own_export(std::string_view head) {
  constexpr std::size_t kLongest = 64;
  const std::string begin = without_blanks(head, kLongest);
  return std::any_of(kOwnBeginnings.begin(), kOwnBeginnings.end(),
                     [&begin](std::string_view own) { return begin.starts_with(own); });
}

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
