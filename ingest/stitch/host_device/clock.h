#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_CLOCK_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_CLOCK_H

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "model/job/recording.h"

namespace stepsim::ingest {

/// One instant, the end of a collective, on the clocks of two hosts.
struct ClockPair {
  std::uint32_t host_a = 0;
  std::uint32_t host_b = 0;
  Time at_a;
  Time at_b;
};

/// Finds one offset for each host so that paired instants agree: the median difference of each pair of
/// hosts, then least squares over the graph of hosts, weighted by the number of pairs (sparse Cholesky on
/// the graph's Laplacian). The first host of each connected part is its reference, with offset 0.
///
/// Returns one clock for each name in `hosts`, in order, with the largest disagreement that is left in the
/// host's pairs as residual. `part[h]` receives the first host of the connected part of host h, so that the
/// caller can refuse hosts that nothing connects with the others. O(pairs), besides the solver.
[[nodiscard]] std::vector<HostClock> align_clocks(const std::vector<std::string>& hosts,
                                                  const std::vector<ClockPair>& pairs,
                                                  std::vector<std::uint32_t>& part);

}  // namespace stepsim::ingest

#endif
