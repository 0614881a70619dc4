#ifndef STEPSIM_SCENARIOS_ANSWER_KNEE_H
#define STEPSIM_SCENARIOS_ANSWER_KNEE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/answer/sweep.h"

namespace stepsim::scenarios {

/// Returns the point with the highest throughput: the shortest iteration relative to the batches of all workers. If
/// several are equal, returns the first one. Returns nothing if no point has an iteration.
[[nodiscard]] std::optional<std::size_t> best_point(std::span<const Outcome> outcomes);

/// A further increase hardly helps if iterations are at most this much longer than the best.
constexpr double kKneeShare = 0.05;

/// The value of an axis beyond which a change hardly helps. From `value` to the end of the axis (up or down), with all
/// other axes as in the best point, every iteration is within kKneeShare of the shortest. If points differ in the batch
/// of a worker, iterations are those of a captured batch.
struct Knee {
  std::size_t axis = 0;
  std::string value;
  bool upwards = true;      ///< true if the flat end has the large values
  bool whole_axis = false;  ///< true if the whole axis is flat: no value makes much difference
  bool of_workers = false;  ///< true if the axis sets the number of workers; the knee is then for a worker's throughput
  /// The knee is between `from` and `to`, in order of size. These are the extreme knees for the shortest iterations of
  /// the line, for its longest, and for those that change least and most along it.
  std::string from{};
  std::string to{};
};

/// Returns at most one knee for each axis of the grid, in order of the axes.
[[nodiscard]] std::vector<Knee> knees(const Points& points, std::span<const Outcome> outcomes);

/// Why an axis has no knee.
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
/// Returns the axes without a knee, in the order of the grid's axes; empty if no point could be predicted.
[[nodiscard]] std::vector<AxisWithoutKnee> axes_without_knee(const Points& points, std::span<const Outcome> outcomes);

/// The size of a value that is a plain number, factor, size, rate or time. Only values of the same `kind` can be
/// compared.
struct Magnitude {
  std::size_t kind = 0;
  double size = 0;
};
[[nodiscard]] std::optional<Magnitude> magnitude_of(const std::string& value);

}  // namespace stepsim::scenarios

#endif
