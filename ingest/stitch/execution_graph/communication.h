#ifndef STEPSIM_INGEST_STITCH_EXECUTION_GRAPH_COMMUNICATION_H
#define STEPSIM_INGEST_STITCH_EXECUTION_GRAPH_COMMUNICATION_H

#include <cstdint>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/execution_graph/execution_graph.h"

namespace stepsim::ingest {

/// The communication of one rank.
struct RankCommunication {
  const ExecutionRank* rank = nullptr;
  std::uint32_t first_task = 0;      ///< task of node 0; the tasks of the other nodes follow in order
  std::vector<std::uint32_t> nodes;  ///< collectives, sends and receives, in the order in which they are issued

  [[nodiscard]] TaskId task_of(std::uint32_t node) const noexcept { return TaskId{first_task + node}; }
};

/// Connects communication across ranks as rendezvous: the k-th collective of each group on all its ranks, and the k-th
/// send with the k-th receive of the same sender, receiver and tag. All parts of a rendezvous get the shortest duration
/// that any part has. A part without a counterpart, or whose counterpart has another operation or size, is counted and
/// keeps its own duration. O(nodes log nodes).
void join_communication(const std::vector<RankCommunication>& ranks, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
