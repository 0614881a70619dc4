#ifndef STEPSIM_SIM_ANALYSIS_TASK_LIST_H
#define STEPSIM_SIM_ANALYSIS_TASK_LIST_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/job/kernel_class.h"
#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// The tasks that one selection matches, and their recorded time over the whole capture.
struct TaskGroup {
  std::string name;  ///< name of the tasks, the kind, the class or the operator
  TaskKind kind = TaskKind::kHost;
  std::optional<PathClass> part;  ///< the class of a step's time that they belong to; absent if they are of several
  KernelClass kernel_class = KernelClass::kUnknown;  ///< class of device work; unknown for other work
  std::size_t tasks = 0;
  Duration total{};
  Duration shortest = Duration::max();
  Duration longest{};
  double share = 0;  ///< share of the time of all tasks with the same `part`, or of all tasks
};

/// The groups of tasks that can be selected in a capture. Each list is sorted by total time, the largest first.
struct TaskList {
  std::size_t tasks = 0;
  std::vector<TaskGroup> kinds;
  std::vector<TaskGroup> classes;  ///< classes of device work
  /// Operators, with the device work that they launch; empty if shapes were not recorded.
  std::vector<TaskGroup> operators;
  /// Annotations, with the device work launched inside them. Work inside several annotations counts in each of them.
  /// The list is empty if nothing was annotated.
  std::vector<TaskGroup> annotations;
  std::vector<TaskGroup> modules;  ///< like `annotations`, for the forward pass of modules
  std::vector<TaskGroup> names;    ///< one group per name and kind
};

/// Groups `tasks` of the capture. O(tasks + names log names).
[[nodiscard]] TaskList list_tasks(const Capture& capture, const std::vector<TaskId>& tasks);
/// Groups `tasks` with their times in a replay instead of the recorded times; waiting in collectives is left out.
/// Precondition: `timeline` is a replay of capture.dag.
[[nodiscard]] TaskList list_tasks(const Capture& capture, const std::vector<TaskId>& tasks, const Timeline& timeline);

}  // namespace stepsim::sim

#endif
