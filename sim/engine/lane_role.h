#ifndef STEPSIM_SIM_ENGINE_LANE_ROLE_H
#define STEPSIM_SIM_ENGINE_LANE_ROLE_H

#include <cstdint>
#include <vector>

#include "model/cost/network/network.h"
#include "model/job/dag.h"
#include "sim/engine/queue_lane.h"

namespace stepsim::sim {

/// What the engine has to do for the tasks of a lane.
struct LaneRole {
  static constexpr std::uint32_t kNoQueue = 0xFFFFFFFFU;
  std::uint32_t queue = kNoQueue;  ///< place among the queue lanes
  ChannelId channel;               ///< valid: its tasks are messages
  [[nodiscard]] bool is_queue() const noexcept { return queue != kNoQueue; }
  [[nodiscard]] bool is_link() const noexcept { return channel.valid(); }
  [[nodiscard]] bool is_plain() const noexcept { return !is_queue() && !is_link(); }
};

/// By lane. Appends those on which tasks wait their turn to `waiting`. `network` is null while
/// recorded durations hold. Only the engine uses it. O(lanes).
[[nodiscard]] std::vector<LaneRole> roles_of(const Dag& dag, Network* network, std::vector<QueueLane>& waiting);

}  // namespace stepsim::sim

#endif
