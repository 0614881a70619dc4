#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_QUEUES_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_QUEUES_H

#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/parameter_server/tasks.h"

/// Tasks that were recorded from the moment they were queued, and so hold their time in the queue.
namespace stepsim::ingest {

/// Adds an edge from each task to the next, given in the order in which they were served, and
/// makes each begin when the one before it ended: what was recorded before that was its wait.
void take_turns(Assembly& assembly, const std::vector<TaskId>& in_order);

/// Orders the tasks of each of tasks.serial_lanes by their recorded start, as take_turns does.
void order_lanes(PsTasks& tasks);

/// A stage's thread finds its next partition by polling its queue. Puts up to 0.3 ms of each
/// stage's wait as lag on the edge that let it start last, so that this much has a known cause.
void explain_polling(PsTasks& tasks);

}  // namespace stepsim::ingest

#endif
