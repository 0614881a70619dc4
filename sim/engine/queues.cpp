#include "sim/engine/queues.h"

namespace stepsim::sim {

std::vector<LaneRole> roles_of(const Dag& dag, Network* network, std::vector<QueueLane>& waiting) {
  std::vector<LaneRole> roles;
  roles.reserve(dag.lanes().size());
  for (const Lane& lane : dag.lanes()) {
    LaneRole& role = roles.emplace_back();
    const bool queues = lane.order != LaneOrder::kEdges;
    if (network != nullptr && lane.is_link()) {
      role.channel = network->channel(lane.from, lane.to, queues ? Latency::kLast : Latency::kFirst);
    }
    if (!queues) continue;
    role.queue = static_cast<std::uint32_t>(waiting.size());
    waiting.emplace_back(lane);
  }
  return roles;
}

}  // namespace stepsim::sim
