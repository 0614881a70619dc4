#include "sim/output/yaml_schema.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "model/base/units.h"
#include "sim/output/json_writer.h"

namespace stepsim::sim {
namespace {

constexpr std::string_view kWhole = "[0-9]+";
constexpr std::string_view kDecimal = R"(([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?)";

/// Returns the expression that a scalar must match if YAML reads it as text. Empty if it can be any text.
std::string pattern_of(const YamlType& type) {
  if ((type.forms & YamlType::kText) != 0) return type.pattern.empty() ? "" : fmt::format("^({})$", type.pattern);
  const std::array<std::pair<YamlType::Form, std::string>, 7> patterns{{
      {YamlType::kRate, bandwidth_pattern()},
      {YamlType::kLinkRate, link_rate_pattern()},
      {YamlType::kTime, duration_pattern()},
      {YamlType::kSize, fmt::format("{}|{}", bytes_pattern(), kWhole)},
      {YamlType::kFactor, fmt::format("{}x", kDecimal)},
      {YamlType::kNumber, std::string(kDecimal)},
      {YamlType::kWhole, std::string(kWhole)},
  }};
  std::string all;
  for (const auto& [form, pattern] : patterns) {
    if ((type.forms & form) != 0) all += (all.empty() ? "" : "|") + pattern;
  }
  return fmt::format("^({})$", all);
}

class Writer {
 public:
  std::string write(const YamlType& file, std::string_view title) {
    collect(file);
    json_.begin_object().key("$schema").value("https://json-schema.org/draft/2020-12/schema").new_line();
    json_.key("title").value(title).new_line();
    write_any(file);
    if (!definitions_.empty()) {
      json_.new_line().key("$defs").begin_object();
      for (const auto& [name, entry] : definitions_) {
        json_.new_line().key(name);
        write_new(entry->type, entry->summary);
      }
      json_.end_object();
    }
    json_.end_object();
    return json_.take() + '\n';
  }

 private:
  /// Finds the values of keys that have a definition.
  void collect(const YamlType& type) {  // NOLINT(misc-no-recursion): as deep as the type
    for (const std::vector<YamlType>* const types : {&type.items, &type.others})
      for (const YamlType& part : *types) collect(part);
    for (const YamlEntry& entry : type.entries) {
      if (!entry.type.definition.empty()) definitions_.emplace(entry.type.definition, &entry);
      collect(entry.type);
    }
  }

  void write_object(const YamlType& type, std::string_view summary = {}) {  // NOLINT(misc-no-recursion)
    if (type.definition.empty()) return write_new(type, summary);
    json_.begin_object().key("$ref").value("#/$defs/" + type.definition).end_object();
  }

  void write_new(const YamlType& type, std::string_view summary) {  // NOLINT(misc-no-recursion)
    json_.begin_object();
    if (!summary.empty()) json_.key("description").value(summary);
    write_any(type);
    json_.end_object();
  }

  /// Writes the members that describe `type` with its alternatives.
  void write_any(const YamlType& type) {  // NOLINT(misc-no-recursion)
    const bool words_and_forms = !type.words.empty() && type.forms != 0;
    if (type.others.empty() && !words_and_forms) return write_one(type);
    json_.key("anyOf").begin_array();
    if (words_and_forms) {
      json_.begin_object();
      write_words(type);
      json_.end_object();
    }
    json_.begin_object();
    write_one(type);
    json_.end_object();
    for (const YamlType& other : type.others) write_object(other);
    json_.end_array();
  }

  void write_one(const YamlType& type) {  // NOLINT(misc-no-recursion)
    if (type.is_map) {
      write_map(type);
    } else if (!type.items.empty()) {
      json_.key("type").value("array").key("items");
      write_object(type.items.front());
      if (type.min_size > 0) json_.key("minItems").value(type.min_size);
      if (type.max_size > 0) json_.key("maxItems").value(type.max_size);
    } else if (type.forms == YamlType::kFlag) {
      json_.key("type").value("boolean");
    } else if (type.forms != 0) {
      write_scalar(type);
    } else {
      write_words(type);
    }
  }

  void write_words(const YamlType& type) {
    json_.key("enum").begin_array();
    for (const std::string& word : type.words) json_.value(word);
    json_.end_array();
  }

  void write_scalar(const YamlType& type) {
    const auto has = [&type](unsigned forms) { return (type.forms & forms) != 0; };
    json_.key("type").begin_array().value("string");
    if (has(YamlType::kWhole | YamlType::kSize | YamlType::kTime)) {
      json_.value("integer");
    } else if (has(YamlType::kText | YamlType::kNumber)) {
      json_.value("number");
    }
    if (has(YamlType::kText) && !has(YamlType::kWhole)) json_.value("boolean");
    json_.end_array();
    if (const std::string pattern = pattern_of(type); !pattern.empty()) json_.key("pattern").value(pattern);
    if (has(YamlType::kTime)) {  // the only time without a unit is 0
      json_.key("minimum").value(0).key("maximum").value(0);
    } else {
      write_bound(type.excludes_least ? "exclusiveMinimum" : "minimum", type.least);
      write_bound("maximum", type.most);
    }
  }

  void write_bound(std::string_view key, double bound) {
    if (!std::isfinite(bound)) return;
    if (std::trunc(bound) == bound) {
      json_.key(key).value(static_cast<std::int64_t>(bound));
    } else {
      json_.key(key).value(bound);
    }
  }

  void write_map(const YamlType& type) {  // NOLINT(misc-no-recursion)
    json_.key("type").value("object");
    for (const bool patterns : {false, true}) {
      bool any = false;
      for (const YamlEntry& entry : type.entries) {
        if (entry.is_pattern != patterns) continue;
        if (!std::exchange(any, true)) json_.key(patterns ? "patternProperties" : "properties").begin_object();
        json_.new_line().key(patterns ? fmt::format("^{}$", entry.name) : entry.name);
        write_object(entry.type, entry.summary);
      }
      if (any) json_.end_object();
    }
    json_.key("additionalProperties").value(false);
    if (type.min_size > 0) json_.key("minProperties").value(type.min_size);
    if (type.max_size > 0) json_.key("maxProperties").value(type.max_size);
    bool any = false;
    for (const YamlEntry& entry : type.entries) {
      if (!entry.required) continue;
      if (!std::exchange(any, true)) json_.key("required").begin_array();
      json_.value(entry.name);
    }
    if (any) json_.end_array();
    if (type.either.empty()) return;
    json_.key("oneOf").begin_array();
    for (const std::string& key : type.either)
      json_.begin_object().key("required").begin_array().value(key).end_array().end_object();
    json_.end_array();
  }

  JsonWriter json_;
  std::map<std::string, const YamlEntry*> definitions_;
};

}  // namespace

std::string yaml_schema(const YamlType& file, std::string_view title) { return Writer().write(file, title); }

}  // namespace stepsim::sim
