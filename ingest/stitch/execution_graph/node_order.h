#ifndef STEPSIM_INGEST_STITCH_EXECUTION_GRAPH_NODE_ORDER_H
#define STEPSIM_INGEST_STITCH_EXECUTION_GRAPH_NODE_ORDER_H

#include <cstdint>
#include <vector>

#include "ingest/parts/execution_graph.h"
#include "model/job/dag_builder.h"

namespace stepsim::ingest {

/// The nodes in the order in which a rank issues them that always takes the smallest id of those whose dependencies
/// were issued: indices into graph.nodes. O((nodes + dependencies) log nodes).
[[nodiscard]] std::vector<std::uint32_t> issue_order(const ExecutionGraph& graph);

/// Whether all tasks can run with `more` edges beside those of `builder`: none waits for itself, through a rendezvous
/// either. O(tasks + edges).
[[nodiscard]] bool can_run(DagBuilder& builder, const std::vector<DagBuilder::Edge>& more);

}  // namespace stepsim::ingest

#endif
