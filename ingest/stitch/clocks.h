#ifndef STEPSIM_INGEST_STITCH_CLOCKS_H
#define STEPSIM_INGEST_STITCH_CLOCKS_H

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/units.h"

namespace stepsim::ingest {

/// By how much one clock is ahead of another, as far as causes and effects bound it. The bounds contradict each other
/// (`least` > `most`) where times are damaged or a clock jumped.
struct ClockBounds {
  std::optional<Duration> least;
  std::optional<Duration> most;

  void at_least(Duration bound) { least = std::max(least.value_or(bound), bound); }
  void at_most(Duration bound) { most = std::min(most.value_or(bound), bound); }
  /// Distance from `value` to the farther bound. Precondition: both bounds are known.
  [[nodiscard]] Duration reach(Duration value) const {
    return std::max({value - *least, *least - value, value - *most, *most - value});
  }
};

/// What was seen of two clocks: b's is ahead of a's by an amount within `bounds`.
struct ClockDifference {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  ClockBounds bounds;
  std::optional<Duration> estimate{};  ///< the likely amount
  double weight = 1;                   ///< of the estimate
};

struct AlignedClock {
  Duration offset{};    ///< ahead of the reference
  Duration residual{};  ///< by how much the offset may be off
  bool known = false;   ///< false: nothing ties it to the reference, and the offset is 0
};

/// Finds the offset of each of `clocks` clocks against clock `reference` from the differences of pairs.
///
/// If all differences have estimates, the offsets minimise the sum of weight * (offset_b - offset_a - estimate)^2
/// (sparse Cholesky on the graph's Laplacian). They are exact to the nanosecond where the differences form no cycle.
/// Both bounds are known then, and the residual is the sum of what they leave open on the shortest way to the
/// reference.
///
/// Without estimates, bounds add up along chains of differences. Clocks that may agree with the reference are taken to
/// agree, because a slow host and a host whose clock is ahead look alike; else the offset is the middle of the bounds.
/// The residual is the distance to the farther bound.
///
/// A chain that makes a clock more than 73 years ahead or behind does not count. Precondition: no bound is longer than
/// 146 years, so that no sum overflows. O(clocks * differences), besides the least squares.
[[nodiscard]] std::vector<AlignedClock> align_clocks(std::size_t clocks, std::uint32_t reference,
                                                     const std::vector<ClockDifference>& differences);

}  // namespace stepsim::ingest

#endif
