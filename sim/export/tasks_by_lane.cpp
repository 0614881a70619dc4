#include "sim/export/tasks_by_lane.h"

#include <numeric>

namespace stepsim::sim {

TasksByLane::TasksByLane(const Dag& dag) : begin_(dag.lanes().size() + 1), tasks_(dag.task_count()) {
  for (std::size_t i = 0; i < dag.task_count(); ++i) ++begin_[dag.lane_id(TaskId{i}).index()];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  for (std::size_t i = dag.task_count(); i-- > 0;) tasks_[--begin_[dag.lane_id(TaskId{i}).index()]] = TaskId{i};
}

}  // namespace stepsim::sim
