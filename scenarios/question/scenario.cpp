#include "scenarios/question/scenario.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/base/yaml.h"
#include "model/base/yaml_keys.h"

namespace stepsim::scenarios {
namespace {

constexpr YamlForm kForm{1U << 20U, "changes: [{network: {bandwidth: 2x}}]"};
constexpr std::size_t kMostChanges = 10'000;
constexpr std::string_view kDottedForm = "WHATIF.PARAMETER such as network.bandwidth";

YamlValue scalar(std::string_view text, std::uint32_t line) {
  return {YamlValue::Kind::kScalar, line, std::string(text), {}};
}

YamlValue map_of(std::vector<YamlValue> items, std::uint32_t line) {
  return {YamlValue::Kind::kMap, line, {}, std::move(items)};
}

/// The parts of "WHATIF{KEY=VALUE,...}.PARAMETER".
struct DottedKey {
  std::string_view what_if;
  std::string_view selection;  ///< text of the selection without the braces; empty if there is none
  std::string_view parameter;
  bool selects = false;
};

std::optional<DottedKey> parse_key(std::string_view text) {
  DottedKey key;
  const std::size_t brace = text.find('{');
  const std::size_t closing = text.rfind('}');
  key.selects = brace != std::string_view::npos;
  if (key.selects && (closing == std::string_view::npos || closing < brace)) return std::nullopt;
  const std::size_t dot = text.find('.', key.selects ? closing : 0);
  if (dot == std::string_view::npos || dot + 1 == text.size()) return std::nullopt;
  if (key.selects && dot != closing + 1) return std::nullopt;
  key.what_if = text.substr(0, key.selects ? brace : dot);
  if (key.selects) key.selection = text.substr(brace + 1, closing - brace - 1);
  key.parameter = text.substr(dot + 1);
  return key;
}

/// Parses "worker=1,name=BW.*" to a YAML map. A comma is part of a value if no "=" follows it.
YamlValue selection_of(std::string_view text, std::uint32_t line) {
  std::vector<YamlValue> items;
  while (!text.empty()) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {  // a key without a value, which Selector refuses
      items.insert(items.end(), {scalar(text, line), YamlValue{YamlValue::Kind::kNothing, line, {}, {}}});
      break;
    }
    std::size_t end = text.find(',', equals);
    while (end != std::string_view::npos && text.find('=', end) == std::string_view::npos) end = std::string_view::npos;
    items.push_back(scalar(text.substr(0, equals), line));
    items.push_back(scalar(text.substr(equals + 1, end == std::string_view::npos ? end : end - equals - 1), line));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return map_of(std::move(items), line);
}

/// Returns the YAML of one change: `{WHATIF: {select: ..., PARAMETER: value}}`. It has a `select` only if the key has a
/// selection.
YamlValue entry_of(const DottedKey& key, YamlValue value) {
  const std::uint32_t line = value.line;
  std::vector<YamlValue> values;
  if (key.selects) {
    values.push_back(scalar("select", line));
    values.push_back(selection_of(key.selection, line));
  }
  values.push_back(scalar(key.parameter, line));
  values.push_back(std::move(value));
  std::vector<YamlValue> entry;
  entry.push_back(scalar(key.what_if, line));
  entry.push_back(map_of(std::move(values), line));
  return map_of(std::move(entry), line);
}

Change change_in(const YamlText& document) { return Change({"changes", &document.root, &document.name}); }

void read_changes(Scenario& scenario, const YamlField& field) {
  const auto entries = field.list("a list of changes such as '- network: {bandwidth: 2x}'");
  if (entries.size() > kMostChanges) field.fail(fmt::format("more than {} changes; expected fewer", kMostChanges));
  for (const YamlField& entry : entries) scenario.changes.emplace_back(entry);
}

/// Throws InputError if a key of a sweep is unknown, or if its value is not a single value.
void check_value(const std::string& key, const YamlField& value) {
  static_cast<void>(value.scalar("one value"));
  std::shared_ptr<const YamlText> document;
  static_cast<void>(change_at(key, value, document));
}

/// Returns the entries of a map with keys such as network.bandwidth; refuse_changed_axes() finds keys that occur twice.
/// for_each_entry() cannot read such a map, because it needs a list of all possible keys, and these keys contain
/// selectors.
std::vector<PointValue> dotted_entries(const YamlField& field) {
  std::vector<PointValue> entries;
  for (std::size_t i = 0; i + 1 < field.value->items.size(); i += 2) {
    const YamlValue& key = field.value->items[i];
    const YamlField value{key.text, &field.value->items[i + 1], field.file};
    const YamlField place{field.name, &key, field.file};
    if (key.kind != YamlValue::Kind::kScalar) place.fail(fmt::format("a key is not text; expected {}", kDottedForm));
    if (!parse_key(key.text)) {
      place.fail(fmt::format("'{}' is not a key of a sweep; expected {}", shown(key.text, 60), kDottedForm));
    }
    entries.push_back({key.text, value, std::nullopt});
  }
  return entries;
}

/// The changes by their keys. A key is a what-if, a selection and a parameter.
class ChangesByKey {
 public:
  /// A key with the change that gave it a value first.
  struct Known {
    std::string key;     ///< "compute{worker=1}.scale"
    std::string change;  ///< "compute{worker=1}.scale=1.5 .add=2ms"
  };

  /// Returns the first key of `change` that has a value already; null if none has.
  [[nodiscard]] const Known* find(const Change& change) const {
    for (const auto& [parameter, values] : change.key().values) {
      if (const auto found = known_.find(key_of(change, parameter)); found != known_.end()) return &found->second;
    }
    return nullptr;
  }

  void add(const Change& change) {
    for (const auto& [parameter, values] : change.key().values) {
      known_.try_emplace(key_of(change, parameter),
                         Known{fmt::format("{}{}.{}", change.what_if().name, change.selector().to_text(), parameter),
                               change.to_text()});
    }
  }

 private:
  using Key = std::tuple<std::string_view, Selector::Values, std::string_view>;
  static Key key_of(const Change& change, std::string_view parameter) {
    Selector::Values selected = change.selector().values();
    std::sort(selected.begin(), selected.end());
    return {change.what_if().name, std::move(selected), parameter};
  }

  std::map<Key, Known> known_;
};

/// Throws InputError if two changes give the same key a value. Both would apply: a bandwidth of 2x twice is 4x.
void refuse_repeated_keys(const Scenario& scenario) {
  ChangesByKey changes;
  for (const Change& change : scenario.changes) {
    if (const ChangesByKey::Known* const other = changes.find(change)) {
      change.place().fail(
          fmt::format("{} also changes '{}'; expected only one of them", other->change, shown(other->key, 60)));
    }
    changes.add(change);
  }
}

/// Throws InputError if the sweep gives a key a value that a change of the whole scenario gives it, or twice in a
/// point. Both would apply, so a point labelled 1x would not have the captured value.
void refuse_changed_axes(const Scenario& scenario) {
  ChangesByKey shared;
  for (const Change& change : scenario.changes) shared.add(change);
  const auto refuse = [&shared](ChangesByKey& point, const PointValue& entry, const YamlField& value) {
    std::shared_ptr<const YamlText> document;
    const Change change = change_at(entry.key, value, document);
    if (const ChangesByKey::Known* const other = shared.find(change)) {
      value.fail(fmt::format("the sweep varies '{}', and {} changes it for all points; expected only one of them",
                             shown(entry.key, 60), other->change));
    }
    if (point.find(change) != nullptr)
      value.fail(fmt::format("'{}' is given twice; expected it once", shown(entry.key, 60)));
    point.add(change);
  };
  ChangesByKey grid;
  for (const Axis& axis : scenario.sweep)
    refuse(grid, {axis.key, axis.values, std::nullopt}, axis.values.list("a list of values").front());
  for (const std::vector<PointValue>& point : scenario.points) {
    ChangesByKey own;
    for (const PointValue& entry : point) refuse(own, entry, entry.value);
  }
}

void read_axis(Scenario& scenario, const PointValue& entry) {
  const auto values = entry.value.list("a list of values");
  if (values.empty()) {
    entry.value.fail(fmt::format("'{}' is empty; expected at least one value", shown(entry.key, 60)));
  }
  for (const YamlField& value : values) check_value(entry.key, value);
  scenario.sweep.push_back({entry.key, entry.value});
}

void read_point(Scenario& scenario, const YamlField& point) {
  if (!point.is(YamlValue::Kind::kMap) || point.value->items.empty()) {
    point.reject("values such as {network.bandwidth: 2x}");
  }
  scenario.points.push_back(dotted_entries(point));
  for (const PointValue& entry : scenario.points.back()) check_value(entry.key, entry.value);
}

/// Reads the field `sweep` of a scenario. A map defines a grid with one axis per key; a list defines the points
/// themselves.
void read_sweep(Scenario& scenario, const YamlField& field) {
  if (field.is(YamlValue::Kind::kMap)) {
    for (const PointValue& entry : dotted_entries(field)) read_axis(scenario, entry);
  } else {
    for (const YamlField& point : field.list("keys such as 'network.bandwidth: [1x, 2x]', or a list of points")) {
      read_point(scenario, point);
    }
  }
  if (scenario.sweep.empty() && scenario.points.empty()) {
    field.fail("'sweep' is empty; expected keys such as 'network.bandwidth: [1x, 2x]', or a list of points");
  }
}

/// Returns the keys of a sweep, such as network.bandwidth and network{rank=0}.bandwidth. The values are those of the
/// parameters, or lists of them if `lists` is true.
YamlType dotted_type(bool lists) {
  YamlType type{.min_size = 1, .is_map = true};
  for (const YamlEntry& what_if : change_type().entries) {
    const auto is_selection = [](const YamlEntry& entry) { return entry.name == "select"; };
    const bool selects = std::ranges::any_of(what_if.type.entries, is_selection);
    for (const YamlEntry& parameter : what_if.type.entries) {
      if (is_selection(parameter)) continue;
      const YamlType values = lists ? yaml::list(parameter.type, 1) : parameter.type;
      type.entries.push_back({fmt::format("{}.{}", what_if.name, parameter.name), values, parameter.summary});
      if (!selects) continue;
      type.entries.push_back({.name = fmt::format(R"({}\{{.*\}}\.{})", what_if.name, parameter.name),
                              .type = values,
                              .summary = parameter.summary,
                              .is_pattern = true});
    }
  }
  return type;
}

const std::vector<YamlKey<Scenario>>& scenario_keys() {
  static const std::vector<YamlKey<Scenario>> keys{
      {"name", yaml::text(), "Name of the question, for reports",
       [](Scenario& scenario, const YamlField& field) { scenario.name = field.line_of_text("a name"); }},
      {"changes", yaml::list(change_type()), "Changes, applied in order", read_changes},
      {"sweep", yaml::either(dotted_type(true), yaml::list(dotted_type(false), 1)),
       "Grid of values by WHATIF.PARAMETER, or a list of points", read_sweep},
  };
  return keys;
}

/// Parses "1x,2x,4x" to a YAML list.
YamlValue list_of(std::string_view text) {
  YamlValue list{YamlValue::Kind::kList, 1, {}, {}};
  for (const std::string_view part : parts_of(text, ',')) list.items.push_back(scalar(part, 1));
  return list;
}

/// Returns the place of errors in the text of --set. Each value of an axis has a copy of it, so it must not be as long
/// as the axis.
std::string place_of_set(std::string_view text) { return "--set " + shown(text); }

void add_change(Scenario& scenario, std::string_view text, const DottedKey& key, std::string_view value) {
  const auto document = std::make_shared<const YamlText>(YamlText{place_of_set(text), entry_of(key, scalar(value, 1))});
  scenario.changes.push_back(change_in(*document));
  scenario.documents.push_back(document);
}

/// Adds an axis with these values to the scenario's sweep. `text` is the text of --set, for errors.
void add_axis(Scenario& scenario, std::string_view text, const std::string& key, std::string_view values) {
  const auto document = std::make_shared<const YamlText>(YamlText{place_of_set(text), list_of(values)});
  const PointValue axis{key, {key, &document->root, &document->name}, std::nullopt};
  if (!scenario.points.empty()) {
    axis.value.fail(
        "the scenario is a list of points and cannot get another axis; expected one value, or a scenario with a grid");
  }
  read_axis(scenario, axis);
  scenario.documents.push_back(document);
}

/// Calls `act`. Throws UsageError, which names `--set TEXT`, if it throws InputError.
template <class Act>
void of_set(std::string_view text, Act act) {
  try {
    act();
  } catch (const InputError& error) {
    const std::string_view what = error.what();
    throw UsageError(fmt::format("--set '{}': {}", shown(text), what.substr(error.where().to_text().size() + 2)));
  }
}

void emit(YAML::Emitter& out, const YamlValue& value) {  // NOLINT(misc-no-recursion): as deep as the file
  const bool is_map = value.kind == YamlValue::Kind::kMap;
  switch (value.kind) {
    case YamlValue::Kind::kNothing: out << YAML::Null; return;
    case YamlValue::Kind::kScalar: out << value.text; return;
    case YamlValue::Kind::kList: out << YAML::Flow << YAML::BeginSeq; break;
    case YamlValue::Kind::kMap: out << YAML::BeginMap; break;
  }
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (is_map) out << (i % 2 == 0 ? YAML::Key : YAML::Value);
    emit(out, value.items[i]);
  }
  is_map ? out << YAML::EndMap : out << YAML::EndSeq;
}

}  // namespace

std::string changes_yaml(const Scenario& scenario) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  if (!scenario.name.empty()) out << YAML::Key << "name" << YAML::Value << scenario.name;
  out << YAML::Key << "changes" << YAML::Value << YAML::BeginSeq;
  for (const Change& change : scenario.changes) {
    out << YAML::BeginMap << YAML::Key << change.place().name << YAML::Value;
    emit(out, *change.place().value);
    out << YAML::EndMap;
  }
  out << YAML::EndSeq << YAML::EndMap;
  return std::string(out.c_str()) + '\n';
}

YamlType scenario_file_type() { return type_of(scenario_keys()); }

Scenario parse_scenario(std::string_view text, const std::string& name) {
  const auto document = std::make_shared<const YamlText>(YamlText{name, parse_yaml(text, name, kForm)});
  Scenario scenario;
  scenario.name = name;
  scenario.documents.push_back(document);
  const YamlField file{"scenario", &document->root, &document->name};
  if (!is_filled_map(file, kForm)) return scenario;
  read_map(file, scenario_keys(), scenario);
  refuse_repeated_keys(scenario);
  refuse_changed_axes(scenario);
  return scenario;
}

void add_set(Scenario& scenario, std::string_view text) {
  const std::size_t brace = text.find('}');
  const std::size_t equals = text.find('=', brace == std::string_view::npos ? 0 : brace);
  const auto key = equals == std::string_view::npos ? std::nullopt : parse_key(text.substr(0, equals));
  if (!key) {
    throw UsageError(
        fmt::format("--set '{}': expected WHATIF.PARAMETER=VALUE such as network.bandwidth=2x", shown(text)));
  }
  const std::string_view value = text.substr(equals + 1);
  of_set(text, [&] {
    if (value.find(',') == std::string_view::npos) {
      add_change(scenario, text, *key, value);
    } else {
      add_axis(scenario, text, std::string(text.substr(0, equals)), value);
    }
    refuse_changed_axes(scenario);
  });
}

void add_typed_set(Scenario& scenario, std::string_view text) {
  add_set(scenario, text);
  of_set(text, [&scenario] { refuse_repeated_keys(scenario); });
}

TypedSelection parse_selection(std::string_view text) {
  TypedSelection typed{
      std::make_shared<const YamlText>(YamlText{"--select " + std::string(text), selection_of(text, 1)}), {}};
  typed.selector = Selector({"select", &typed.document->root, &typed.document->name});
  return typed;
}

Change change_at(const std::string& key, const YamlField& value, std::shared_ptr<const YamlText>& document) {
  document = std::make_shared<const YamlText>(YamlText{*value.file, entry_of(*parse_key(key), *value.value)});
  return change_in(*document);
}

}  // namespace stepsim::scenarios
