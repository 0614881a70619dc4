#ifndef STEPSIM_INGEST_STITCH_GIVEN_GRAPH_H
#define STEPSIM_INGEST_STITCH_GIVEN_GRAPH_H

#include "ingest/parts/part.h"
#include "ingest/stitch/assembly.h"

namespace stepsim::ingest {

/// Turns a task graph into tasks: computes one at a time on their host, transfers without
/// contention, each taking its route's latency and its bytes over the narrowest link. Sets
/// assembly.measured to false and fills assembly.task_ids.
void stitch_task_graph(const TaskGraph& graph, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
