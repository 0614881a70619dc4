#ifndef STEPSIM_SCENARIOS_ANSWER_KNEE_H
#define STEPSIM_SCENARIOS_ANSWER_KNEE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/answer/range.h"
#include "scenarios/answer/sweep.h"

namespace stepsim::scenarios {

/// Returns the point with the highest throughput, which is the shortest iteration relative to the batches of all
/// workers, among the points that may fit in memory, or among all if none does. If several are equal, returns the first
/// one. Returns nothing if no point has an iteration.
[[nodiscard]] std::optional<std::size_t> best_point(std::span<const Outcome> outcomes);

/// Iterations count as equally good as the best one if they are longer by at most this share of it.
constexpr double kKneeShare = 0.05;

/// The value of an axis of a sweep beyond which a further change hardly helps. All other axes keep the values of the
/// best point. From `value` to one end of the axis, every iteration is then within kKneeShare of the shortest. If
/// points differ in the number of batches per worker and step, iterations are compared per captured batch.
struct Knee {
  std::size_t axis = 0;
  /// The knee, and how small and how large it may be, because iterations are uncertain. The range includes the knees in
  /// four other cases: all iterations are at the lower ends of their ranges, all are at the upper ends, or they go from
  /// the lower to the upper ends along the axis, or the reverse.
  Range<std::string> value;
  bool upwards = true;      ///< true if the flat end has the large values
  bool whole_axis = false;  ///< true if the whole axis is flat: no value makes much difference
  bool of_workers = false;  ///< true if the axis sets the number of workers; the knee is then for a worker's throughput
};

/// Returns the knees of the axes of a grid, in order of the axes. Axes without a knee are left out.
[[nodiscard]] std::vector<Knee> knees(const Points& points, std::span<const Outcome> outcomes);

/// Why an axis of a sweep has no knee, a value beyond which a further change hardly helps.
enum class NoKnee : std::uint8_t {
  kOneValue,
  kNoOrder,      ///< its values cannot be ordered by size: words, or a mix of factors and rates
  kMissing,      ///< a point on the line has no iteration
  kLastBuys,     ///< the best value is at an end, and its neighbour is not close to it
  kBestBetween,  ///< the best value is between worse ones
  kUneven,       ///< a value that is not close to the best is between two that are
};
struct AxisWithoutKnee {
  std::size_t axis = 0;
  NoKnee why = NoKnee::kOneValue;
  std::string best{};       ///< value with the shortest iteration; up to kMissing, that of the best point
  bool of_workers = false;  ///< has the meaning of Knee::of_workers
};
/// Returns the axes of a grid without a knee, in order of the axes; empty if no point could be predicted.
[[nodiscard]] std::vector<AxisWithoutKnee> axes_without_knee(const Points& points, std::span<const Outcome> outcomes);

/// The number in a value of a sweep: a plain number, or a factor, size, rate or time (`kind`). Only values of the same
/// kind can be compared.
struct Magnitude {
  std::size_t kind = 0;
  double size = 0;
};
[[nodiscard]] std::optional<Magnitude> magnitude_of(const std::string& value);
/// Returns the indices of `values`, the values of one axis of a sweep, in order of size. Empty if the values cannot be
/// ordered.
[[nodiscard]] std::vector<std::size_t> by_size(const std::vector<std::string>& values);

}  // namespace stepsim::scenarios

#endif
