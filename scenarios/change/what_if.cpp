#include "scenarios/change/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "model/base/error.h"
#include "model/base/number.h"
#include "model/base/text.h"
#include "scenarios/change/batch_growth.h"

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

/// Returns the number after `word` in `text`, for example after " from ".
std::optional<double> number_after(std::string_view text, std::string_view word) {
  const std::size_t begin = text.find(word);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(begin + word.size());
  return parse_number<double>(rest.substr(0, rest.find(' ')));
}

void set_bounds(std::string_view text, YamlType& type) {
  if (const auto least = number_after(text, " from ")) type.least = *least;
  if (const auto least = number_after(text, " above ")) {
    type.least = *least;
    type.excludes_least = true;
  }
  if (const auto most = number_after(text, " to ")) type.most = *most;
}

/// Adds one alternative of a form to `type`. `first` is true for the first one.
void add_alternative(std::string_view text, bool first, const Parameter& parameter, YamlType& type) {
  const bool scales = text.find("such as") != std::string_view::npos;
  if (text.starts_with("a rate ")) {
    type.forms |= YamlType::kRate;
  } else if (text.starts_with("a time ")) {
    type.forms |= YamlType::kTime;
  } else if (text.starts_with("a size ")) {
    type.forms |= YamlType::kSize;
    type.least = 0;
  } else if (text.starts_with("a factor ")) {
    type.forms |= YamlType::kFactor;
    if (first) type.forms |= YamlType::kNumber;
  } else if (text.starts_with("a number ")) {
    type.forms |= YamlType::kNumber;
    if (scales) type.forms |= YamlType::kFactor;
    set_bounds(text, type);
  } else if (text.starts_with("a whole number")) {
    type.forms |= YamlType::kWhole;
    type.least = 0;
    set_bounds(text, type);
  } else if (text.starts_with("the name ") || text.starts_with("a device ") || text.starts_with("a trace ") ||
             text.starts_with("numbers ")) {
    const YamlType names = parameter.names == nullptr ? yaml::text() : parameter.names();
    type.forms |= names.forms;
    type.pattern = names.pattern;
    type.words.insert(type.words.end(), names.words.begin(), names.words.end());
  } else {
    STEPSIM_ASSERT(text.find(' ') == std::string_view::npos, "the form of a parameter is one that type_of() reads");
    type.words.emplace_back(text);
  }
}

/// Removes the text before the first comma or "or" from `form` and returns it.
std::string_view next_alternative(std::string_view& form) {
  constexpr std::array<std::string_view, 3> kBetween{", or ", " or ", ", "};
  std::size_t end = form.size();
  std::size_t next = form.size();
  for (const std::string_view between : kBetween) {
    const std::size_t found = form.find(between);
    if (found >= end) continue;
    end = found;
    next = found + between.size();
  }
  const std::string_view alternative = form.substr(0, end);
  form.remove_prefix(next);
  return alternative;
}

YamlType parameters_type(const WhatIf& what_if) {
  YamlType type{.is_map = true};
  for (const Parameter& parameter : what_if.parameters) {
    YamlType value = type_of(parameter);
    value.definition = fmt::format("{}.{}", what_if.name, parameter.name);
    type.entries.push_back({std::string(parameter.name), std::move(value), description_of(parameter)});
  }
  if (what_if.selected != nullptr)
    type.entries.push_back({"select", Selector::type(), "Tasks that the change applies to (default: all)"});
  return type;
}

}  // namespace

std::string description_of(const Parameter& parameter) {
  return fmt::format("{}: {}{}", parameter.form, parameter.summary,
                     parameter.neutral.empty() ? "" : fmt::format(" ({} changes nothing)", parameter.neutral));
}

YamlType type_of(const Parameter& parameter) {
  if (parameter.form == "true or false") return yaml::flag();
  YamlType type;
  bool first = true;
  for (std::string_view form = parameter.form; !form.empty(); first = false) {
    const std::string_view alternative = next_alternative(form);
    if (!is_digit(alternative.front())) add_alternative(alternative, first, parameter, type);  // not "0 for no bound"
  }
  return type;
}

YamlType change_type() {
  YamlType type{.min_size = 1, .max_size = 1, .is_map = true};
  for (const WhatIf* const what_if : what_ifs())
    type.entries.push_back({std::string(what_if->name), parameters_type(*what_if), std::string(what_if->summary)});
  return type;
}

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

namespace {

/// Throws InputError for a name that is neither a what-if nor similar to one, such as "tp": perhaps no what-if does it.
void refuse_unlike_any(const YamlField& entry, const std::vector<std::string>& names) {
  const YamlValue& key = entry.value->items.front();
  const bool is_known = std::find(names.begin(), names.end(), key.text) != names.end();
  if (key.kind != YamlValue::Kind::kScalar || is_known || nearest_name(key.text, names)) return;
  YamlField{entry.name, &key, entry.file}.fail(
      fmt::format("unknown key '{}'; expected {}; 'stepsim help not-modelled' lists what no what-if changes",
                  shown(key.text), one_of(names)));
}

}  // namespace

Change::Change(const YamlField& entry) {
  if (!entry.is(YamlValue::Kind::kMap)) entry.reject(kForm);
  if (entry.value->items.size() != 2) {
    entry.fail(fmt::format("'{}' names {} what-ifs; expected {}", entry.name, entry.value->items.size() / 2, kForm));
  }
  std::vector<std::string> names;
  for (const WhatIf* const known : what_ifs()) names.emplace_back(known->name);
  refuse_unlike_any(entry, names);
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

std::string Change::to_text() const {
  std::string text = std::string(what_if_->name) + selector_.to_text();
  std::string_view between;
  for (const auto& [parameter, value] : values_) {
    text += fmt::format("{}.{}={}", between, parameter->name, shown(value.value->text));
    between = " ";
  }
  return text;
}

EditKey Change::key() const {
  EditKey key{.what_if = what_if_->name, .selected = selector_.values(), .values = {}};
  for (const auto& [parameter, value] : values_) key.values.emplace_back(parameter->name, scalars_of(*value.value));
  return key;
}

bool Change::sets_only(std::string_view what_if, std::string_view parameter) const noexcept {
  return what_if_->name == what_if && values_.size() == 1 && values_.front().first->name == parameter;
}

void Change::apply(Plan& plan) const {
  plan.ungrouped_ranks.add(selector_.named_ranks(plan.job.local_size.value_or(1)));
  if (what_if_->apply != nullptr) what_if_->apply(*this, plan);
}

std::optional<int> Change::hardware_turn() const {
  return what_if_->hardware_turn == nullptr ? std::nullopt : std::optional(what_if_->hardware_turn(*this));
}

void apply_all(std::vector<const Change*> changes, Plan& plan) {
  // Changes that are not of hardware have no turn. An empty optional is less than any turn, so these changes come
  // first.
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change* a, const Change* b) { return a->hardware_turn() < b->hardware_turn(); });
  const auto hardware = std::find_if(changes.begin(), changes.end(),
                                     [](const Change* change) { return change->hardware_turn().has_value(); });
  for (auto change = changes.begin(); change != hardware; ++change) (*change)->apply(plan);
  for (const WhatIf* const what_if : what_ifs()) {
    if (what_if->apply_together == nullptr) continue;
    std::vector<const Change*> own;
    std::copy_if(changes.begin(), hardware, std::back_inserter(own),
                 [what_if](const Change* change) { return &change->what_if() == what_if; });
    if (!own.empty()) what_if->apply_together(own, plan);
  }
  const Plan::AtOnce asked = std::exchange(plan.at_once, {});
  if (asked.change != nullptr)
    grow_batch(*asked.change, *asked.value, asked.samples, plan.size_of_sent_activations(), plan);
  for (auto change = hardware; change != changes.end(); ++change) (*change)->apply(plan);
}

void apply_all(const std::vector<Change>& changes, Plan& plan) {
  std::vector<const Change*> all;
  all.reserve(changes.size());
  for (const Change& change : changes) all.push_back(&change);
  apply_all(std::move(all), plan);
}

}  // namespace stepsim::scenarios
