#include <algorithm>
#include <array>
#include <vector>

#include "scenarios/change/plan.h"
#include "scenarios/change/selection.h"
#include "scenarios/change/what_if.h"

// What-if `host`: runs the job on a faster or slower CPU, or on one that runs the job's threads without pauses. All
// selected CPU work is scaled by a factor, and what pauses added to it by another.

namespace stepsim::scenarios {
namespace {

constexpr std::array kHostParameters{
    Parameter{"scale", value::scale_from(0, "0.8"), "factor on CPU work: framework, Python, CUDA calls", "1"},
    Parameter{"pauses", value::scale_from(0, "0.5"),
              "factor on the time in which threads did not run; 0 = without pauses", "1"},
};

/// Returns the selected CPU work. A faster CPU does not shorten long calls, so these must be selected to be scaled.
std::vector<TaskId> selected_host_work(const Selector& selector, const Capture& capture) {
  std::vector<TaskId> tasks = selector.select(capture);
  std::erase_if(tasks, [&](TaskId task) {
    const Dag& dag = capture.dag;
    return !is_host_work(dag, task) ||
           (selector.is_all() && is_long_call(dag.kind(task), dag.name(task), dag.duration(task)));
  });
  return tasks;
}

/// Multiplies the durations of the selected CPU work by `factor`. Throws InputError at `value` if there is none.
void scale_selected(const Capture& capture, const Selector& selector, const YamlField& value, double factor,
                    std::vector<Duration>& durations) {
  const std::vector<TaskId> tasks = selected_host_work(selector, capture);
  if (tasks.empty() && !selector.is_all()) value.fail("the selection has no CPU work; expected a selection with some");
  if (tasks.empty()) cannot_answer(value, "the capture has no CPU work; expected a trace with CPU activities");
  for (const TaskId task : tasks) durations[task.index()] = scaled(durations[task.index()], factor);
}

std::vector<TaskId> selected_pauses(const Selector& selector, const Capture& capture) {
  std::vector<TaskId> tasks = selector.select(capture);
  const std::vector<Recording::Pause>& pauses = capture.recording.pauses;
  std::erase_if(
      tasks, [&pauses](TaskId task) { return !std::ranges::binary_search(pauses, task, {}, &Recording::Pause::task); });
  return tasks;
}

/// Returns the tasks that a change scales, or whose pauses it scales.
std::vector<TaskId> selected_tasks(const Change& change, const Capture& capture) {
  return change.find("scale") != nullptr ? selected_host_work(change.selector(), capture)
                                         : selected_pauses(change.selector(), capture);
}

/// Multiplies what the selected pauses added to durations by `factor`. Throws InputError at `value` if a selection has
/// none, or if the capture cannot have any.
void scale_selected_pauses(const Capture& capture, const Selector& selector, const YamlField& value, double factor,
                           std::vector<Duration>& durations) {
  const std::vector<TaskId> tasks = selected_pauses(selector, capture);
  if (tasks.empty() && !selector.is_all()) value.fail("the selection has no pause; expected a selection with some");
  if (tasks.empty() && selected_host_work(selector, capture).empty())
    cannot_answer(value, "the capture has no CPU work; expected a trace with CPU activities");
  scale_pauses(capture, &tasks, factor, durations);
}

void apply_pauses(const Change& change, Plan& plan) {
  double factor = 1;
  const YamlField* const value = change.read("pauses", factor);
  if (factor == 1) return;
  plan.pauses_known = true;
  plan.add_rule(
      Plan::Turn::kCapture,
      [selector = change.selector(), value = *value, factor](const Capture& capture, std::vector<Duration>& durations) {
        scale_selected_pauses(capture, selector, value, factor, durations);
      },
      &change);
}

void apply_host(const Change& change, Plan& plan) {
  apply_pauses(change, plan);
  double factor = 1;
  const YamlField* const value = change.read("scale", factor);
  if (value == nullptr) return;
  plan.host_known = true;
  if (factor == 1) return;
  plan.add_rule(
      Plan::Turn::kFactors,
      [selector = change.selector(), value = *value, factor](const Capture& capture, std::vector<Duration>& durations) {
        scale_selected(capture, selector, value, factor, durations);
      },
      &change);
}

}  // namespace

extern const WhatIf host_what_if{
    .name = "host",
    .summary = "Speed up or slow down the CPU",
    .ignores =
        "that CPUs differ in cores, caches and memory bandwidth, and so by the kind of work; calls of more "
        "than 1 ms that allocate, free or start the driver keep their times; that a faster CPU pauses as long",
    .parameters = kHostParameters,
    .asks = {sim::Question::kHost},
    .selected = selected_tasks,
    .apply = apply_host,
};

}  // namespace stepsim::scenarios
