#include "scenarios/change/compute_tasks.h"

#include <set>

namespace stepsim::scenarios {
namespace {

/// The ranks that have compute tasks beside the work of their host threads.
std::set<Rank> ranks_with_compute(const Dag& dag) {
  std::set<Rank> ranks;
  for (const TaskId task : dag.tasks()) {
    if (class_of(dag.kind(task)) == TaskClass::kCompute) ranks.insert(dag.lane(task).rank);
  }
  return ranks;
}

}  // namespace

std::vector<TaskId> compute_tasks(const Selector& selector, const Capture& capture) {
  const Dag& dag = capture.dag;
  std::vector<TaskId> tasks = selector.select(capture);
  const std::set<Rank> computes = ranks_with_compute(dag);
  std::erase_if(tasks, [&](TaskId task) {
    switch (class_of(dag.kind(task))) {
      case TaskClass::kCompute: return false;
      case TaskClass::kCommunication: return true;
      case TaskClass::kHost: break;
    }
    return !selector.selects_work() && computes.contains(dag.lane(task).rank);
  });
  if (tasks.empty()) selector.fail(capture, "only communication, whose time depends on the network");
  return tasks;
}

}  // namespace stepsim::scenarios
