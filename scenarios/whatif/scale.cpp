#include <algorithm>
#include <array>

#include "scenarios/change/batch_growth.h"
#include "scenarios/change/plan.h"
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
    .selected = selected_by<compute_tasks>,
    .apply = apply_compute,
};

// What-if `host`: runs the job on a faster or slower CPU. All selected CPU work is scaled by a factor.

namespace {

constexpr std::array kHostParameters{
    Parameter{"scale", "a number such as 0.8 from 0", "factor on CPU work: framework, Python, CUDA calls", "1"},
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

void apply_host(const Change& change, Plan& plan) {
  const YamlField* const value = change.find("scale");
  if (value == nullptr) return;
  const double factor = scale_of(*value, 0);
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
        "than 1 ms that allocate, free or start the driver keep their times",
    .parameters = kHostParameters,
    .asks = {sim::Question::kHost},
    .selected = selected_by<selected_host_work>,
    .apply = apply_host,
};

// What-if `batch`: changes the batch size per worker.

namespace {

constexpr std::array kBatchParameters{
    Parameter{"scale", "a number such as 2 above 0", "factor on the samples per worker and step", "1"},
};

void apply_batch(const Change& change, Plan& plan) {
  if (const YamlField* const value = change.find("scale"))
    ask_for_samples(change, *value, scale_of(*value, 1e-6), 1, plan);
}

}  // namespace

extern const WhatIf batch_what_if{
    .name = "batch",
    .summary = "Change the batch size: compute and activations grow with it, gradients and the optimizer do not",
    .ignores = "CPU work per sample, and, where the memory that it needs is not known, whether the batch fits",
    .parameters = kBatchParameters,
    .asks = {sim::Question::kDevice},
    .apply = apply_batch,
    .sets_samples = true,
};

}  // namespace stepsim::scenarios
