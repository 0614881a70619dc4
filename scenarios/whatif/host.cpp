#include <algorithm>
#include <array>

#include "scenarios/change/plan.h"
#include "scenarios/change/selection.h"
#include "scenarios/change/what_if.h"

// A faster or slower host: all that its processor does takes a factor of its time.

namespace stepsim::scenarios {
namespace {

constexpr std::array kHostParameters{
    Parameter{"scale", "a number such as 0.8 from 0",
              "of the durations of host work: framework, Python, calls of the device's runtime", "1"},
};

std::vector<TaskId> selected_host_work(const Selector& selector, const Capture& capture) {
  std::vector<TaskId> tasks = selector.select(capture);
  std::erase_if(tasks, [&capture](TaskId task) { return !is_host_work(capture.dag, task); });
  return tasks;
}

/// Throws InputError at `value` if none of the selected tasks is host work.
void scale_selected(const Capture& capture, const Selector& selector, const YamlField& value, double factor,
                    std::vector<Duration>& durations) {
  const std::vector<TaskId> tasks = selected_host_work(selector, capture);
  if (tasks.empty() && !selector.is_all())
    value.fail("what is selected is no work of a host's processor; expected some that is");
  if (tasks.empty())
    cannot_answer(value, "the capture shows no work of a host's processor; expected a trace with CPU activities");
  for (const TaskId task : tasks) durations[task.index()] = scaled(durations[task.index()], factor);
}

void apply_host(const Change& change, Plan& plan) {
  const YamlField* const value = change.find("scale");
  if (value == nullptr) return;
  const double factor = scale_of(*value, 0);
  plan.host_known = true;
  if (factor == 1) return;
  plan.rules.emplace_back(
      [selector = change.selector(), value = *value, factor](const Capture& capture, std::vector<Duration>& durations) {
        scale_selected(capture, selector, value, factor, durations);
      });
}

}  // namespace

extern const WhatIf host_what_if;
const WhatIf host_what_if{
    .name = "host",
    .summary = "a faster or slower host processor",
    .ignores = "that cores, caches and memory bandwidth differ between processors by the kind of work",
    .parameters = kHostParameters,
    .selected = selected_by<selected_host_work>,
    .apply = apply_host,
};

}  // namespace stepsim::scenarios
