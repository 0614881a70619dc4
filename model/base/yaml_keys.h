#ifndef STEPSIM_MODEL_BASE_YAML_KEYS_H
#define STEPSIM_MODEL_BASE_YAML_KEYS_H

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/base/yaml.h"

/// The keys of a YAML file and the values that each may have. A file has one table of YamlKey. Its reader reads by that
/// table, and the JSON Schema with which editors complete and check the file is written from it
/// (sim/output/yaml_schema.h):
///
///     const std::vector<YamlKey<Tier>> keys{
///         {"ports", &Tier::ports, yaml::count(1, 1'000'000), "ports of each switch"},
///         {"latency", &Tier::latency, yaml::time(), "latency of the uplink"},
///     };
///     read_map(field, keys, tier);
namespace stepsim {

struct YamlEntry;

/// The values that a place in a YAML file may have: one of the forms or words of a scalar, a list, a map, or one of
/// several types.
struct YamlType {  // NOLINT(misc-no-recursion): as deep as the tables that it is made from
  enum Form : unsigned {
    kRate = 1U,        ///< 25Gb/s
    kTime = 2U,        ///< 5us, or 0
    kSize = 4U,        ///< 25MiB, or a whole number of bytes from `least`
    kFactor = 8U,      ///< 2x
    kNumber = 16U,     ///< a decimal from `least` to `most`
    kWhole = 32U,      ///< a whole number from `least` to `most`
    kFlag = 64U,       ///< true or false
    kText = 128U,      ///< text that matches `pattern`
    kLinkRate = 256U,  ///< 450GB/s, or 4.13GB/s bus
  };

  unsigned forms = 0;
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool excludes_least = false;
  std::vector<std::string> words{};   ///< words that are allowed besides the forms
  std::string pattern{};              ///< regular expression of ECMAScript; if empty, any text is allowed
  std::vector<YamlType> items{};      ///< for a list: the type of its items
  std::size_t min_size = 0;           ///< smallest number of items or of entries
  std::size_t max_size = 0;           ///< largest number of items or of entries; 0 = no limit
  bool is_map = false;                ///< true for a map, which has `entries`
  std::vector<YamlEntry> entries;     ///< for a map: its keys; not `{}`, for which clang 14 needs the complete type
  std::vector<std::string> either{};  ///< for a map: keys of which it must have exactly one
  std::vector<YamlType> others{};     ///< further types; the value may have any of them
  std::string definition{};           ///< name under which a schema defines the value of a key once, if several have it
};

/// A key of a map and the values that it may have.
struct YamlEntry {  // NOLINT(misc-no-recursion): as YamlType
  std::string name;
  YamlType type;
  std::string summary;      ///< one line for people
  bool required = false;    ///< true if the map must have the key
  bool is_pattern = false;  ///< true if `name` is a regular expression of keys
};

/// A YamlType whose values are read as `Value`.
template <class Value>
struct YamlOf : YamlType {
  /// Converts `field`. Throws InputError as the functions of YamlField do.
  [[nodiscard]] Value read(const YamlField& field) const {
    if constexpr (std::same_as<Value, bool>) {
      return field.flag();
    } else if constexpr (std::same_as<Value, Bandwidth>) {
      return field.bandwidth();
    } else if constexpr (std::same_as<Value, LinkRate>) {
      return field.link_rate();
    } else if constexpr (std::same_as<Value, Duration>) {
      return field.duration();
    } else if constexpr (std::same_as<Value, Bytes>) {
      return field.bytes(static_cast<std::int64_t>(least));
    } else if constexpr (std::same_as<Value, double>) {
      return field.number(least, most);
    } else if constexpr (std::same_as<Value, std::uint32_t>) {
      return field.count(static_cast<std::uint32_t>(least), static_cast<std::uint32_t>(most));
    } else if constexpr (std::same_as<Value, std::string>) {
      return words[field.one_of_words(words)];
    } else {
      static_assert(std::is_enum_v<Value>);
      return static_cast<Value>(field.one_of_words(words));
    }
  }
};

namespace yaml {

[[nodiscard]] inline YamlOf<Bandwidth> rate() { return {{.forms = YamlType::kRate}}; }
[[nodiscard]] inline YamlOf<LinkRate> link_rate() { return {{.forms = YamlType::kLinkRate}}; }
[[nodiscard]] inline YamlOf<Duration> time() { return {{.forms = YamlType::kTime}}; }
[[nodiscard]] inline YamlOf<bool> flag() { return {{.forms = YamlType::kFlag}}; }
[[nodiscard]] inline YamlOf<Bytes> size(std::int64_t least) {
  return {{.forms = YamlType::kSize, .least = static_cast<double>(least)}};
}
[[nodiscard]] inline YamlOf<std::uint32_t> count(std::uint32_t least, std::uint32_t most) {
  return {{.forms = YamlType::kWhole, .least = static_cast<double>(least), .most = static_cast<double>(most)}};
}
[[nodiscard]] inline YamlOf<double> number(double least, double most) {
  return {{.forms = YamlType::kNumber, .least = least, .most = most}};
}
/// One of `words`. An enumeration has its values in the order of the words.
template <class Value = std::string>
[[nodiscard]] YamlOf<Value> one_of(const std::vector<std::string>& words) {
  YamlOf<Value> type;
  type.words = words;
  return type;
}
[[nodiscard]] inline YamlType text(std::string pattern = {}) {
  return {.forms = YamlType::kText, .pattern = std::move(pattern)};
}
[[nodiscard]] inline YamlType list(YamlType items, std::size_t min_size = 0, std::size_t max_size = 0) {
  return {.items = {std::move(items)}, .min_size = min_size, .max_size = max_size};
}
[[nodiscard]] inline YamlType map(std::vector<YamlEntry> entries) {
  return {.is_map = true, .entries = std::move(entries)};
}
[[nodiscard]] inline YamlType either(YamlType type, YamlType other) {
  type.others.push_back(std::move(other));
  return type;
}

}  // namespace yaml

/// A key of a map, the values that it may have, and the function that stores its value in `Target`.
template <class Target>
struct YamlKey {
  using Set = std::function<void(Target& target, const YamlField& field)>;

  /// A key whose value is stored in a member, which may be optional.
  template <class Member, class Value>
  requires std::same_as<Member, Value> || std::same_as<Member, std::optional<Value>> YamlKey(std::string key,
                                                                                             Member Target::*member,
                                                                                             YamlOf<Value> type,
                                                                                             std::string what)
      : entry{std::move(key), type, std::move(what)},
        set([member, type = std::move(type)](Target& target, const YamlField& field) {
          target.*member = type.read(field);
        }) {}
  YamlKey(std::string key, YamlType type, std::string what, Set store)
      : entry{std::move(key), std::move(type), std::move(what)}, set(std::move(store)) {}

  /// Returns the same key, without which a map is incomplete. The reader checks that after it has read the map.
  [[nodiscard]] YamlKey required() const {
    YamlKey key = *this;
    key.entry.required = true;
    return key;
  }

  YamlEntry entry;
  Set set;
};

template <class Target>
void read_map(const YamlField& map, const std::vector<YamlKey<Target>>& keys, Target& target) {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const YamlKey<Target>& key : keys) names.push_back(key.entry.name);
  map.for_each_entry(names, [&](std::size_t key, const YamlField& field) { keys[key].set(target, field); });
}

/// Returns the type of a map that read_map() reads.
template <class Target>
[[nodiscard]] YamlType type_of(const std::vector<YamlKey<Target>>& keys) {
  YamlType type{.is_map = true};
  for (const YamlKey<Target>& key : keys) type.entries.push_back(key.entry);
  return type;
}

}  // namespace stepsim

#endif
