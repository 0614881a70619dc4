#include <algorithm>
#include <array>

#include "model/capture_edit.h"
#include "scenarios/computing.h"
#include "scenarios/what_if.h"

// Another batch size a worker. What a step does with samples grows with their number; what it
// does with parameters does not: the optimizer, and the reduction of gradients, whose sizes are
// the parameters'. Messages between the stages of a pipeline, and what ranks exchange all to
// all, carry activations and grow.

namespace stepsim::scenarios {
namespace {

constexpr std::array kParameters{
    Parameter{"scale", "a number such as 2 above 0", "of the samples that a worker takes in a step", "1"},
};

/// Between the pieces of a step that are called FW.LAYER, BW.LAYER and UPDATE.LAYER.
bool is_update(std::string_view name) { return name.starts_with("UPDATE") || name.starts_with("STEP"); }

bool grows(const Dag& dag, TaskId task) { return !is_update(dag.name(task)); }

bool carries_activations(const Collective& collective) {
  return collective.op == CollectiveOp::kSendRecv || collective.op == CollectiveOp::kAllToAll;
}

Bytes scaled(Bytes bytes, double factor) {
  return Bytes{std::max(std::int64_t{1}, scenarios::scaled(Duration{bytes.count()}, factor).count())};
}

/// Messages that carry activations, with other sizes.
Capture with_larger_messages(const Capture& capture, double factor) {
  CaptureEdit edit(capture);
  for (std::size_t i = 0; i < capture.dag.rendezvous_count(); ++i) {
    Collective& collective = edit.builder().collective(RendezvousId{i});
    if (!carries_activations(collective) || collective.bytes == Bytes{}) continue;
    collective.bytes = scaled(collective.bytes, factor);
    for (const TaskId member : capture.dag.members(RendezvousId{i})) {
      Bytes& bytes = edit.builder().task(member).bytes;
      bytes = bytes == Bytes{} ? bytes : scaled(bytes, factor);
    }
  }
  return std::move(edit).finish();
}

/// Whether a task's recorded duration is that of a message that carries activations. Where a
/// network model times it, that duration is not used.
bool is_activation_message(const Dag& dag, TaskId task) {
  return dag.rendezvous(task).valid() && carries_activations(dag.collective(dag.rendezvous(task)));
}

/// Throws, at `value`, where nothing is seen to compute on samples.
void scale_durations(const Capture& capture, const YamlField& value, double factor, std::vector<Duration>& durations) {
  const Dag& dag = capture.dag;
  std::vector<TaskId> tasks = computing(Selector::of_all(value), capture);
  std::erase_if(tasks, [&dag](TaskId task) { return !grows(dag, task); });
  if (tasks.empty()) {
    value.fail("the capture shows no forward or backward compute; expected a trace with operators or kernels");
  }
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    if (is_activation_message(dag, TaskId{i})) tasks.emplace_back(i);
  }
  for (const TaskId task : tasks) durations[task.index()] = scenarios::scaled(durations[task.index()], factor);
}

void apply(const Change& change, Plan& plan) {
  const YamlField* const value = change.find("scale");
  const double factor = value == nullptr ? 1 : scale_of(*value, 1e-6);
  if (factor == 1) return;
  plan.rules.emplace_back([factor, value = *value](const Capture& capture, std::vector<Duration>& durations) {
    scale_durations(capture, value, factor, durations);
  });
  plan.edits.emplace_back([factor](const Capture& capture) { return with_larger_messages(capture, factor); });
  plan.structure += change.to_text() + '\n';
  plan.assumptions.push_back(
      "compute on samples takes time in proportion to their number, and gradients have the sizes they had");
}

}  // namespace

extern const WhatIf batch_what_if;
const WhatIf batch_what_if{
    .name = "batch",
    .summary = "another batch size: compute and activations grow with it, gradients and the optimizer do not",
    .ignores = "that small kernels fill a device better with more to do, and that memory ends",
    .parameters = kParameters,
    .apply = apply,
};

}  // namespace stepsim::scenarios
