#ifndef STEPSIM_SIM_MACHINE_H
#define STEPSIM_SIM_MACHINE_H

#include <utility>
#include <vector>

#include "model/dag.h"
#include "model/recording.h"
#include "model/units.h"

namespace stepsim::sim {

/// The models a replay runs under: how long each task takes and when the ranks begin. The
/// one place where models are wired to a dag. Today: recorded durations; device and network
/// models join here. Refers to the dag, which must outlive it.
class Machine {
 public:
  /// Recorded durations, tasks without predecessors starting at 0.
  explicit Machine(const Dag& dag) : dag_(&dag) {}

  /// Recorded durations; a task without predecessors starts when its rank's first task did,
  /// counted from the start of the earliest rank. These are the only recorded start times
  /// that a replay uses. O(tasks).
  [[nodiscard]] static Machine as_recorded(const Capture& capture);

  [[nodiscard]] Duration duration(TaskId task) const noexcept { return dag_->duration(task); }

  /// When a task without predecessors may start; 0 if set_origins() does not name it.
  [[nodiscard]] Time origin(TaskId task) const noexcept;
  /// Sets the start of tasks without predecessors. Precondition: ascending by task.
  void set_origins(std::vector<std::pair<TaskId, Time>> origins) { origins_ = std::move(origins); }

 private:
  const Dag* dag_;
  std::vector<std::pair<TaskId, Time>> origins_;
};

}  // namespace stepsim::sim

#endif
