#ifndef STEPSIM_INGEST_STITCH_GIVEN_GRAPHS_H
#define STEPSIM_INGEST_STITCH_GIVEN_GRAPHS_H

#include <vector>

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

/// Turns graphs of operators that come without events, such as dag.gml alone, into tasks and edges. What stands before
/// a label's "->" (or its rankN.) is a process, and each process of each graph is a rank. A task is as long as the
/// node's attribute avg says, which is in milliseconds (ByteProfile and dPRO), else 0.
///
/// Edges from UPDATE or STEP to FW lead to the next iteration: they would close a cycle and are left out, counted.
/// Sets assembly.measured to false. O(nodes log nodes + edges).
void stitch_operator_graphs(const std::vector<OperatorGraph>& graphs, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
