#ifndef STEPSIM_SIM_STATS_DISTRIBUTION_H
#define STEPSIM_SIM_STATS_DISTRIBUTION_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/base/units.h"

namespace stepsim::sim {

/// How long the pieces of one group took.
struct Distribution {
  std::size_t count = 0;
  Duration total{};  ///< the longest Duration where the sum does not fit
  Duration shortest{};
  Duration longest{};
  Duration median{};        ///< of an even number the mean of the two in the middle, rounded down
  double mean_ns = 0;       ///< nanoseconds
  double deviation_ns = 0;  ///< standard deviation of all that there are (divided by count, not by count - 1)
};

/// One a group: `length[i]` belongs to group `group[i]`. A group without any has count 0.
/// O(pieces + groups). Preconditions: as many groups as lengths, each below `groups`; no length is negative.
[[nodiscard]] std::vector<Distribution> distributions(std::span<const std::uint32_t> group,
                                                      std::span<const Duration> length, std::size_t groups);

}  // namespace stepsim::sim

#endif
