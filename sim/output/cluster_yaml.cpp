#include "sim/output/cluster_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "model/base/text.h"
#include "model/cost/network/network.h"
#include "model/job/cluster.h"
#include "model/job/collective.h"
#include "sim/output/json_writer.h"

namespace stepsim::sim {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns a YAML scalar that reads back as `text`, also inside brackets.
std::string scalar(const std::string& text) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./- ";
  const bool plain = !text.empty() && text.find_first_not_of(kLetters) == std::string::npos &&
                     text.find_first_of("/- .") != 0 && text.back() != ' ';
  if (plain && text != "null" && text != "Null" && text != "NULL") return text;
  std::string quoted;
  append_json_string(quoted, text);
  return quoted;
}

/// Returns the rate in the largest unit that gives a whole number.
std::string rate_text(Bandwidth rate) {
  const double bytes = rate.bytes_per_second();
  if (std::fmod(bytes * 8, 1e9) == 0) return fmt::format("{:.0f}Gb/s", bytes * 8 / 1e9);
  if (std::fmod(bytes * 8, 1e6) == 0) return fmt::format("{:.0f}Mb/s", bytes * 8 / 1e6);
  if (std::fmod(bytes, 1e3) == 0) return fmt::format("{:.0f}kB/s", bytes / 1e3);
  return fmt::format("{:.0f}B/s", bytes);
}

std::string time_text(Duration time) {
  const std::int64_t count = time.count();
  if (count % 1'000'000 == 0 && count != 0) return fmt::format("{}ms", count / 1'000'000);
  if (count % 1'000 == 0 && count != 0) return fmt::format("{}us", count / 1'000);
  return fmt::format("{}ns", count);
}

/// Builds "{a: 1, b: 2}"; values that equal their defaults are left out.
class FlowMap {
 public:
  FlowMap& add(std::string_view key, std::string_view value) {
    add_item(text_, fmt::format("{}: {}", key, value));
    return *this;
  }
  FlowMap& add(std::string_view key, Duration time) { return time == Duration{} ? *this : add(key, time_text(time)); }
  FlowMap& add(std::string_view key, const std::optional<Bandwidth>& rate) {
    return rate.has_value() ? add(key, rate_text(*rate)) : *this;
  }
  FlowMap& add_efficiency(double efficiency) {
    return efficiency == 1 ? *this : add("efficiency", fmt::format("{}", efficiency));
  }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  [[nodiscard]] std::string text() const { return '{' + text_ + '}'; }

 private:
  std::string text_;
};

std::string hosts_text(const std::vector<Host>& hosts) {
  bool numbered = true;
  std::string names;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string number = std::to_string(i);
    const std::string& name = hosts[i].name.empty() ? number : hosts[i].name;
    numbered = numbered && name == number;
    add_item(names, scalar(name));
  }
  return numbered ? fmt::format("hosts: {}\n", hosts.size()) : fmt::format("hosts: [{}]\n", names);
}

/// Returns how to refer to each item: by name if that is unique, otherwise by number.
template <class Item>
std::vector<std::string> references(const std::vector<Item>& items) {
  std::map<std::string, std::size_t> count;
  for (const Item& item : items) ++count[item.name];
  std::vector<std::string> texts;
  for (const Item& item : items) {
    const bool by_name = !item.name.empty() && !is_number(item.name) && count[item.name] == 1;
    texts.push_back(by_name ? item.name : std::to_string(texts.size()));
  }
  return texts;
}

/// Returns a map of what differs from a cable without latency, or of everything.
std::string cable_text(const Cable& cable, bool everything = false) {
  FlowMap map;
  map.add("bandwidth", cable.bandwidth);
  if (everything || cable.latency != Duration{}) map.add("latency", time_text(cable.latency));
  if (everything || cable.efficiency != 1) map.add("efficiency", fmt::format("{}", cable.efficiency));
  if (everything || !cable.full_duplex) map.add("duplex", cable.full_duplex ? "full" : "half");
  return map.text();
}

/// Writes a cluster from the shape that it was built from.
class ShapeText {
 public:
  explicit ShapeText(const Cluster& cluster)
      : cluster_(cluster), shape_(*cluster.shape), hosts_(references(cluster.hosts)) {}

  [[nodiscard]] std::string text() const { return devices() + cables() + tiers() + overrides() + endpoints(); }

 private:
  [[nodiscard]] std::string devices() const {
    if (shape_.devices == 0) return {};
    if (shape_.device_model.empty()) return fmt::format("devices: {}\n", shape_.devices);
    return fmt::format("devices: {{count: {}, model: {}}}\n", shape_.devices, scalar(shape_.device_model));
  }

  [[nodiscard]] std::string cables() const {
    std::string text = fmt::format("nic: {}\n", cable_text(shape_.nic));
    if (shape_.nics > 1) text += fmt::format("nics: {}\n", shape_.nics);
    if (shape_.nvlink) text += fmt::format("nvlink: {}\n", cable_text(*shape_.nvlink));
    if (shape_.pcie) text += fmt::format("pcie: {}\n", cable_text(*shape_.pcie));
    return text;
  }

  [[nodiscard]] std::string tiers() const {
    std::string text = shape_.tiers.empty() ? "" : "tiers:\n";
    for (const Tier& tier : shape_.tiers) {
      FlowMap map;
      map.add("ports", std::to_string(tier.ports));
      if (tier.oversubscription != 1) map.add("oversubscription", fmt::format("{}", tier.oversubscription));
      if (tier.latency != shape_.nic.latency) map.add("latency", time_text(tier.latency));
      text += fmt::format("  - {}\n", map.text());
    }
    return text;
  }

  [[nodiscard]] std::string overrides() const {
    std::string text = shape_.differ.empty() ? "" : "overrides:\n";
    for (const auto& [host, cable] : shape_.differ) {
      // A missing key would mean the usual value, so every key is written.
      text += fmt::format("  - {{host: {}, nic: {}}}\n", scalar(hosts_[host.index()]), cable_text(cable, true));
    }
    return text;
  }

  [[nodiscard]] std::string endpoints() const {
    if (shape_.endpoints.empty() && !shape_.endpoint_count && shape_.endpoints_per_host == 1) return {};
    const auto place = [this](const Endpoint& endpoint) {
      const std::string& host = hosts_[endpoint.host.index()];
      if (!endpoint.device.valid()) return scalar(host);
      return scalar(fmt::format("{}/{}", host, cluster_.devices[endpoint.device.index()].index));
    };
    return fmt::format("endpoints: [{}]\n", joined(cluster_.endpoints, place));
  }

  const Cluster& cluster_;
  const ClusterShape& shape_;
  std::vector<std::string> hosts_;
};

bool one_endpoint_a_host(const Cluster& cluster) {
  if (cluster.endpoints.size() != cluster.hosts.size()) return false;
  for (std::size_t i = 0; i < cluster.hosts.size(); ++i) {
    if (cluster.endpoints[i] != Endpoint{HostId{i}, {}}) return false;
  }
  return true;
}

/// Writes a cluster link by link.
class LinkText {
 public:
  explicit LinkText(const Cluster& cluster)
      : cluster_(cluster), hosts_(references(cluster.hosts)), links_(references(cluster.links)) {
    for (std::vector<std::string>* const names : {&hosts_, &links_})
      std::transform(names->begin(), names->end(), names->begin(), scalar);
  }

  [[nodiscard]] std::string text() const { return links() + devices() + endpoints() + routes(); }

 private:
  [[nodiscard]] std::string links() const {
    std::string text = cluster_.links.empty() ? "links: []\n" : "links:\n";
    for (const Link& link : cluster_.links) {
      FlowMap map;
      if (!link.name.empty()) map.add("name", scalar(link.name));
      map.add("bandwidth", link.bandwidth).add("latency", link.latency).add_efficiency(link.efficiency);
      text += fmt::format("  - {}\n", map.text());
    }
    return text;
  }

  [[nodiscard]] std::string devices() const {
    std::string text = cluster_.devices.empty() ? "" : "devices:\n";
    for (const Device& device : cluster_.devices) {
      FlowMap map;
      map.add("host", hosts_[device.host.index()]).add("index", std::to_string(device.index));
      if (!device.model.empty()) map.add("model", scalar(device.model));
      text += fmt::format("  - {}\n", map.text());
    }
    return text;
  }

  [[nodiscard]] std::string endpoints() const {
    if (cluster_.uplinks.empty() && one_endpoint_a_host(cluster_)) return {};
    std::string text = "endpoints:\n";
    for (std::size_t i = 0; i < cluster_.endpoints.size(); ++i) {
      const Endpoint& endpoint = cluster_.endpoints[i];
      FlowMap map;
      map.add("host", hosts_[endpoint.host.index()]);
      if (endpoint.device.valid()) {
        map.add("device", std::to_string(cluster_.devices[endpoint.device.index()].index));
      }
      if (!cluster_.uplinks.empty()) add_uplink(map, cluster_.uplinks[i]);
      text += fmt::format("  - {}\n", map.text());
    }
    return text;
  }

  void add_uplink(FlowMap& map, const Cluster::UplinkPath& path) const {
    const auto number_of = [](std::uint32_t number) { return std::to_string(number); };
    const std::string switches = joined(path.switches, number_of);
    map.add("up", route(path.up)).add("down", route(path.down)).add("switches", '[' + switches + ']');
    if (!path.out.empty()) map.add("out", route(path.out));
    if (!path.in.empty()) map.add("in", route(path.in));
    const std::string relays = joined(path.relays, [&number_of](EndpointId relay) { return number_of(relay.value()); });
    if (!relays.empty()) map.add("relays", '[' + relays + ']');
  }

  [[nodiscard]] std::string routes() const {
    std::string text = cluster_.routes.empty() ? "" : "routes:\n";
    for (const auto& [ends, links] : cluster_.routes) {
      text +=
          fmt::format("  - {{from: {}, to: {}, links: {}}}\n", ends.first.value(), ends.second.value(), route(links));
    }
    return text;
  }

  [[nodiscard]] std::string route(const Route& route) const {
    return '[' + joined(route, [this](LinkId link) { return links_[link.index()]; }) + ']';
  }

  const Cluster& cluster_;
  std::vector<std::string> hosts_;
  std::vector<std::string> links_;
};

std::string value_text(const NetworkParameter& parameter, const ParameterValue& value) {
  if (const auto* const time = std::get_if<Duration>(&value)) return time_text(*time);
  if (const auto* const flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  const double number = std::get<double>(value);
  for (const ParameterWord& word : parameter.words) {
    if (word.number == number) return std::string(word.word);
  }
  return fmt::format("{}", number);
}

/// Returns the `messages` section. Relies on the order of parameters, in which those of the same nested map are
/// adjacent.
std::string messages_text(const NetworkParameters& network) {
  FlowMap messages;
  std::string_view open;  // key of the nested map whose entries `inner` contains
  FlowMap inner;
  const auto close = [&] {
    if (!inner.empty()) messages.add(open, inner.text());
    inner = {};
  };
  for (const NetworkParameter* const parameter : network_parameters()) {
    const auto [map, name] = parts_of_key(*parameter);
    if (map != open) close();
    open = map;
    const ParameterValue value = network.value_of(*parameter);
    if (value == parameter->default_value) continue;
    const std::string text = value_text(*parameter, value);
    (map.empty() ? messages : inner)
        .add(name, network.is_assumed(*parameter) ? FlowMap{}.add("value", text).add("assumed", "true").text() : text);
  }
  close();
  return messages.empty() ? "" : fmt::format("messages: {}\n", messages.text());
}

std::string rates_text(const HostRates& rates) {
  FlowMap map;
  map.add("copy_to_host", rates.copy_to_host).add("copy_to_device", rates.copy_to_device);
  map.add("copy_overhead", rates.copy_overhead).add("sum", rates.sum).add("sum_overhead", rates.sum_overhead);
  if (rates.launch_overhead.has_value()) map.add("launch_overhead", time_text(*rates.launch_overhead));
  return map.empty() ? "" : fmt::format("rates: {}\n", map.text());
}

/// Returns the `collectives` section, with one line per table of measured times.
std::string measured_text(const std::vector<MeasuredCollective>& measured) {
  std::string text = measured.empty() ? "" : "collectives:\n";
  for (const MeasuredCollective& table : measured) {
    std::string bytes;
    std::string times;
    for (const auto& [size, time] : table.times) {
      add_item(bytes, std::to_string(size.count()));
      add_item(times, time_text(time));
    }
    FlowMap map;
    map.add("op", name_of(table.op)).add("ranks", std::to_string(table.ranks));
    if (table.hosts > 1) map.add("hosts", std::to_string(table.hosts));
    map.add("link", rate_text(table.link)).add("bandwidth", rate_text(table.bandwidth));
    map.add("bytes", '[' + bytes + ']').add("times", '[' + times + ']');
    text += fmt::format("  - {}\n", map.text());
  }
  return text;
}

}  // namespace

std::string cluster_yaml(const Cluster& cluster) {
  return hosts_text(cluster.hosts) + (cluster.shape ? ShapeText(cluster).text() : LinkText(cluster).text()) +
         messages_text(cluster.network) + rates_text(cluster.rates) + measured_text(cluster.measured);
}

}  // namespace stepsim::sim
