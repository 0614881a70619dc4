#include "scenarios/change/what_if.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::scenarios {
namespace {

constexpr std::string_view kForm = "one what-if with its values, such as {network: {bandwidth: 2x}}";
constexpr double kSmallestFactor = 1e-9;
constexpr double kLargestFactor = 1e9;

/// Returns an example for an error message: "values such as {scale: 2}". This is the what-if's first parameter with the
/// example in Parameter::form, or a selection if it has no parameters.
std::string example_of(const WhatIf& what_if) {
  constexpr std::string_view kBefore = "such as ";
  if (what_if.parameters.size() == 0) return "values such as {select: {name: 'gemm.*'}}";
  const Parameter& first = what_if.parameters[0];
  const std::size_t example = first.form.find(kBefore);
  std::string_view value = first.form.substr(example == std::string_view::npos ? 0 : example + kBefore.size());
  value = value.substr(0, value.find_first_of(" ,"));
  return fmt::format("values such as {{{}: {}}}", first.name, value);
}

}  // namespace

std::optional<double> factor_of(const YamlField& value) {
  if (!value.is(YamlValue::Kind::kScalar) || !value.value->text.ends_with('x')) return std::nullopt;
  const std::string& text = value.value->text;
  const auto factor = parse_number<double>(std::string_view(text).substr(0, text.size() - 1));
  if (!factor || !(*factor >= kSmallestFactor && *factor <= kLargestFactor)) {
    value.reject("a factor such as 2x or 0.5x, from 1e-9x to 1e9x");
  }
  return factor;
}

double scale_of(const YamlField& value, double least) {
  if (const auto factor = factor_of(value)) return *factor;
  return value.number(least, kLargestFactor);
}

Change::Change(const YamlField& entry) {
  if (!entry.is(YamlValue::Kind::kMap)) entry.reject(kForm);
  if (entry.value->items.size() != 2) {
    entry.fail(fmt::format("'{}' names {} what-ifs; expected {}", entry.name, entry.value->items.size() / 2, kForm));
  }
  std::vector<std::string> names;
  for (const WhatIf* const known : what_ifs()) names.emplace_back(known->name);
  entry.for_each_entry(names, [this](std::size_t place, const YamlField& map) {
    what_if_ = what_ifs()[place];
    place_ = map;
    read(map);
  });
}

void Change::read(const YamlField& map) {
  if (!map.is(YamlValue::Kind::kMap)) map.reject(example_of(*what_if_));
  std::vector<std::string> names;
  for (const Parameter& parameter : what_if_->parameters) names.emplace_back(parameter.name);
  if (what_if_->selected != nullptr) names.emplace_back("select");
  selector_ = Selector::of_all(map);
  map.for_each_entry(names, [this](std::size_t place, const YamlField& value) {
    if (place < what_if_->parameters.size()) {
      values_.emplace_back(&what_if_->parameters[place], value);
    } else {
      selector_ = Selector(value);
    }
  });
}

const YamlField* Change::find(std::string_view parameter) const noexcept {
  const auto found = std::find_if(values_.begin(), values_.end(),
                                  [parameter](const auto& entry) { return entry.first->name == parameter; });
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<std::vector<TaskId>> Change::selected(const Capture& capture) const {
  if (what_if_->selected == nullptr) return std::nullopt;
  return what_if_->selected(*this, capture);
}

std::string Change::key_in_both(const Change& other) const {
  if (what_if_ != other.what_if_ || selector_.to_text() != other.selector_.to_text()) return {};
  const auto shared = std::find_if(values_.begin(), values_.end(),
                                   [&](const auto& value) { return other.find(value.first->name) != nullptr; });
  return shared == values_.end() ? std::string{}
                                 : fmt::format("{}{}.{}", what_if_->name, selector_.to_text(), shared->first->name);
}

std::string Change::text_with(std::string (*written)(const std::string& value)) const {
  std::string text = std::string(what_if_->name) + selector_.to_text();
  std::string_view between;
  for (const auto& [parameter, value] : values_) {
    text += fmt::format("{}.{}={}", between, parameter->name, written(value.value->text));
    between = " ";
  }
  return text;
}

std::string Change::to_text() const {
  return text_with([](const std::string& value) { return shown(value); });
}

std::string Change::key() const {
  return text_with([](const std::string& value) { return value; });
}

std::optional<int> Change::hardware_turn() const {
  return what_if_->hardware_turn == nullptr ? std::nullopt : std::optional(what_if_->hardware_turn(*this));
}

void apply_all(std::vector<const Change*> changes, Plan& plan) {
  // Changes that are not of hardware have no turn. An empty optional is less than any turn, so these changes come
  // first.
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change* a, const Change* b) { return a->hardware_turn() < b->hardware_turn(); });
  for (const Change* const change : changes) change->apply(plan);
}

void apply_all(const std::vector<Change>& changes, Plan& plan) {
  std::vector<const Change*> all;
  all.reserve(changes.size());
  for (const Change& change : changes) all.push_back(&change);
  apply_all(std::move(all), plan);
}

}  // namespace stepsim::scenarios
