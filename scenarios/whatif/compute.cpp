#include <array>
#include <vector>

#include "scenarios/change/plan.h"
#include "scenarios/change/selection.h"
#include "scenarios/change/what_if.h"

// What-if `compute`: makes compute tasks longer or shorter, by a factor and by a time added to each task.

namespace stepsim::scenarios {
namespace {

constexpr std::array kComputeParameters{
    Parameter{"scale", value::scale_from(0, "1.5"), "factor on the durations of the selected tasks", "1"},
    Parameter{"add", value::time("10us"), "time to add to each selected task", "0us"},
};

void apply_compute(const Change& change, Plan& plan) {
  double factor = 1;
  change.read("scale", factor);
  Duration extra{};
  change.read("add", extra);
  const auto add_rule = [&](Plan::Turn turn, double by, Duration more) {
    plan.add_rule(
        turn,
        [selector = change.selector(), by, more](const Capture& capture, std::vector<Duration>& durations) {
          for (const TaskId task : compute_tasks(selector, capture))
            durations[task.index()] = scaled(durations[task.index()], by) + more;
        },
        &change);
  };
  if (factor != 1 || extra == Duration{}) add_rule(Plan::Turn::kFactors, factor, {});
  if (extra != Duration{}) add_rule(Plan::Turn::kTimes, 1, extra);
}

}  // namespace

extern const WhatIf compute_what_if{
    .name = "compute",
    .summary = "Speed up or slow down compute",
    .ignores =
        "contention of compute and communication for CPU cores, and for the device where the capture does not show it",
    .parameters = kComputeParameters,
    .kind = kind_is<AnswerKind::kStraggler>,
    .selected = selected_by<compute_tasks>,
    .apply = apply_compute,
};

}  // namespace stepsim::scenarios
