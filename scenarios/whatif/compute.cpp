#include <array>

#include "scenarios/change/selection.h"
#include "scenarios/change/what_if.h"

// What-if `compute`: makes compute tasks longer or shorter, by a factor and by a time added to each task.

namespace stepsim::scenarios {
namespace {

constexpr std::array kComputeParameters{
    Parameter{"scale", "a number such as 1.5 from 0", "factor on the durations of the selected tasks", "1"},
    Parameter{"add", "a time such as 10us", "time to add to each selected task", "0us"},
};

void apply_compute(const Change& change, Plan& plan) {
  const YamlField* const scale = change.find("scale");
  const YamlField* const add = change.find("add");
  const double factor = scale == nullptr ? 1 : scale_of(*scale, 0);
  const Duration extra = add == nullptr ? Duration{} : add->duration();
  plan.rules.emplace_back(
      [selector = change.selector(), factor, extra](const Capture& capture, std::vector<Duration>& durations) {
        for (const TaskId task : compute_tasks(selector, capture)) {
          durations[task.index()] = scaled(durations[task.index()], factor) + extra;
        }
      });
}

}  // namespace

extern const WhatIf compute_what_if;
const WhatIf compute_what_if{
    .name = "compute",
    .summary = "Speed up or slow down compute",
    .ignores =
        "contention of compute and communication for CPU cores, and for the device where the capture does not show it",
    .parameters = kComputeParameters,
    .selected = selected_by<compute_tasks>,
    .apply = apply_compute,
};

}  // namespace stepsim::scenarios
