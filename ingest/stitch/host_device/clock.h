#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_CLOCK_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_CLOCK_H

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "model/job/recording.h"

namespace stepsim::ingest {

/// Two instants on the clocks of two hosts that are known to be one: ends of a collective.
struct ClockPair {
  std::uint32_t host_a = 0;
  std::uint32_t host_b = 0;
  Time at_a;
  Time at_b;
};

/// Finds one offset a host so that paired instants agree: the median difference of every pair
/// of hosts, then weighted least squares over the graph of hosts (Eigen, sparse Cholesky on
/// its Laplacian). The first host of each connected part is its reference, with offset 0.
///
/// Returns one clock for each name in `hosts`, in order: offset, and the largest disagreement
/// left in the pairs it takes part in. `part[h]` receives the connected part of host h, so that
/// the caller can refuse hosts that nothing ties to the others. O(pairs log pairs).
[[nodiscard]] std::vector<HostClock> align_clocks(const std::vector<std::string>& hosts,
                                                  const std::vector<ClockPair>& pairs,
                                                  std::vector<std::uint32_t>& part);

}  // namespace stepsim::ingest

#endif
