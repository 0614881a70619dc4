#ifndef STEPSIM_SIM_EXPORT_TASKS_BY_LANE_H
#define STEPSIM_SIM_EXPORT_TASKS_BY_LANE_H

#include <cstdint>
#include <span>
#include <vector>

#include "model/job/dag.h"

namespace stepsim::sim {

/// The tasks of each lane, ascending. 4 bytes a task.
class TasksByLane {
 public:
  explicit TasksByLane(const Dag& dag);
  [[nodiscard]] std::span<const TaskId> of(LaneId lane) const noexcept {
    return {tasks_.data() + begin_[lane.index()], begin_[lane.index() + 1] - begin_[lane.index()]};
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<TaskId> tasks_;
};

}  // namespace stepsim::sim

#endif
