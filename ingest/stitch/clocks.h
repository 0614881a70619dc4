#ifndef STEPSIM_INGEST_STITCH_CLOCKS_H
#define STEPSIM_INGEST_STITCH_CLOCKS_H

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/units.h"

namespace stepsim::ingest {

/// Bounds on how much one clock is ahead of another. They follow from recorded causes and effects, because no effect
/// comes before its cause. If times are damaged or a clock jumped, the bounds may contradict each other (`least` >
/// `most`).
struct ClockBounds {
  std::optional<Duration> least;
  std::optional<Duration> most;

  void at_least(Duration bound) { least = std::max(least.value_or(bound), bound); }
  void at_most(Duration bound) { most = std::min(most.value_or(bound), bound); }
  /// Returns the distance from `value` to the farther bound. Precondition: both bounds are known.
  [[nodiscard]] Duration reach(Duration value) const {
    return std::max({value - *least, *least - value, value - *most, *most - value});
  }
};

/// A measured difference of two clocks: clock b is ahead of clock a by an amount within `bounds`.
struct ClockDifference {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  ClockBounds bounds;
  std::optional<Duration> estimate{};  ///< the likely amount
  double weight = 1;                   ///< weight of the estimate
};

struct AlignedClock {
  Duration offset{};    ///< how much the clock is ahead of the reference
  Duration residual{};  ///< largest possible error of the offset
  bool known = false;   ///< false if no chain of differences connects it to the reference; the offset is then 0
};

/// Computes the offset of each of `clocks` clocks from clock `reference`, given the differences of pairs of clocks.
///
/// If all differences have estimates, the offsets minimise the sum of weight * (offset_b - offset_a - estimate)^2
/// (sparse Cholesky on the graph's Laplacian). They are exact to the nanosecond if the differences form no cycle. Each
/// difference must also have both bounds. For each pair of clocks, the uncertainty is the distance from the computed
/// difference to the farther one of its two bounds. The residual of a clock is the sum of the uncertainties along the
/// path to the reference on which this sum is the smallest.
///
/// Without estimates, bounds are added up along chains of differences. If the bounds allow the offset 0, the offset is
/// 0, because a slow host and a host whose clock is ahead look alike; else it is the middle of the bounds. The residual
/// is the distance to the farther bound.
///
/// A chain that would put a clock more than 73 years ahead or behind is ignored. Precondition: no bound is longer than
/// 146 years, so that no sum overflows. O(clocks * differences), plus the least squares.
[[nodiscard]] std::vector<AlignedClock> align_clocks(std::size_t clocks, std::uint32_t reference,
                                                     const std::vector<ClockDifference>& differences);

}  // namespace stepsim::ingest

#endif
