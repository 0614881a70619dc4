#include "scenarios/change/batch_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "model/base/text.h"
#include "model/cost/device/device_work.h"
#include "scenarios/change/device_rule.h"
#include "scenarios/change/graph_edits.h"
#include "scenarios/change/plan.h"
#include "scenarios/change/selection.h"

namespace stepsim::scenarios {
namespace {

/// True for an operator that updates parameters. Forward operators are named FW.LAYER, backward ones BW.LAYER, and
/// updates UPDATE.LAYER or STEP.
bool is_update(std::string_view name) { return name.starts_with("UPDATE") || name.starts_with("STEP"); }

bool grows(const Dag& dag, TaskId task) { return !is_update(dag.name(task)); }

bool carries_activations(const Collective& collective) {
  return collective.of_activations || collective.op == CollectiveOp::kSendRecv ||
         collective.op == CollectiveOp::kAllToAll;
}

/// True if the task is part of a message that carries activations. (If a network model times messages, the recorded
/// durations of these tasks are not used.)
bool is_activation_message(const Dag& dag, TaskId task) {
  return dag.rendezvous(task).valid() && carries_activations(dag.collective(dag.rendezvous(task)));
}

void scale_messages(const Dag& dag, double factor, std::vector<Duration>& durations) {
  for (const TaskId task : dag.tasks()) {
    if (is_activation_message(dag, task)) durations[task.index()] = scaled(durations[task.index()], factor);
  }
}

/// Multiplies the durations of compute on samples, which is all compute except updates of parameters. Throws
/// CannotAnswer at `value` if the capture has none.
void scale_compute(const Capture& capture, const YamlField& value, double factor, std::vector<Duration>& durations) {
  std::vector<TaskId> tasks = compute_tasks(Selector::of_all(value), capture);
  std::erase_if(tasks, [&capture](TaskId task) { return !grows(capture.dag, task); });
  if (tasks.empty()) {
    cannot_answer(value, "the capture has no forward or backward compute; expected a trace with operators or kernels");
  }
  for (const TaskId task : tasks) durations[task.index()] = scaled(durations[task.index()], factor);
}

/// Adds a rule that scales the durations of operators, for captures that have operators but no kernels.
void grow_in_proportion(const YamlField& value, double factor, Plan& plan) {
  plan.add_rule(Plan::Turn::kBatch, [factor, value](const Capture& capture, std::vector<Duration>& durations) {
    scale_compute(capture, value, factor, durations);
  });
  plan.assumptions.push_back(
      {"proportional_compute",
       "Compute time is proportional to the number of samples, and gradients keep their sizes."});
}

/// The change of device work if a step has more or fewer samples.
class OtherBatch final : public DeviceRule {
 public:
  OtherBatch(const Change& change, const YamlField& value, const Plan& plan, SampleGrowth growth)
      : DeviceRule(change, value, plan, "the optimizer, operators on parameters and gradients alone, and collectives"),
        growth_(std::move(growth)) {}

 private:
  [[nodiscard]] DeviceWork changed(const DeviceWork& piece) const override { return growth_.grown(piece); }

  SampleGrowth growth_;
};

/// Adds a rule that scales kernels with the number of samples. If `shapes` is true, the tensor shapes of a kernel's
/// operator show how much its work grows. Otherwise all kernels except those of the optimizer and of collectives grow
/// in proportion to the samples, and their error range is as wide as that of kernels about which nothing is known.
void grow_kernels(const Change& change, const YamlField& value, double factor, bool shapes, Plan& plan) {
  SampleGrowth growth(plan.captured->operators, factor);
  const std::size_t parameters = growth.parameters();
  plan.add_rule(Plan::Turn::kBatch, std::make_shared<const OtherBatch>(change, value, plan, std::move(growth)));
  if (!shapes) {
    plan.assumptions.push_back({"proportional_compute",
                                "No operator has shapes, so the time of all kernels except the optimizer's and "
                                "collectives is proportional to the number of samples."});
    return;
  }
  plan.assumptions.push_back(
      {"sample_tensors",
       fmt::format("Tensors with two dimensions or more hold samples, unless a parameter has the same sizes "
                   "({} found); work on them grows by roofline, and CPU time stays the same.",
                   counted(parameters, "parameter"))});
}

/// Adds the rules of grow_batch().
void grow_work(const Change& change, const YamlField& value, double factor, Plan& plan) {
  const Capture& captured = *plan.captured;
  const auto& operators = captured.operators.operators;
  if (std::any_of(operators.begin(), operators.end(), [](const auto& op) { return !op.inputs.empty(); })) {
    grow_kernels(change, value, factor, true, plan);
  } else if (has_kernels(captured) && captured.devices.empty()) {
    grow_kernels(change, value, factor, false, plan);
  } else if (has_kernels(captured)) {
    cannot_answer(value,
                  "without operator shapes it is unknown which kernels depend on the batch; expected a trace with "
                  "record_shapes=True");
  } else {
    grow_in_proportion(value, factor, plan);
  }
  plan.add_rule(Plan::Turn::kBatch, [factor](const Capture& capture, std::vector<Duration>& durations) {
    scale_messages(capture.dag, factor, durations);
    for (const TaskId task : capture.dag.tasks()) {  // the loader takes longer for a batch of more samples
      if (capture.dag.kind(task) == TaskKind::kLoader)
        durations[task.index()] = scaled(durations[task.index()], factor);
    }
  });
}

}  // namespace

void ask_for_samples(const Change& change, const YamlField& value, double factor, double parts, Plan& plan) {
  plan.batches *= factor;
  plan.at_once = {plan.at_once.samples * factor / parts, &change, &value};
}

void grow_batch(const Change& change, const YamlField& value, double factor, double element, Plan& plan) {
  constexpr double kRounding = 1e-9;
  const std::optional<std::uint32_t> captured = plan.captured->job.batch_size;
  if (captured && factor * *captured < 1 - kRounding) {
    cannot_answer(value, fmt::format("{:.3g} samples would be computed at once; expected at least 1: more samples, or "
                                     "fewer microbatches",
                                     factor * *captured));
  }
  if (factor != 1) grow_work(change, value, factor, plan);
  const double bytes = factor * element;
  if (bytes == 1) return;
  plan.add_edit(
      change, [bytes](const Capture& capture) { return with_payloads(capture, carries_activations, bytes); }, bytes);
}

}  // namespace stepsim::scenarios
