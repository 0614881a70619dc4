#ifndef STEPSIM_INGEST_STITCH_EXECUTION_GRAPH_EXECUTION_GRAPH_H
#define STEPSIM_INGEST_STITCH_EXECUTION_GRAPH_EXECUTION_GRAPH_H

#include <string>
#include <vector>

#include "ingest/parts/execution_graph.h"
#include "ingest/stitch/assembly.h"

namespace stepsim::ingest {

/// One rank's execution trace and the file it came from.
struct ExecutionRank {
  ExecutionGraph graph;
  std::string file;
  Rank rank = 0;
};

/// Joins the execution traces of a job's ranks into `assembly`. The result has no recorded times:
///
/// * Each node becomes a task, and each dependency an edge.
/// * The nodes of one thread or stream run one after another, in the order of ids as far as dependencies allow. If the
///   trace names no threads and streams, each rank runs one host node and one kernel at a time, the ready one with the
///   smallest id first, as in ASTRA-sim.
/// * The collectives and sends of a rank also run one after another in the order of ids; receives run in parallel with
///   all other nodes.
/// * The k-th collective of a group becomes a rendezvous of the group's ranks. The k-th send is matched with the k-th
///   receive of the same sender, receiver and tag.
///
/// The work of nodes is entered in assembly.operators. Ranks must be distinct. Throws InputError if the nodes would
/// take more than 100 years one after another. O((nodes + dependencies) log nodes).
void stitch_execution_graphs(std::vector<ExecutionRank> ranks, Assembly& assembly);

/// Builds a graph of the operators of an execution trace, with one node per operator:
///
/// * An operator computes in two cases: it is a matrix product that contains no other matrix product, or its shapes
///   define work and it contains no other operator. It computes on the device if one of its tensors is on the device,
///   else on the host. All other operators become nodes without work.
/// * The host runs its nodes one after another, even those of different threads, because a thread usually waits for the
///   threads that work for it. A host node waits for device work that wrote the memory it reads. The host also waits at
///   operators that return a number ("aten::item").
/// * Device work waits for the host node before it, for the device work before it, and for the collectives for which a
///   wait (Work::wait()) was recorded after that device work.
/// * Collectives wait for the device work that wrote their inputs.
///
/// No node has a duration. O(operators + uses).
[[nodiscard]] ExecutionGraph graph_of_operators(ExecutionTrace trace);

}  // namespace stepsim::ingest

#endif
