#ifndef STEPSIM_INGEST_STITCH_EXECUTION_GRAPH_OPERATOR_GRAPH_H
#define STEPSIM_INGEST_STITCH_EXECUTION_GRAPH_OPERATOR_GRAPH_H

#include "ingest/parts/execution_graph.h"
#include "ingest/parts/execution_trace.h"

namespace stepsim::ingest {

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
