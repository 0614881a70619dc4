#ifndef STEPSIM_SCENARIOS_CHANGE_COMPUTE_TASKS_H
#define STEPSIM_SCENARIOS_CHANGE_COMPUTE_TASKS_H

#include <vector>

#include "scenarios/change/selector.h"

namespace stepsim::scenarios {

/// The tasks that a change of compute applies to, ascending. A selection by kind, layer or name means the tasks
/// that it selects, without communication, whose time depends on the network. Any other selection means compute
/// tasks: device work and operators, or the work of host threads on a rank that shows neither. Never empty:
/// throws InputError at the selection, as Selector::select() does.
[[nodiscard]] std::vector<TaskId> compute_tasks(const Selector& selector, const Capture& capture);

}  // namespace stepsim::scenarios

#endif
