#ifndef STEPSIM_SCENARIOS_CHANGE_SELECTION_H
#define STEPSIM_SCENARIOS_CHANGE_SELECTION_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/job/recording.h"
#include "scenarios/change/selector.h"
#include "scenarios/change/what_if.h"
#include "sim/analysis/critical_path.h"

namespace stepsim::scenarios {

/// What a change applies to: how many tasks, and their recorded time, beside all tasks of the same part of a step.
struct Selection {
  struct Part {
    sim::PathClass of = sim::PathClass::kHost;
    std::size_t tasks = 0;
    Duration time{};  ///< of the selected tasks, over the whole capture and all ranks
    Duration all{};   ///< of all tasks of this part of a step's time
  };
  std::string change;
  std::vector<Part> parts;  ///< those with tasks, in the order of PathClass
  std::string hint;         ///< what was probably meant instead; mostly empty
};

/// Absent if no selection matters to the change, or if what it selects is not in `capture` (it may be in a graph that
/// changes before it made). O(tasks).
[[nodiscard]] std::optional<Selection> selection_of(const Change& change, const Capture& capture);

/// "gemm.*: 120 tasks, 32.1 ms of 105.2 ms of compute (30.5 %)", without the change.
[[nodiscard]] std::string text_of(const Selection& selection);

/// The tasks that a change of compute applies to, ascending. A selection by kind, layer or name means the tasks
/// that it selects, without communication, whose time depends on the network. Any other selection means compute
/// tasks: device work and operators, or the work of host threads on a rank that shows neither. Never empty:
/// throws InputError at the selection, as Selector::select() does.
[[nodiscard]] std::vector<TaskId> compute_tasks(const Selector& selector, const Capture& capture);

/// Whether a task is work of a host's processor: framework and Python work, and calls into the device's runtime. What
/// such a call waits for is no part of its duration.
[[nodiscard]] bool is_host_work(const Dag& dag, TaskId task) noexcept;

/// Multiplies the durations of all host work, by TaskId. Precondition: factor >= 0. O(tasks).
void scale_host_work(const Dag& dag, double factor, std::vector<Duration>& durations);

}  // namespace stepsim::scenarios

#endif
