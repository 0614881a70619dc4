#include "ingest/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "ingest/bytes/input.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/base/yaml.h"
#include "model/base/yaml_keys.h"

namespace stepsim::ingest {
namespace {

constexpr YamlForm kRangesForm{1U << 20U, "repeat: 50"};
constexpr std::uint32_t kMostIterations = 10'000'000;  // each iteration becomes a line of the schedule
constexpr std::uint32_t kMostOccurrences = 1'000'000;
constexpr const char* kFieldText = "[^ ]+";  // without blanks, as field_text() requires

/// Returns true if a text can be a field of the schedule that is written from this file. The text must not be empty. It
/// must contain no blanks, because they separate the fields, and no control characters, because a schedule may be
/// printed to a terminal.
bool is_field(std::string_view text) {
  return !text.empty() && text.find(' ') == std::string_view::npos && shown(text, std::string_view::npos) == text;
}

std::string field_text(const YamlField& field, std::string_view expected) {
  const std::string& text = field.line_of_text(expected);
  if (!is_field(text)) {
    field.fail(fmt::format("'{}' is '{}'; expected {} without blanks and control characters", field.name, shown(text),
                           expected));
  }
  return text;
}

const std::vector<YamlKey<ScheduledRange>>& range_keys() {
  static const std::vector<YamlKey<ScheduledRange>> keys{
      YamlKey<ScheduledRange>{
          "name", yaml::text(kFieldText), "Name of the range in the code",
          [](ScheduledRange& range, const YamlField& field) { range.name = field_text(field, "a range's name"); }}
          .required(),
      {"occurrence", &ScheduledRange::occurrence, yaml::count(0, kMostOccurrences),
       "Number of ranges with this name before it in an iteration (default: counted)"},
  };
  return keys;
}

ScheduledRange range_of(const YamlField& field) {
  ScheduledRange range;
  if (!field.is(YamlValue::Kind::kMap)) {
    range.name = field_text(field, "a range's name");
    return range;
  }
  read_map(field, range_keys(), range);
  if (range.name.empty()) field.fail("a range has no 'name'; expected its name in the code");
  return range;
}

void take_ranges(std::vector<ScheduledRange>& ranges, const YamlField& field) {
  if (!ranges.empty()) {
    field.fail(
        fmt::format("'{}' is given twice for this layer; expected one list forward and one backward", field.name));
  }
  for (const YamlField& item : field.list("a list of the names of ranges")) ranges.push_back(range_of(item));
}

void take_forward(ScheduledLayer& layer, const YamlField& field) { take_ranges(layer.forward, field); }
void take_backward(ScheduledLayer& layer, const YamlField& field) { take_ranges(layer.backward, field); }

const std::vector<YamlKey<ScheduledLayer>>& layer_keys() {
  static const YamlType ranges = yaml::list(yaml::either(yaml::text(kFieldText), type_of(range_keys())));
  static const std::vector<YamlKey<ScheduledLayer>> keys{
      {"forward", ranges, "Ranges of the forward pass", take_forward},
      {"backward", ranges, "Ranges of the backward pass", take_backward},
      {"forward_events", ranges, "HugeCTR's name for 'forward'", take_forward},
      {"backward_events", ranges, "HugeCTR's name for 'backward'", take_backward}};
  return keys;
}

void take_layers(RangeSchedule& schedule, const YamlField& field) {
  if (!field.is(YamlValue::Kind::kMap)) field.reject("a map of layers with their ranges");
  std::map<std::string_view, std::uint32_t> lines;
  const std::vector<YamlValue>& items = field.value->items;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    ScheduledLayer& layer = schedule.layers.emplace_back();
    layer.name = field_text({"layers", &items[i], field.file}, "a layer's name");
    const YamlField entry{layer.name, &items[i + 1], field.file};
    const auto [line, added] = lines.try_emplace(items[i].text, items[i].line);
    if (!added) {
      entry.fail(fmt::format("the layer '{}' is given twice, first in line {}; expected it once", shown(layer.name),
                             line->second));
    }
    if (!entry.is(YamlValue::Kind::kMap)) entry.reject("a map with forward and backward");
    read_map(entry, layer_keys(), layer);
    if (layer.forward.empty() && layer.backward.empty())
      entry.fail(fmt::format("the layer '{}' has no ranges; expected forward or backward", shown(layer.name)));
  }
}

/// Returns the type of a map from the names of layers to their ranges.
YamlType layers_type() {
  YamlType layers = yaml::map(
      {{.name = kFieldText, .type = type_of(layer_keys()), .summary = "A layer: its ranges", .is_pattern = true}});
  layers.min_size = 1;
  return layers;
}

const std::vector<YamlKey<RangeSchedule>>& schedule_keys() {
  static const std::vector<YamlKey<RangeSchedule>> keys{
      {"warmup", &RangeSchedule::warmup, yaml::count(1, kMostIterations),
       "Iterations without measurements (default: 10)"},
      {"repeat", &RangeSchedule::repeat, yaml::count(1, kMostIterations),
       "Iterations in which each range is measured (default: 50)"},
      YamlKey<RangeSchedule>{"layers", layers_type(), "Parts of the model, each with its ranges", take_layers}
          .required(),
  };
  return keys;
}

/// Rejects two entries for the same range, because the range would be measured only once.
void check_places(const YamlField& file, const RangeSchedule& schedule) {
  const std::vector<RangePlace> places = places_of(schedule);
  std::map<std::pair<std::string_view, std::uint32_t>, std::string_view> layers;
  for (const RangePlace& place : places) {
    const auto [slot, added] = layers.try_emplace({place.name, place.occurrence}, place.layer);
    if (!added) {
      file.fail(fmt::format("'{}' with occurrence {} is in the layers '{}' and '{}'; expected each range once",
                            place.name, place.occurrence, slot->second, place.layer));
    }
  }
  const std::uint64_t iterations = std::uint64_t{schedule.repeat} * places.size() + schedule.warmup;
  if (iterations > kMostIterations)
    file.fail(fmt::format("the schedule takes {} iterations; expected at most {}", iterations, kMostIterations));
}

}  // namespace

YamlType ranges_file_type() { return type_of(schedule_keys()); }

RangeSchedule parse_ranges(std::string_view text, const std::string& name) {
  const YamlValue root = parse_yaml(text, name, kRangesForm);
  const YamlField file{"the file", &root, &name};
  RangeSchedule schedule;
  if (is_filled_map(file, kRangesForm)) read_map(file, schedule_keys(), schedule);
  if (schedule.layers.empty()) file.fail("the file has no layer; expected 'layers' with at least one");
  check_places(file, schedule);
  return schedule;
}

RangeSchedule parse_events(std::string_view text, const std::string& name) {
  RangeSchedule schedule;
  ScheduledLayer& layer = schedule.layers.emplace_back();
  layer.name = "High_Level";
  std::set<std::string_view> known;
  if (text.size() > kRangesForm.largest) {
    throw InputError(
        {name, {}, {}},
        fmt::format("the file has more than {} bytes; expected names of ranges, one per line", kRangesForm.largest));
  }
  std::uint32_t line = 0;
  while (!text.empty()) {
    ++line;
    std::string_view word = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.ends_with('\r')) word.remove_suffix(1);
    if (word.empty() || !known.insert(word).second) continue;
    if (!is_field(word)) {
      throw InputError(
          {name, {}, line},
          fmt::format(
              "'{}' is not a name of a range; expected one name per line, without blanks and control characters",
              shown(word)));
    }
    layer.forward.push_back({std::string(word), 0U});
  }
  if (layer.forward.empty())
    throw InputError({name, {}, {}}, "the file has no name; expected names of ranges, one per line");
  const std::uint64_t iterations = std::uint64_t{schedule.repeat} * layer.forward.size() + schedule.warmup;
  if (iterations > kMostIterations) {
    throw InputError({name, {}, {}},
                     fmt::format("the schedule takes {} iterations; expected at most {}", iterations, kMostIterations));
  }
  return schedule;
}

RangeSchedule read_ranges_file(const std::string& path) {
  const std::string text = read_small_file(path, kRangesForm.largest).text;
  return path.ends_with(".events") ? parse_events(text, path) : parse_ranges(text, path);
}

}  // namespace stepsim::ingest
