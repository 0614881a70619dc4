#ifndef STEPSIM_INGEST_STITCH_TRIAL_TURNS_H
#define STEPSIM_INGEST_STITCH_TRIAL_TURNS_H

#include <utility>
#include <vector>

#include "ingest/stitch/parameter_server/tasks.h"

namespace stepsim::ingest {

/// Adds an edge, as tasks.link() does. What `to` was recorded to do before the end of `from` was waiting: it begins
/// then.
void follow(PsTasks& tasks, TaskId from, TaskId to, EdgeKind kind);

/// True if no two of the spans, of start and end, overlap by more than the grain of a clock.
[[nodiscard]] bool one_at_a_time(std::vector<std::pair<Time, Time>> spans);

/// Where the tasks of a lane ran one at a time, they took turns: each waits for the one before it, in recorded order.
void let_take_turns(Assembly& assembly, std::vector<TaskId> tasks);

}  // namespace stepsim::ingest

#endif
