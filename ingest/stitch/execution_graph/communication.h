#ifndef STEPSIM_INGEST_STITCH_EXECUTION_GRAPH_COMMUNICATION_H
#define STEPSIM_INGEST_STITCH_EXECUTION_GRAPH_COMMUNICATION_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/execution_graph/execution_graph.h"

namespace stepsim::ingest {

/// What a rank communicates.
struct RankCommunication {
  const ExecutionRank* rank = nullptr;
  std::uint32_t first_task = 0;      ///< that of node 0; the others follow
  std::vector<std::uint32_t> nodes;  ///< collectives, sends and receives, in the order in which they are issued

  [[nodiscard]] TaskId task_of(std::uint32_t node) const noexcept { return TaskId{first_task + node}; }
};

/// Makes collectives of several ranks rendezvous, the k-th of each group, and so sends with their receives, the k-th of
/// sender, receiver and tag. All parts of one take the shortest duration that a part has. What has no counterpart, or
/// another operation or size there, is counted and keeps its own. O(nodes log nodes).
void join_communication(const std::vector<RankCommunication>& ranks, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
