#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "scenarios/change/plan.h"
#include "scenarios/change/what_if.h"

// What-if `launch`: changes the CPU time of launches, for example to none (CUDA graphs), or to more (a slower CPU).

namespace stepsim::scenarios {
namespace {

constexpr std::array kLaunchParameters{
    Parameter{"overhead", value::time("2us") | value::factor("0.5x"), "CPU time per launch", "1x"},
};

/// The longest time of a call that counts as launch overhead. A launch takes a few microseconds; in a longer call, the
/// rest of the time goes to loading code, which happens once, or to waiting.
constexpr Duration kLongestOverhead{100'000};

/// Calls `use` with the target of each edge of this kind from `task`, until `use` returns true. Returns true if it did.
template <class Use>
bool any_edge(const Dag& dag, TaskId task, EdgeKind kind, Use use) {
  const auto edges = dag.edges_from(task);
  return std::any_of(edges.begin(), edges.end(),
                     [&](EdgeId edge) { return dag.edge_kind(edge) == kind && use(dag.target(edge)); });
}

/// True for a copy whose launching call waits for its end. Such a call spends its time copying through a staging
/// buffer, not launching.
bool blocks(const Dag& dag, TaskId copy) {
  const auto to_host = [&dag](TaskId after) { return dag.lane(after).kind == LaneKind::kThread; };
  return dag.kind(copy) == TaskKind::kCopy && any_edge(dag, copy, EdgeKind::kSync, to_host);
}

bool launches(const Dag& dag, TaskId task) {
  if (dag.kind(task) != TaskKind::kRuntime) return false;
  return any_edge(dag, task, EdgeKind::kLaunch, [&dag](TaskId work) { return !blocks(dag, work); });
}

/// Finds the tasks of launching calls. If the launched work begins before the call returns, the call is two tasks in
/// the graph: the second one has the same name but launches nothing.
class Launches {
 public:
  explicit Launches(const Dag& dag) : dag_(dag), parts_(dag.task_count(), false) {
    for (const TaskId task : dag.tasks()) {
      if (!launches(dag, task)) continue;
      any_ = parts_[task.index()] = true;
      (void)any_edge(dag, task, EdgeKind::kProgram, [&](TaskId next) {
        parts_[next.index()] = parts_[next.index()] || is_rest(task, next);
        return false;
      });
    }
  }
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] bool is_part(TaskId task) const { return parts_[task.index()]; }

 private:
  [[nodiscard]] bool is_rest(TaskId launch, TaskId next) const {
    const auto anything = [](TaskId) { return true; };
    return dag_.kind(next) == TaskKind::kRuntime && dag_.name_id(next) == dag_.name_id(launch) &&
           !any_edge(dag_, next, EdgeKind::kLaunch, anything);
  }

  const Dag& dag_;
  std::vector<bool> parts_;  ///< indexed by task: true for a task of a launching call
  bool any_ = false;
};

/// Returns those selected tasks that are calls that launch device work, or parts of such calls.
std::vector<TaskId> selected_launches(const Selector& selector, const Capture& capture) {
  const Launches all(capture.dag);
  std::vector<TaskId> tasks = selector.select(capture);
  std::erase_if(tasks, [&all](TaskId task) { return !all.is_part(task); });
  return tasks;
}

void set_overhead(const Capture& capture, const YamlField& value, const Selector& selector,
                  std::vector<Duration>& durations) {
  const Dag& dag = capture.dag;
  const Launches all(dag);
  if (!all.any()) {
    cannot_answer(value,
                  "the capture has no launches of device work; expected a trace with CPU and CUDA activities together");
  }
  const std::optional<double> factor = factor_of(value);
  for (const TaskId task : selector.select(capture)) {
    if (!all.is_part(task)) continue;
    Duration& duration = durations[task.index()];
    const Duration overhead = std::min(duration, kLongestOverhead);
    const Duration other = duration - overhead;
    duration = other + (factor ? scaled(overhead, *factor) : launches(dag, task) ? value.duration() : Duration{});
  }
}

void apply_launch(const Change& change, Plan& plan) {
  const YamlField* const value = change.find("overhead");
  if (value == nullptr || factor_of(*value) == 1.0) return;
  if (!factor_of(*value)) (void)value->duration();
  plan.add_rule(
      Plan::Turn::kTimes,
      [selector = change.selector(), value = *value](const Capture& capture, std::vector<Duration>& durations) {
        set_overhead(capture, value, selector, durations);
      },
      &change);
}

}  // namespace

extern const WhatIf launch_what_if{
    .name = "launch",
    .summary = "Change the launch overhead; 0us is close to CUDA graphs",
    .ignores =
        "framework time around a launch, device time between two kernels, and call time beyond 100 us (loading code, "
        "waiting)",
    .parameters = kLaunchParameters,
    .asks = {sim::Question::kHost},
    .selected = selected_by<selected_launches>,
    .apply = apply_launch,
};

}  // namespace stepsim::scenarios
