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

/// The tasks that a change applies to: their number and recorded time, compared with all tasks of the same category.
struct Selection {
  struct Part {
    sim::PathClass of = sim::PathClass::kHost;
    std::size_t tasks = 0;
    Duration time{};  ///< time of the selected tasks, over the whole capture and all ranks
    Duration all{};   ///< time of all tasks of this category
  };
  std::string change;
  std::vector<Part> parts;  ///< categories with selected tasks, in order of PathClass
  std::string hint;         ///< the selection that was probably meant instead; usually empty
};

/// Returns the selection of a change. Returns nothing if the change has no selection, or if no selected task is in
/// `capture`, because earlier changes add it. O(tasks).
[[nodiscard]] std::optional<Selection> selection_of(const Change& change, const Capture& capture);

/// Returns "gemm.*: 120 tasks, 32.1 ms of 105.2 ms of compute (30.5 %)", without the change.
[[nodiscard]] std::string text_of(const Selection& selection);

/// Returns the tasks that a change of compute applies to, in ascending order. A selection by kind, layer or name
/// applies to the tasks it selects except communication, whose time depends on the network. Any other selection applies
/// to compute tasks: device work and operators, or the work of host threads on a rank that has neither. If there are
/// none, throws InputError at the selection, as Selector::select() does.
[[nodiscard]] std::vector<TaskId> compute_tasks(const Selector& selector, const Capture& capture);

/// True if a task is work of a host's processor: framework and Python work, and calls of the device's runtime. The
/// duration of such a call does not include its waiting.
[[nodiscard]] bool is_host_work(const Dag& dag, TaskId task) noexcept;

/// Multiplies the durations of all host work; `durations` are indexed by TaskId. Precondition: factor >= 0. O(tasks).
void scale_host_work(const Dag& dag, double factor, std::vector<Duration>& durations);

}  // namespace stepsim::scenarios

#endif
