#ifndef STEPSIM_SIM_MACHINE_H
#define STEPSIM_SIM_MACHINE_H

#include <span>
#include <utility>
#include <vector>

#include "model/dag.h"
#include "model/units.h"

namespace stepsim::sim {

/// The models a replay runs under: how long each task takes and when the ranks begin. The
/// one place where models are wired to a dag. Today: recorded durations; device and network
/// models join here.
class Machine {
 public:
  /// Recorded durations, tasks without predecessors starting at 0.
  explicit Machine(const Dag& dag) : dag_(&dag) {}

  [[nodiscard]] Duration duration(TaskId task) const noexcept { return dag_->duration(task); }

  /// When a task without predecessors may start: the only recorded start times a replay uses.
  [[nodiscard]] Time origin(TaskId task) const noexcept;
  /// Sets the start of tasks without predecessors. Ascending by task.
  void set_origins(std::vector<std::pair<TaskId, Time>> origins) { origins_ = std::move(origins); }

 private:
  const Dag* dag_;
  std::vector<std::pair<TaskId, Time>> origins_;
};

}  // namespace stepsim::sim

#endif
