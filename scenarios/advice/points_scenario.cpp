#include "scenarios/advice/points_scenario.h"

#include <memory>
#include <utility>

namespace stepsim::scenarios {
namespace {

constexpr std::string_view kName = "advise";
constexpr std::string_view kPlace = "advise:1: ";

YamlValue scalar(const std::string& text) { return {YamlValue::Kind::kScalar, 1, text, {}}; }

}  // namespace

Scenario scenario_of(const std::vector<std::vector<Setting>>& points) {
  YamlText text{std::string(kName), {YamlValue::Kind::kList, 1, {}, {}}};
  for (const std::vector<Setting>& point : points) {
    for (const Setting& setting : point) text.root.items.push_back(scalar(setting.value));
  }
  const auto document = std::make_shared<const YamlText>(std::move(text));
  Scenario scenario;
  scenario.documents.push_back(document);
  std::size_t place = 0;
  for (const std::vector<Setting>& point : points) {
    std::vector<PointValue>& values = scenario.points.emplace_back();
    for (const Setting& setting : point)
      values.push_back({setting.key, {setting.key, &document->root.items[place++], &document->name}});
  }
  return scenario;
}

std::string without_place(std::string_view problem) {
  return std::string(problem.starts_with(kPlace) ? problem.substr(kPlace.size()) : problem);
}

}  // namespace stepsim::scenarios
