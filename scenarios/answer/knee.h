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

/// The point that gets most done: the shortest iteration for what all workers take in it, or the first of several.
/// Nothing if no point has an iteration.
[[nodiscard]] std::optional<std::size_t> best_point(std::span<const Outcome> outcomes);

/// More buys little where iterations are at most this much longer than the best.
constexpr double kKneeShare = 0.05;

/// Where more buys little: from `value` to the end of the axis (up or down), with all other axes as in the best
/// point, every iteration is within kKneeShare of the shortest. Where points differ in what a worker takes in a step,
/// iterations are those of a captured batch.
struct Knee {
  std::size_t axis = 0;
  std::string value;
  bool upwards = true;      ///< the flat end has the large values
  bool whole_axis = false;  ///< the axis is flat: no value of it buys much
  bool of_workers = false;  ///< the axis sets their number, so the knee is that of a worker's throughput
  /// The knee may be anywhere from `from` to `to`, in order of size: the knees of the line's shortest iterations, of
  /// its longest, and of those that change least and most along it.
  std::string from{};
  std::string to{};
};

/// At most one knee for each axis of the grid, in the order of the axes.
[[nodiscard]] std::vector<Knee> knees(const Points& points, std::span<const Outcome> outcomes);

/// Why an axis has no knee.
enum class NoKnee : std::uint8_t {
  kOneValue,
  kNoOrder,      ///< its values have no order of size: words, or factors beside rates
  kMissing,      ///< a point on the line has no iteration
  kLastBuys,     ///< the best value is at an end, and the one before it is not that close to it
  kBestBetween,  ///< the best value is between worse ones
  kUneven,       ///< a value that is not close to the best lies between two that are
};
struct AxisWithoutKnee {
  std::size_t axis = 0;
  NoKnee why = NoKnee::kOneValue;
  std::string best{};       ///< the axis's value with the shortest iteration; of kOneValue to kMissing the best point's
  bool of_workers = false;  ///< as Knee::of_workers
};
/// The axes that knees() leaves out, in order; none if no point has an iteration.
[[nodiscard]] std::vector<AxisWithoutKnee> axes_without_knee(const Points& points, std::span<const Outcome> outcomes);

/// The size of a value: of a plain number, factor, size, rate or time. Only values of the same `kind` can be compared.
struct Magnitude {
  std::size_t kind = 0;
  double size = 0;
};
[[nodiscard]] std::optional<Magnitude> magnitude_of(const std::string& value);

}  // namespace stepsim::scenarios

#endif
