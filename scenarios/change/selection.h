#ifndef STEPSIM_SCENARIOS_CHANGE_SELECTION_H
#define STEPSIM_SCENARIOS_CHANGE_SELECTION_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/job/recording.h"
#include "scenarios/change/selector.h"
#include "scenarios/change/what_if.h"
#include "sim/analysis/critical_path.h"

namespace stepsim::scenarios {

/// The tasks that a change applies to, for reports: for each category (compute, communication, ...), their number,
/// their recorded time, and the time of all tasks of the category.
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

/// Returns the tasks of `capture` that a change applies to. Returns nothing if the change does not select tasks, or if
/// none of the selected tasks is in `capture`, for example because an earlier change adds them. O(tasks).
[[nodiscard]] std::optional<Selection> selection_of(const Change& change, const Capture& capture);

/// Returns "120 tasks, 32.1 ms of 105.2 ms of compute (30.5 %)". The text does not name the change.
[[nodiscard]] std::string text_of(const Selection& selection);

/// Returns the tasks that a change of compute applies to, in ascending order. If the selector selects by what a task
/// does (selects_work()), these are all selected tasks except communication, whose time depends on the network. For any
/// other selector they are the selected compute tasks: device work and operators, or the work of CPU threads on a rank
/// that has neither. If there are none, throws InputError at the selection, as Selector::select() does.
[[nodiscard]] std::vector<TaskId> compute_tasks(const Selector& selector, const Capture& capture);

/// True if a task is CPU work: framework and Python work, and calls of the device's runtime. The duration of such a
/// call does not include the time in which it waits.
[[nodiscard]] bool is_host_work(const Dag& dag, TaskId task) noexcept;

/// True for a call of the device's runtime that takes so long that a faster CPU would hardly shorten it: more than 1
/// ms, and it launches nothing. It allocates or frees memory, waits for the device, or starts the driver.
[[nodiscard]] bool is_long_call(TaskKind kind, std::string_view name, Duration duration) noexcept;

/// Multiplies the durations of all CPU work (is_host_work()) by `factor`. `durations` are indexed by TaskId.
/// Precondition: factor >= 0. O(tasks).
void scale_host_work(const Dag& dag, double factor, std::vector<Duration>& durations);

/// Multiplies what pauses (Recording::pauses) added to the durations of tasks by `factor`: of the pauses of `tasks`,
/// ascending, or of all if that is null. `durations` are indexed by TaskId. Precondition: factor >= 0. O(pauses log
/// tasks).
void scale_pauses(const Capture& capture, const std::vector<TaskId>* tasks, double factor,
                  std::vector<Duration>& durations);

}  // namespace stepsim::scenarios

#endif
