#include "scenarios/change/host_work.h"

#include "scenarios/change/plan.h"

namespace stepsim::scenarios {

bool is_host_work(const Dag& dag, TaskId task) noexcept { return class_of(dag.kind(task)) == TaskClass::kHost; }

void scale_host_work(const Dag& dag, double factor, std::vector<Duration>& durations) {
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    if (is_host_work(dag, TaskId{i})) durations[i] = scaled(durations[i], factor);
  }
}

}  // namespace stepsim::scenarios
