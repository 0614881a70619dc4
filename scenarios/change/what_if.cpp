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
/// The smallest number that is accepted for one "above 0".
constexpr double kLeastAboveZero = 1e-6;

/// Returns an example for an error message: "values such as {scale: 2}". This is the what-if's first parameter, or a
/// selection if it has no parameters.
std::string example_of(const WhatIf& what_if) {
  if (what_if.parameters.size() == 0) return "values such as {select: {name: 'gemm.*'}}";
  const Parameter& first = what_if.parameters[0];
  return fmt::format("values such as {{{}: {}}}", first.name, example_of(first.type));
}

YamlType parameters_type(const WhatIf& what_if) {
  YamlType type{.is_map = true};
  for (const Parameter& parameter : what_if.parameters) {
    YamlType value = yaml_type(parameter.type);
    value.definition = fmt::format("{}.{}", what_if.name, parameter.name);
    type.entries.push_back({std::string(parameter.name), std::move(value), description_of(parameter)});
  }
  if (what_if.selected != nullptr)
    type.entries.push_back({"select", Selector::type(), "Tasks that the change applies to (default: all)"});
  return type;
}

}  // namespace

std::string description_of(const Parameter& parameter) {
  return fmt::format("{}: {}{}", text_of(parameter.type), parameter.summary,
                     parameter.neutral.empty() ? "" : fmt::format(" ({} changes nothing)", parameter.neutral));
}

TypedValue typed_value(const Parameter& parameter, const YamlField& value) {
  const YamlType type = yaml_type(parameter.type, true);
  if ((type.forms & YamlType::kFlag) != 0) return value.flag();
  if ((type.forms & YamlType::kSize) != 0) return value.bytes(static_cast<std::int64_t>(type.least));
  if (type.forms == 0) return static_cast<std::uint32_t>(value.one_of_words(type.words));
  if (!type.words.empty())
    if (const auto number = number_of_word(parameter.type, value)) return static_cast<std::uint32_t>(*number);
  if ((type.forms & YamlType::kWhole) != 0)
    return value.count(static_cast<std::uint32_t>(type.least), static_cast<std::uint32_t>(type.most));
  if ((type.forms & YamlType::kFactor) == 0) return value.number(type.least, type.most);
  return scale_of(value, type.excludes_least ? kLeastAboveZero : type.least);
}

std::string size_text(Bytes size) {
  constexpr std::int64_t kKibi = 1024;
  std::int64_t count = size.count();
  std::size_t unit = 0;
  for (; unit < 3 && count != 0 && count % kKibi == 0; ++unit) count /= kKibi;
  static constexpr std::array<std::string_view, 4> kUnits{"", "KiB", "MiB", "GiB"};
  return fmt::format("{}{}", count, kUnits.at(unit));
}

std::string text_of(const Parameter& parameter, const TypedValue& value) {
  if (const auto* const size = std::get_if<Bytes>(&value)) return size_text(*size);
  if (const auto* const number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* const flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  const auto number = std::get<std::uint32_t>(value);
  const YamlType type = yaml_type(parameter.type);
  return type.forms == 0 ? type.words[number] : fmt::format("{}", number);
}

std::optional<KnownParameter> find_parameter(std::string_view name) {
  const std::size_t dot = std::min(name.find('.'), name.size() - 1);
  for (const WhatIf* const what_if : what_ifs()) {
    if (what_if->name != name.substr(0, dot)) continue;
    for (const Parameter& parameter : what_if->parameters)
      if (parameter.name == name.substr(dot + 1)) return KnownParameter{what_if, &parameter};
  }
  return std::nullopt;
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
    read_all(map);
  });
}

Change::Change(const WhatIf& what_if, const YamlField& place, std::vector<Given> values)
    : what_if_(&what_if), values_(std::move(values)), selector_(Selector::of_all(place)), place_(place) {}

std::string Change::Given::text() const {
  return value && place.value->text.empty() ? text_of(*parameter, *value) : place.value->text;
}

void Change::read_all(const YamlField& map) {
  if (!map.is(YamlValue::Kind::kMap)) map.reject(example_of(*what_if_));
  std::vector<std::string> names;
  for (const Parameter& parameter : what_if_->parameters) names.emplace_back(parameter.name);
  if (what_if_->selected != nullptr) names.emplace_back("select");
  selector_ = Selector::of_all(map);
  map.for_each_entry(names, [this](std::size_t place, const YamlField& value) {
    if (place < what_if_->parameters.size()) {
      values_.push_back({&what_if_->parameters[place], value, std::nullopt});
    } else {
      selector_ = Selector(value);
    }
  });
}

const Change::Given* Change::given(std::string_view parameter) const noexcept {
  const auto found = std::find_if(values_.begin(), values_.end(),
                                  [parameter](const Given& entry) { return entry.parameter->name == parameter; });
  return found == values_.end() ? nullptr : &*found;
}

const YamlField* Change::find(std::string_view parameter) const noexcept {
  const Given* const found = given(parameter);
  return found == nullptr ? nullptr : &found->place;
}

bool Change::has_word(std::string_view parameter, std::string_view word) const {
  std::string given;
  return read(parameter, given) != nullptr && given == word;
}

std::optional<std::vector<TaskId>> Change::selected(const Capture& capture) const {
  if (what_if_->selected == nullptr) return std::nullopt;
  return what_if_->selected(*this, capture);
}

std::string Change::to_text() const {
  std::string text = std::string(what_if_->name) + selector_.to_text();
  std::string_view between;
  for (const Given& one : values_) {
    text += fmt::format("{}.{}={}", between, one.parameter->name, shown(one.text()));
    between = " ";
  }
  return text;
}

EditKey Change::key() const {
  EditKey key{.what_if = what_if_->name, .selected = selector_.values(), .values = {}};
  for (const Given& one : values_) {
    key.values.emplace_back(one.parameter->name, one.value ? std::vector{one.text()} : scalars_of(*one.place.value));
  }
  return key;
}

void Change::apply(Plan& plan) const {
  plan.ungrouped_ranks.add(selector_.named_ranks(plan.job.local_size.value_or(1)));
  if (what_if_->kind != nullptr) plan.kinds.insert(what_if_->kind(*this));
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
  const Plan::SamplesPerPass asked = std::exchange(plan.at_once, {});
  if (asked.change != nullptr)
    grow_batch(*asked.change, *asked.value, asked.samples, plan.size_of_sent_activations(), plan);
  const YamlField* const algorithm = std::exchange(plan.algorithm, nullptr);
  if (algorithm != nullptr && plan.parallelism.ranks() == 1) need_sized_collectives(*algorithm, plan);
  for (auto change = hardware; change != changes.end(); ++change) (*change)->apply(plan);
}

void apply_all(const std::vector<Change>& changes, Plan& plan) {
  std::vector<const Change*> all;
  all.reserve(changes.size());
  for (const Change& change : changes) all.push_back(&change);
  apply_all(std::move(all), plan);
}

}  // namespace stepsim::scenarios
