#ifndef STEPSIM_SCENARIOS_ANSWER_KNEE_H
#define STEPSIM_SCENARIOS_ANSWER_KNEE_H

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/answer/sweep.h"

namespace stepsim::scenarios {

/// The point with the shortest iteration; of several the first. Nothing if no point has one.
[[nodiscard]] std::optional<std::size_t> best_point(std::span<const Outcome> outcomes);

/// How near to the best an iteration is where more buys little.
constexpr double kKneeShare = 0.05;

/// Where on an axis more buys little: from `value` on to the end of the axis (up or down), with
/// all other axes as in the best point, every iteration is within kKneeShare of the best.
struct Knee {
  std::size_t axis = 0;
  std::string value;
  bool upwards = true;      ///< the flat end is that of the large values
  bool whole_axis = false;  ///< `value` is the other end: nothing on this axis buys much
};

/// At most one for each axis of the grid, in their order. An axis has none if its values cannot
/// be put in order of size (words, or factors beside rates), if it has one only, if a point on
/// the line has no iteration, or if only the last value before its end is that near.
[[nodiscard]] std::vector<Knee> knees(const Points& points, std::span<const Outcome> outcomes);

/// What a value amounts to beside others of its kind: a factor, a plain number, a size, a rate or
/// a time. Values of different `kind` cannot be put in order.
struct Magnitude {
  std::size_t kind = 0;
  double size = 0;
};
[[nodiscard]] std::optional<Magnitude> magnitude_of(const std::string& value);

}  // namespace stepsim::scenarios

#endif
