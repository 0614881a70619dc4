#ifndef STEPSIM_SCENARIOS_QUESTION_POINTS_H
#define STEPSIM_SCENARIOS_QUESTION_POINTS_H

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scenarios/question/scenario.h"

namespace stepsim::scenarios {

/// The value of one parameter at a point of a sweep, as the user wrote it: "network.bandwidth", "2x".
struct Setting {
  std::string key;
  std::string value;
};

/// Maximum number of points of a sweep.
constexpr std::size_t kMostPoints = 1'000'000;

/// The points of a sweep, as the user wrote them. Points are numbered from 0. They are either a grid (`axes`), in which
/// the value of the last axis changes from each point to the next, or a list (`listed`).
struct Points {
  struct Axis {
    std::string key;
    std::vector<std::string> values;
  };
  std::vector<Axis> axes;
  std::vector<std::vector<Setting>> listed;

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::vector<Setting> at(std::size_t point) const;
  /// Returns the index of a point's value in the values of an axis of the grid.
  [[nodiscard]] std::size_t place(std::size_t point, std::size_t axis) const noexcept;
  /// Returns the difference between the numbers of two points that have neighbouring values on this axis and the same
  /// values on all others.
  [[nodiscard]] std::size_t stride(std::size_t axis) const noexcept;
};

/// Returns "network.bandwidth=2x, comm.partition_bytes=1MiB".
[[nodiscard]] std::string to_text(const std::vector<Setting>& settings);

/// Returns the points of a scenario's sweep. Throws InputError if there are more than kMostPoints.
[[nodiscard]] Points points_of(const Scenario& scenario);

/// Returns the change that values of parameters of one what-if are. Precondition: the keys are known, have no selection
/// and name the same what-if.
[[nodiscard]] Change change_from(std::span<const PointValue> values);

/// The changes of all points of a sweep. Each value is parsed only once. Parameters of `parallel` in one entry of a
/// list are one change, because each change of them examines the whole capture. The scenario's documents must outlive
/// this object, and this object must outlive the plans to which its changes are applied.
class PointChanges {
 public:
  explicit PointChanges(const Scenario& scenario);
  /// True if a change that all points share has to be applied together with those of each point: a change of hardware
  /// if points change hardware or the number of ranks, and one of samples if points change these
  /// (WhatIf::sets_samples).
  [[nodiscard]] bool include(const Change& shared) const;
  /// Returns the changes that the point with this number makes. Precondition: `points` come from the same scenario.
  [[nodiscard]] std::vector<const Change*> of(const Points& points, std::size_t point) const;

 private:
  [[nodiscard]] Change read(const std::string& key, const YamlField& value);

  std::vector<std::shared_ptr<const YamlText>> documents_;
  std::vector<std::vector<Change>> of_axes_;  ///< indexed by axis, then value
  std::vector<std::vector<Change>> listed_;   ///< indexed by point
};

}  // namespace stepsim::scenarios

#endif
