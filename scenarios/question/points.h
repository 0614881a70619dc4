#ifndef STEPSIM_SCENARIOS_QUESTION_POINTS_H
#define STEPSIM_SCENARIOS_QUESTION_POINTS_H

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/question/scenario.h"

namespace stepsim::scenarios {

/// One value of one point, as it was written: "network.bandwidth", "2x".
struct Setting {
  std::string key;
  std::string value;
};

/// More are refused.
constexpr std::size_t kMostPoints = 1'000'000;

/// The points of a sweep by number, in words: all that a report says of them. A grid (`axes`),
/// whose last axis varies fastest, or else a list.
struct Points {
  struct Axis {
    std::string key;
    std::vector<std::string> values;
  };
  std::vector<Axis> axes;
  std::vector<std::vector<Setting>> listed;

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::vector<Setting> at(std::size_t point) const;
  /// Which value of an axis of the grid a point has.
  [[nodiscard]] std::size_t place(std::size_t point, std::size_t axis) const noexcept;
  /// How far apart two points are that differ by one place on an axis.
  [[nodiscard]] std::size_t stride(std::size_t axis) const noexcept;
};

/// "network.bandwidth=2x, comm.partition_bytes=1MiB"
[[nodiscard]] std::string to_text(const std::vector<Setting>& settings);

/// Throws InputError: more than a million points.
[[nodiscard]] Points points_of(const Scenario& scenario);

/// The changes of a sweep's points, read once. Refers to the scenario's documents; plans refer
/// to this.
class PointChanges {
 public:
  explicit PointChanges(const Scenario& scenario);
  /// Throws what the changes throw.
  void apply(const Points& points, std::size_t point, Plan& plan) const;

 private:
  [[nodiscard]] Change read(const std::string& key, const YamlField& value);

  std::vector<std::shared_ptr<const Document>> documents_;
  std::vector<std::vector<Change>> of_axes_;  ///< by axis, then value
  std::vector<std::vector<Change>> listed_;   ///< by point
};

}  // namespace stepsim::scenarios

#endif
