#ifndef STEPSIM_INGEST_STITCH_TRIAL_EXCHANGE_CLOCKS_H
#define STEPSIM_INGEST_STITCH_TRIAL_EXCHANGE_CLOCKS_H

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ingest/stitch/trial/exchanges.h"
#include "model/base/units.h"

namespace stepsim::ingest {

/// A worker or a server of BytePS.
struct Node {
  bool server = false;
  std::int32_t number = 0;
  friend auto operator<=>(const Node&, const Node&) noexcept = default;
};

/// How far a node's clock is ahead of the first worker's, and by how much that may be off.
struct NodeClock {
  Duration offset{};
  Duration residual{};
  bool known = false;  ///< false: nothing ties it to the first worker, and offset is 0
};

/// A server answers a push after it has come, and a worker pulls after that: each bounds how far one clock may be ahead
/// of the other, and bounds add up along chains of up to 64 nodes. Where they allow equal clocks, clocks are taken as
/// equal, else as the middle of the bounds. The first worker is that of the smallest number.
/// O(exchanges log nodes + connections).
[[nodiscard]] std::map<Node, NodeClock> align_by_exchanges(const std::vector<Exchange>& exchanges);

}  // namespace stepsim::ingest

#endif
