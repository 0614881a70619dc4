#ifndef STEPSIM_SIM_STATS_DISTRIBUTION_H
#define STEPSIM_SIM_STATS_DISTRIBUTION_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/base/units.h"

namespace stepsim::sim {

/// The distribution of the durations in a group.
struct Distribution {
  std::size_t count = 0;
  Duration total{};  ///< sum; the longest Duration if the sum overflows
  Duration shortest{};
  Duration longest{};
  Duration median{};        ///< median; for an even number, the mean of the middle two, rounded down
  double mean_ns = 0;       ///< mean in nanoseconds
  double deviation_ns = 0;  ///< population standard deviation (divided by count, not by count - 1)
};

/// Returns one distribution per group: `length[i]` belongs to group `group[i]`. An empty group has count 0. O(pieces +
/// groups). Preconditions: `group` and `length` have equal sizes, each group is below `groups`, and no length is
/// negative.
[[nodiscard]] std::vector<Distribution> distributions(std::span<const std::uint32_t> group,
                                                      std::span<const Duration> length, std::size_t groups);

}  // namespace stepsim::sim

#endif
