#ifndef STEPSIM_SCENARIOS_QUESTION_POINTS_H
#define STEPSIM_SCENARIOS_QUESTION_POINTS_H

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/question/scenario.h"

namespace stepsim::scenarios {

/// A key and its value at a point, as written: "network.bandwidth", "2x".
struct Setting {
  std::string key;
  std::string value;
};

/// Scenarios with more points are refused.
constexpr std::size_t kMostPoints = 1'000'000;

/// The points of a sweep as text, addressed by number. Either a grid (`axes`), whose last axis varies fastest, or a
/// list.
struct Points {
  struct Axis {
    std::string key;
    std::vector<std::string> values;
  };
  std::vector<Axis> axes;
  std::vector<std::vector<Setting>> listed;

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::vector<Setting> at(std::size_t point) const;
  /// Returns the index of a point's value on an axis of the grid.
  [[nodiscard]] std::size_t place(std::size_t point, std::size_t axis) const noexcept;
  /// Returns the difference in number between two points that are neighbours on an axis.
  [[nodiscard]] std::size_t stride(std::size_t axis) const noexcept;
};

/// Returns "network.bandwidth=2x, comm.partition_bytes=1MiB".
[[nodiscard]] std::string to_text(const std::vector<Setting>& settings);

/// Returns the points of a scenario's sweep. Throws InputError if there are more than kMostPoints.
[[nodiscard]] Points points_of(const Scenario& scenario);

/// The changes of a sweep's points, parsed once. The scenario's documents must outlive this object, and it must outlive
/// the plans that it changes.
class PointChanges {
 public:
  explicit PointChanges(const Scenario& scenario);
  [[nodiscard]] bool has_hardware() const;
  /// Returns the changes of a point.
  [[nodiscard]] std::vector<const Change*> of(const Points& points, std::size_t point) const;

 private:
  [[nodiscard]] Change read(const std::string& key, const YamlField& value);

  std::vector<std::shared_ptr<const YamlText>> documents_;
  std::vector<std::vector<Change>> of_axes_;  ///< indexed by axis, then value
  std::vector<std::vector<Change>> listed_;   ///< indexed by point
};

}  // namespace stepsim::scenarios

#endif
