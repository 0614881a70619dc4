#ifndef STEPSIM_INGEST_STITCH_GIVEN_GRAPHS_H
#define STEPSIM_INGEST_STITCH_GIVEN_GRAPHS_H

#include <vector>

#include "ingest/parts/part.h"
#include "ingest/stitch/assembly.h"

namespace stepsim::ingest {

/// Turns a task graph into tasks, edges and a cluster. The graph was written by hand or by a program, not recorded.
/// Computations run one at a time on their host. A transfer takes its route's latency plus its bytes over the route's
/// narrowest link, as if no other transfer used it.
///
/// Sets assembly.measured to false and fills assembly.task_ids. If hosts have numbers of a million or more,
/// assembly.cluster stays empty and a diagnostic is counted. Precondition: the reader has checked ids, hosts and
/// routes. Frees the graph's tasks early to save memory. O(tasks log tasks + edges log tasks).
void stitch_given_graph(TaskGraph graph, Assembly& assembly);

/// Turns operator graphs without events, such as dag.gml alone, into tasks and edges. The text before the "->" in a
/// label, or a prefix "rankN.", names a process. Each process of each graph becomes a rank. A task's duration is the
/// node's attribute avg in milliseconds (as in ByteProfile and dPRO), or 0 without it.
///
/// Edges from UPDATE or STEP to FW lead to the next iteration and would close a cycle: they are left out and counted.
/// Sets assembly.measured to false. O(nodes log nodes + edges).
void stitch_operator_graphs(const std::vector<OperatorGraph>& graphs, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
