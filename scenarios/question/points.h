#ifndef STEPSIM_SCENARIOS_QUESTION_POINTS_H
#define STEPSIM_SCENARIOS_QUESTION_POINTS_H

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/question/scenario.h"

namespace stepsim::scenarios {

/// One value of a point, as written: "network.bandwidth", "2x".
struct Setting {
  std::string key;
  std::string value;
};

/// A scenario with more points is refused.
constexpr std::size_t kMostPoints = 1'000'000;

/// The points of a sweep as text, by number. Either a grid (`axes`), whose last axis varies fastest, or a list.
struct Points {
  struct Axis {
    std::string key;
    std::vector<std::string> values;
  };
  std::vector<Axis> axes;
  std::vector<std::vector<Setting>> listed;

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::vector<Setting> at(std::size_t point) const;
  /// The index of a point's value on an axis of the grid.
  [[nodiscard]] std::size_t place(std::size_t point, std::size_t axis) const noexcept;
  /// The distance between two points that differ by one place on an axis.
  [[nodiscard]] std::size_t stride(std::size_t axis) const noexcept;
};

/// "network.bandwidth=2x, comm.partition_bytes=1MiB"
[[nodiscard]] std::string to_text(const std::vector<Setting>& settings);

/// Throws InputError if there are more than kMostPoints.
[[nodiscard]] Points points_of(const Scenario& scenario);

/// The changes of a sweep's points, read once. The scenario's documents must outlive it, and it must outlive the plans
/// that it changes.
class PointChanges {
 public:
  explicit PointChanges(const Scenario& scenario);
  [[nodiscard]] bool has_hardware() const;
  /// The changes of a point.
  [[nodiscard]] std::vector<const Change*> of(const Points& points, std::size_t point) const;

 private:
  [[nodiscard]] Change read(const std::string& key, const YamlField& value);

  std::vector<std::shared_ptr<const YamlText>> documents_;
  std::vector<std::vector<Change>> of_axes_;  ///< by axis, then value
  std::vector<std::vector<Change>> listed_;   ///< by point
};

}  // namespace stepsim::scenarios

#endif
