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

/// Joins the execution traces of a job's ranks into `assembly`, which nobody measured:
///
/// * a task for each node, and an edge for each dependency;
/// * the nodes of one thread or stream run one after the other in the order of ids that dependencies allow; without
///   threads and streams one host node and one kernel of a rank at a time, the smallest id that is ready, as ASTRA-sim
///   has them;
/// * collectives and sends of a rank one after the other in that order; receives beside all else;
/// * collectives of all ranks as rendezvous: the k-th of its group; sends with receives, as the k-th of sender,
/// receiver
///   and tag.
///
/// What nodes have to do is entered in assembly.operators. Ranks must be distinct. Throws InputError if the nodes take
/// more than 100 years one after another. O((nodes + dependencies) log nodes).
void stitch_execution_graphs(std::vector<ExecutionRank> ranks, Assembly& assembly);

/// A graph of what the operators of an execution trace do, a node for each:
///
/// * An operator computes if it is a matrix product with none inside, or has no operator inside and its shapes tell of
///   work: on the device if a tensor is there, else on the host. All others only hold their place.
/// * The host goes through its nodes one after the other, whatever the thread: a thread that works for another one has
///   that wait. It waits for device work that writes memory which a node of the host reads, and at operators that
///   return a number ("aten::item").
/// * Device work comes after the host's node before it, the device work before it, and what it was told to wait for.
/// * Collectives come after the device work that wrote what they read.
///
/// No node has a duration. O(operators + uses).
[[nodiscard]] ExecutionGraph graph_of_operators(ExecutionTrace trace);

}  // namespace stepsim::ingest

#endif
