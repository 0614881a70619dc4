#ifndef STEPSIM_SIM_STATS_TRANSPORT_USE_H
#define STEPSIM_SIM_STATS_TRANSPORT_USE_H

#include <cstdint>
#include <vector>

#include "model/base/id.h"
#include "model/job/trace_details.h"

namespace stepsim::sim {

/// What a communication library told of one kind of operation of one rank in one group.
struct RankTransport {
  Rank rank = 0;
  TransportUse use;
};

/// By rank, then by the time that their pieces took in the network and in waiting, the longest first. O(n log n).
[[nodiscard]] std::vector<RankTransport> transport_use(const TraceDetails& details);

}  // namespace stepsim::sim

#endif
