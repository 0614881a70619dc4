#ifndef STEPSIM_SIM_ANALYSIS_TASK_LIST_H
#define STEPSIM_SIM_ANALYSIS_TASK_LIST_H

#include <cstddef>
#include <string>
#include <vector>

#include "model/job/kernel_class.h"
#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// Tasks that one selection means, and their recorded time over the whole capture.
struct TaskGroup {
  std::string name;  ///< of the tasks, the kind, the class or the operator
  TaskKind kind = TaskKind::kHost;
  PathClass part = PathClass::kHost;                 ///< of a step's time
  KernelClass kernel_class = KernelClass::kUnknown;  ///< of device work
  std::size_t tasks = 0;
  Duration total{};
  Duration shortest = Duration::max();
  Duration longest{};
  double share = 0;  ///< of the time of all tasks of its part
};

/// What can be selected in a capture; each list by total time, the largest first.
struct TaskList {
  std::size_t tasks = 0;
  std::vector<TaskGroup> kinds;
  std::vector<TaskGroup> classes;    ///< of device work
  std::vector<TaskGroup> operators;  ///< by the device work that they launch; empty where shapes were not recorded
  /// By the device work that is launched inside; work inside several counts in each. Empty where nothing was annotated.
  std::vector<TaskGroup> annotations;
  std::vector<TaskGroup> modules;  ///< the same, of their forward pass
  std::vector<TaskGroup> names;    ///< one a name and kind
};

/// Groups `tasks` of the capture. O(tasks + names log names).
[[nodiscard]] TaskList list_tasks(const Capture& capture, const std::vector<TaskId>& tasks);
/// The same with the time that each task took in a replay, waiting in collectives left out. Precondition: `timeline` is
/// of capture.dag.
[[nodiscard]] TaskList list_tasks(const Capture& capture, const std::vector<TaskId>& tasks, const Timeline& timeline);

}  // namespace stepsim::sim

#endif
