#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_CLOCK_PAIRS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_CLOCK_PAIRS_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ingest/stitch/host_device/clock.h"
#include "ingest/stitch/host_device/collectives.h"

namespace stepsim::ingest {

/// What each match says about the clocks of its hosts: of kernels, each host paired with the next, as their ends
/// agree; on hosts, the first one paired with each other, so that no residual is a sum over many.
/// `host` has the host of each of `ranks`; `world` is the number of the job's ranks. No begin or end of a host
/// is compared with another host's clock to decide anything, so the pairs of a clock that is off by seconds
/// differ by just that. O(parts log parts).
[[nodiscard]] std::vector<ClockPair> clock_pairs(const std::vector<MatchedCollective>& matches,
                                                 const std::vector<RankEvents>& ranks,
                                                 const std::vector<std::uint32_t>& host, std::size_t world);

}  // namespace stepsim::ingest

#endif
