#include <array>
#include <cmath>
#include <vector>

#include "scenarios/change/graph_edits.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// What-if `remove`: removes tasks. Tasks that waited for a removed task wait for its predecessors instead. Removing the
// tasks that an optimisation would improve gives a bound on what the optimisation can save.

namespace stepsim::scenarios {
namespace {

constexpr std::array kRemoveParameters{
    Parameter{"share", value::number(0, 1), "share of the selected tasks to remove, spread evenly (default: all)", "0"},
};

/// Returns a share of `tasks`, from 0 to 1, evenly distributed over their order.
std::vector<TaskId> spread(const std::vector<TaskId>& tasks, double share) {
  std::vector<TaskId> chosen;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (std::floor(static_cast<double>(i + 1) * share) > std::floor(static_cast<double>(i) * share))
      chosen.push_back(tasks[i]);
  }
  return chosen;
}

void apply_remove(const Change& change, Plan& plan) {
  double share = 1;
  change.read("share", share);
  if (share == 0) return;
  if (change.selector().is_all()) {
    change.place().fail(
        "'remove' without a selection would remove everything; expected a selection such as {select: {name: "
        "\"Memcpy.*\"}}");
  }
  plan.add_edit(change, [selector = change.selector(), share](const Capture& capture) {
    return without(capture, spread(selector.select(capture), share));
  });
}

}  // namespace

extern const WhatIf remove_what_if{
    .name = "remove",
    .summary = "Remove tasks: what waited for them then waits for what they waited for",
    .ignores = "that the job may need the removed work",
    .parameters = kRemoveParameters,
    .selected = selected_by<selected_tasks>,
    .apply = apply_remove,
};

}  // namespace stepsim::scenarios
