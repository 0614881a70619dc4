#ifndef STEPSIM_MODEL_JOB_SYMMETRY_H
#define STEPSIM_MODEL_JOB_SYMMETRY_H

#include <cstdint>
#include <optional>

#include "model/job/cluster.h"

namespace stepsim {

/// A cluster made of equal blocks of endpoints, folded onto its first block. Moving every endpoint to the same place in
/// the next block, and those of the last block to the first one, maps each route to a route over equal links. If the
/// messages on the cluster are moved to themselves as well, then the messages of the first block's endpoints are enough
/// to simulate: a message from endpoint e takes what the one from e modulo `block` takes.
struct FoldedCluster {
  std::uint32_t block = 1;  ///< number of endpoints in a block
  /// The cluster, with the links of the first block in place of those of the others. Each link then carries the
  /// messages that the first block's endpoints send over it or over its equals. Its shape is absent.
  Cluster cluster;
};

/// Folds a cluster of which the first `endpoints` endpoints are used. Returns nothing if they are not made of equal
/// blocks, if blocks share links, or if routes are listed one by one. The blocks are the smallest possible ones of
/// whole hosts. O(endpoints * hops) for each size of blocks that is tried; most sizes are ruled out after a few
/// endpoints.
[[nodiscard]] std::optional<FoldedCluster> folded(const Cluster& cluster, std::uint32_t endpoints);

}  // namespace stepsim

#endif
