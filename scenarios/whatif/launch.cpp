#include <array>
#include <optional>

#include "scenarios/change/what_if.h"

// Another launch overhead: none, as with CUDA graphs, or more, as on a slow processor.

namespace stepsim::scenarios {
namespace {

constexpr std::array kParameters{
    Parameter{"overhead", "a time such as 2us, or a factor such as 0.5x", "the host's time for each launch", "1x"},
};

bool launches(const Dag& dag, TaskId task) {
  if (dag.kind(task) != TaskKind::kRuntime) return false;
  for (EdgeId edge = dag.first_edge(task); edge < dag.first_edge(TaskId{task.index() + 1});
       edge = EdgeId{edge.index() + 1}) {
    if (dag.edge_kind(edge) == EdgeKind::kLaunch) return true;
  }
  return false;
}

/// Finds the tasks of launching calls. A call whose work begins before it returns is two tasks, of which the second
/// launches nothing but has the name of a launching call.
class Launches {
 public:
  explicit Launches(const Dag& dag) : dag_(dag), named_(dag.name_count(), false) {
    for (std::size_t i = 0; i < dag.task_count(); ++i) {
      if (!launches(dag, TaskId{i})) continue;
      named_[dag.name_id(TaskId{i}).index()] = true;
      any_ = true;
    }
  }
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] bool is_part(TaskId task) const {
    return dag_.kind(task) == TaskKind::kRuntime && named_[dag_.name_id(task).index()];
  }

 private:
  const Dag& dag_;
  std::vector<bool> named_;  ///< by NameId
  bool any_ = false;
};

void set_overhead(const Capture& capture, const YamlField& value, const Selector& selector,
                  std::vector<Duration>& durations) {
  const Dag& dag = capture.dag;
  const Launches all(dag);
  if (!all.any()) {
    value.fail("the capture shows no launches of device work; expected a trace with CPU and CUDA activities together");
  }
  const std::optional<double> factor = factor_of(value);
  for (const TaskId task : selector.select(capture)) {
    if (!all.is_part(task)) continue;
    Duration& duration = durations[task.index()];
    duration = factor ? scaled(duration, *factor) : launches(dag, task) ? value.duration() : Duration{};
  }
}

void apply(const Change& change, Plan& plan) {
  const YamlField* const value = change.find("overhead");
  if (value == nullptr || factor_of(*value) == 1.0) return;
  if (!factor_of(*value)) (void)value->duration();
  plan.rules.emplace_back(
      [selector = change.selector(), value = *value](const Capture& capture, std::vector<Duration>& durations) {
        set_overhead(capture, value, selector, durations);
      });
}

}  // namespace

extern const WhatIf launch_what_if;
const WhatIf launch_what_if{
    .name = "launch",
    .summary = "another launch overhead: 0us is close to CUDA graphs",
    .ignores = "the framework's time around a launch, and the device's time between two kernels",
    .parameters = kParameters,
    .selects = true,
    .apply = apply,
};

}  // namespace stepsim::scenarios
