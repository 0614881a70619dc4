#ifndef STEPSIM_INGEST_STITCH_OPERATOR_GRAPHS_H
#define STEPSIM_INGEST_STITCH_OPERATOR_GRAPHS_H

#include <vector>

#include "ingest/parts/part.h"
#include "ingest/stitch/assembly.h"

namespace stepsim::ingest {

/// Turns graphs of operators that come without events, such as dag.gml alone, into tasks and edges. What stands before
/// a label's "->" (or its rankN.) is a process, and each process of each graph is a rank. A task is as long as the
/// node's attribute avg says, which is in milliseconds (ByteProfile and dPRO), else 0.
///
/// Edges from UPDATE or STEP to FW lead to the next iteration: they would close a cycle and are left out, counted.
/// Sets assembly.measured to false. O(nodes log nodes + edges).
void stitch_operator_graphs(const std::vector<OperatorGraph>& graphs, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
