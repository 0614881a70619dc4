#include "scenarios/change/host_work.h"

#include "scenarios/change/plan.h"

namespace stepsim::scenarios {

bool is_host_work(const Dag& dag, TaskId task) noexcept { return class_of(dag.kind(task)) == TaskClass::kHost; }

void scale_host_work(const Dag& dag, double factor, std::vector<Duration>& durations) {
  for (const TaskId task : dag.tasks()) {
    if (is_host_work(dag, task)) durations[task.index()] = scaled(durations[task.index()], factor);
  }
}

}  // namespace stepsim::scenarios
