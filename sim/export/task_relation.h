#ifndef STEPSIM_SIM_EXPORT_TASK_RELATION_H
#define STEPSIM_SIM_EXPORT_TASK_RELATION_H

#include "sim/export/relation.h"

namespace stepsim::sim {

/// `tasks`: all tasks of all replays, a row each. Times of a replay count from its start, measured ones from the start
/// of the first task; these are absent where nothing was measured. on_critical_path is 1 for tasks on the path of the
/// iteration that reports show. 1 bit a task of memory. Precondition: `answer` outlives the relation.
[[nodiscard]] Relation task_relation(const Answer& answer);

}  // namespace stepsim::sim

#endif
