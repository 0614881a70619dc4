#include "scenarios/question/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"

namespace stepsim::scenarios {
namespace {

[[noreturn]] void refuse_count(const Axis& axis) {
  axis.values.fail(fmt::format("with '{}' the grid has more than {} points; expected fewer", axis.key, kMostPoints));
}

/// The what-if that changes the number of ranks and is not one of hardware.
constexpr std::string_view kParallel = "parallel";

bool is_of_parallel(std::string_view key) {
  return key.starts_with(kParallel) && key.substr(kParallel.size()).starts_with('.');
}

/// Returns the value of a parameter. Messages name the parameter without its what-if, as they do for a change.
Change::Given given_by(const PointValue& value) {
  const auto known = find_parameter(value.key);
  if (!known) return {nullptr, value.value, std::nullopt};  // a key with a selection
  YamlField place = value.value;
  place.name = known->parameter->name;
  return {known->parameter, std::move(place), value.typed};
}

Points::Axis in_words(const Axis& axis) {
  Points::Axis words{axis.key, {}};
  for (const YamlValue& value : axis.values.value->items) words.values.push_back(value.text);
  return words;
}

}  // namespace

std::size_t Points::size() const noexcept { return axes.empty() ? listed.size() : stride(0) * axes[0].values.size(); }

std::size_t Points::stride(std::size_t axis) const noexcept {
  std::size_t points = 1;
  for (std::size_t i = axis + 1; i < axes.size(); ++i) points *= axes[i].values.size();
  return points;
}

std::size_t Points::place(std::size_t point, std::size_t axis) const noexcept {
  return point / stride(axis) % axes[axis].values.size();
}

std::vector<Setting> Points::at(std::size_t point) const {
  if (axes.empty()) return listed[point];
  std::vector<Setting> settings;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    settings.push_back({axes[axis].key, axes[axis].values[place(point, axis)]});
  }
  return settings;
}

std::string to_text(const std::vector<Setting>& settings) {
  return joined(settings, [](const Setting& setting) { return setting.key + '=' + setting.value; });
}

Points points_of(const Scenario& scenario) {
  Points points;
  std::size_t count = 1;
  for (const Axis& axis : scenario.sweep) {
    points.axes.push_back(in_words(axis));
    count *= points.axes.back().values.size();
    if (count > kMostPoints) refuse_count(axis);
  }
  for (const std::vector<PointValue>& point : scenario.points) {
    std::vector<Setting>& settings = points.listed.emplace_back();
    for (const PointValue& entry : point) settings.push_back({entry.key, given_by(entry).text()});
  }
  return points;
}

Change change_from(std::span<const PointValue> values) {
  std::vector<Change::Given> given;
  for (const PointValue& value : values) given.push_back(given_by(value));
  return {*find_parameter(values.front().key)->what_if, values.front().value, std::move(given)};
}

PointChanges::PointChanges(const Scenario& scenario) {
  for (const Axis& axis : scenario.sweep) {
    std::vector<Change>& changes = of_axes_.emplace_back();
    for (const YamlField& value : axis.values.list("a list of values")) changes.push_back(read(axis.key, value));
  }
  for (const std::vector<PointValue>& point : scenario.points) {
    std::vector<Change>& changes = listed_.emplace_back();
    for (std::size_t first = 0; first < point.size();) {
      std::size_t end = first + 1;
      while (is_of_parallel(point[first].key) && end < point.size() && is_of_parallel(point[end].key)) ++end;
      const bool is_one = end == first + 1 && !point[first].typed;
      changes.push_back(is_one ? read(point[first].key, point[first].value)
                               : change_from(std::span(point).subspan(first, end - first)));
      first = end;
    }
  }
}

Change PointChanges::read(const std::string& key, const YamlField& value) {
  return change_at(key, value, documents_.emplace_back());
}

bool PointChanges::include(const Change& shared) const {
  const auto any = [&shared](const std::vector<Change>& changes) {
    return std::any_of(changes.begin(), changes.end(), [&shared](const Change& own) {
      if (shared.hardware_turn()) return own.hardware_turn().has_value() || own.what_if().name == kParallel;
      return shared.what_if().sets_samples && own.what_if().sets_samples;
    });
  };
  return std::any_of(of_axes_.begin(), of_axes_.end(), any) || std::any_of(listed_.begin(), listed_.end(), any);
}

std::vector<const Change*> PointChanges::of(const Points& points, std::size_t point) const {
  std::vector<const Change*> changes;
  for (std::size_t axis = 0; axis < of_axes_.size(); ++axis)
    changes.push_back(&of_axes_[axis][points.place(point, axis)]);
  if (listed_.empty()) return changes;
  for (const Change& change : listed_[point]) changes.push_back(&change);
  return changes;
}

}  // namespace stepsim::scenarios
