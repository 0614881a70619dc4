#include "ingest/config/cluster_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::uint32_t kMostHosts = 100'000;

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// The number that `digits` write. One that does not fit becomes the largest, which no table has.
std::size_t number_of(const std::string& digits) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc{} ? number : std::string::npos;
}

}  // namespace

void NameTable::add(const std::string& name) {
  number_[name].push_back(names_.size());
  names_.push_back(name);
}

std::size_t NameTable::find(const YamlField& field, const std::string& text) const {
  if (is_number(text)) {
    const std::size_t number = number_of(text);
    if (number < names_.size()) return number;
    field.fail(fmt::format("{} {} does not exist; expected a number below {}", what_, shown(text, 30), names_.size()));
  }
  const auto found = number_.find(text);
  if (found == number_.end()) {
    const auto nearest = nearest_name(text, names_);
    const std::string hint = nearest.has_value() ? fmt::format("did you mean '{}'? ", *nearest) : std::string{};
    field.fail(fmt::format("{} '{}' does not exist; {}expected a name or number", what_, shown(text, 60), hint));
  }
  if (found->second.size() > 1) {
    field.fail(
        fmt::format("'{}' is the name of {} {}s; expected a number", shown(text, 60), found->second.size(), what_));
  }
  return found->second.front();
}

std::size_t NameTable::find(const YamlField& field) const {
  return find(field, field.scalar(fmt::format("the name or number of a {}", what_)));
}

DeviceId Places::device(const YamlField& field, HostId host, std::int32_t index) const {
  const auto found = devices.find({host, index});
  if (found == devices.end()) field.fail(fmt::format("its host has no device {}; expected one that exists", index));
  return found->second;
}

Endpoint Places::find(const YamlField& field) const {
  const std::string& text = field.scalar("a host, or a host's device such as node-a/3");
  const std::size_t slash = text.rfind('/');
  if (slash == std::string::npos || hosts.has(text)) return {HostId{hosts.find(field, text)}, {}};
  const HostId host{hosts.find(field, text.substr(0, slash))};
  const std::string index = text.substr(slash + 1);
  if (!is_number(index) || index.size() > 9) field.reject("a device's number after the host, such as node-a/3");
  return {host, device(field, host, static_cast<std::int32_t>(number_of(index)))};
}

std::vector<Host> read_hosts(const YamlField& field, NameTable& names) {
  std::vector<Host> hosts;
  if (field.is(YamlValue::Kind::kScalar)) {
    const std::uint32_t count = field.count(1, kMostHosts);
    for (std::uint32_t i = 0; i < count; ++i) hosts.push_back({std::to_string(i)});
  } else {
    for (const YamlField& item : field.list("how many there are, or a list of their names")) {
      const std::string& name = item.line_of_text("the name of a host");
      if (is_number(name) && name != std::to_string(hosts.size())) item.reject("a name that is no number");
      hosts.push_back({name});
      names.add(name);
      static_cast<void>(names.find(item, name));  // throws if a host of this name exists
    }
    if (hosts.empty() || hosts.size() > kMostHosts) field.reject(fmt::format("1 to {} names", kMostHosts));
    return hosts;
  }
  for (const Host& host : hosts) names.add(host.name);
  return hosts;
}

}  // namespace stepsim::ingest
