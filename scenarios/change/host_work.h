#ifndef STEPSIM_SCENARIOS_CHANGE_HOST_WORK_H
#define STEPSIM_SCENARIOS_CHANGE_HOST_WORK_H

#include <vector>

#include "model/job/recording.h"
#include "scenarios/change/selector.h"

namespace stepsim::scenarios {

/// Whether a task is work of a host's processor: framework and Python work, and calls into the device's runtime. What
/// such a call waits for is no part of its duration.
[[nodiscard]] bool is_host_work(const Dag& dag, TaskId task) noexcept;

/// Multiplies the durations of all host work, by TaskId. Precondition: factor >= 0. O(tasks).
void scale_host_work(const Dag& dag, double factor, std::vector<Duration>& durations);

}  // namespace stepsim::scenarios

#endif
