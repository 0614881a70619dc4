#include <array>
#include <cmath>

#include "scenarios/change/graph_edits.h"
#include "scenarios/change/what_if.h"

// Work that is not done: the tasks are gone, and what waited for them waits for what they
// waited for. What an optimisation could bring at most is the step without what it improves.

namespace stepsim::scenarios {
namespace {

constexpr std::array kParameters{
    Parameter{"share", "a number from 0 to 1", "of the selected tasks, spread evenly over them; all if not given", "0"},
};

/// As many of `tasks` as `share` says, evenly spread.
std::vector<TaskId> spread(const std::vector<TaskId>& tasks, double share) {
  std::vector<TaskId> chosen;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (std::floor(static_cast<double>(i + 1) * share) > std::floor(static_cast<double>(i) * share))
      chosen.push_back(tasks[i]);
  }
  return chosen;
}

void apply(const Change& change, Plan& plan) {
  const YamlField* const value = change.find("share");
  const double share = value == nullptr ? 1 : value->number(0, 1);
  if (share == 0) return;
  if (change.selector().is_all()) {
    change.place().fail(
        "'remove' would take out everything; expected a selection such as {select: {name: \"Memcpy.*\"}}");
  }
  plan.add_edit(change, [selector = change.selector(), share](const Capture& capture) {
    return without(capture, spread(selector.select(capture), share));
  });
}

}  // namespace

extern const WhatIf remove_what_if;
const WhatIf remove_what_if{
    .name = "remove",
    .summary = "selected tasks are gone, and what waited for them waits for what they waited for",
    .ignores = "that the job may need what they did",
    .parameters = kParameters,
    .selects = true,
    .apply = apply,
};

}  // namespace stepsim::scenarios
