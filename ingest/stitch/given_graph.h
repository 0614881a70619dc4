#ifndef STEPSIM_INGEST_STITCH_GIVEN_GRAPH_H
#define STEPSIM_INGEST_STITCH_GIVEN_GRAPH_H

#include "ingest/parts/part.h"
#include "ingest/stitch/assembly.h"

namespace stepsim::ingest {

/// Turns a task graph, which was given as such and not recorded, into tasks, edges and a cluster.
/// Computations run one at a time on their host. A transfer takes its route's latency plus its bytes
/// over the route's narrowest link, as if it were alone there.
///
/// Sets assembly.measured to false and fills assembly.task_ids. assembly.cluster stays empty, and a
/// diagnostic says so, if hosts have numbers of a million or more. Precondition: the reader has
/// checked ids, hosts and routes. Frees the graph's tasks on the way. O(tasks log tasks + edges log tasks).
void stitch_given_graph(TaskGraph graph, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
