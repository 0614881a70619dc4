#include "sim/output/cluster_yaml.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>

#include "model/base/text.h"
#include "model/cost/network/network.h"
#include "model/job/collective.h"
#include "model/job/topology.h"
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
    texts.push_back(by_name ? scalar(item.name) : std::to_string(texts.size()));
  }
  return texts;
}

/// Returns the parameters for the short form of cluster.yaml if the cluster is one switch with one cable per host.
std::optional<ClusterShape> as_star(const Cluster& cluster) {
  if (cluster.hosts.empty() || cluster.links.size() != 2 * cluster.hosts.size()) return std::nullopt;
  const auto cable_of = [&](std::size_t host) {
    const Link& out = cluster.links[2 * host];
    return Cable{out.bandwidth, out.latency, out.efficiency, true};
  };
  ClusterShape shape{.hosts = cluster.hosts, .nic = cable_of(0), .endpoints = cluster.endpoints};
  for (std::size_t i = 1; i < cluster.hosts.size(); ++i) {
    if (cable_of(i) != shape.nic) shape.differ[HostId{i}] = cable_of(i);
  }
  for (const Endpoint& endpoint : cluster.endpoints) {
    if (endpoint.device.valid()) return std::nullopt;
  }
  Cluster built = build_cluster(shape);
  built.network = cluster.network;
  built.rates = cluster.rates;
  built.measured = cluster.measured;
  return built == cluster ? std::optional{shape} : std::nullopt;
}

/// Returns the parameters for the short form of cluster.yaml if the cluster is one switch with identical hosts whose
/// devices are connected by NVLink or PCIe.
std::optional<ClusterShape> as_nodes(const Cluster& cluster) {
  const std::size_t hosts = cluster.hosts.size();
  if (hosts == 0 || cluster.devices.empty() || cluster.devices.size() % hosts != 0) return std::nullopt;
  const std::size_t devices = cluster.devices.size() / hosts;
  if (cluster.links.size() != 2 * hosts * (1 + devices)) return std::nullopt;
  const auto cable_of = [&](std::size_t number) {
    const Link& out = cluster.links[number];
    return Cable{out.bandwidth, out.latency, out.efficiency, true};
  };
  ClusterShape shape{.hosts = cluster.hosts, .nic = cable_of(0)};
  shape.devices = static_cast<std::uint32_t>(devices);
  shape.device_model = cluster.devices.front().model;
  (contains(cluster.links[2].name, kPcie) ? shape.pcie : shape.nvlink) = cable_of(2);
  Cluster built = build_cluster(shape);
  built.network = cluster.network;
  built.rates = cluster.rates;
  built.measured = cluster.measured;
  return built == cluster ? std::optional{shape} : std::nullopt;
}

std::string cable_text(const Cable& cable) {
  return FlowMap{}
      .add("bandwidth", cable.bandwidth)
      .add("latency", cable.latency)
      .add_efficiency(cable.efficiency)
      .text();
}

bool one_endpoint_a_host(const Cluster& cluster) {
  if (cluster.endpoints.size() != cluster.hosts.size()) return false;
  for (std::size_t i = 0; i < cluster.hosts.size(); ++i) {
    if (cluster.endpoints[i] != Endpoint{HostId{i}, {}}) return false;
  }
  return true;
}

std::string star_text(const Cluster& cluster, const ClusterShape& shape) {
  const std::vector<std::string> hosts = references(cluster.hosts);
  std::string text = fmt::format("nic: {}\n", cable_text(shape.nic));
  if (!shape.differ.empty()) text += "overrides:\n";
  for (const auto& [host, cable] : shape.differ) {
    // A missing key would mean the common value of all hosts, so every key is written.
    const std::string nic = fmt::format("{{bandwidth: {}, latency: {}, efficiency: {}}}", rate_text(cable.bandwidth),
                                        time_text(cable.latency), cable.efficiency);
    text += fmt::format("  - {{host: {}, nic: {}}}\n", hosts[host.index()], nic);
  }
  if (one_endpoint_a_host(cluster)) return text;
  const auto host_of = [&hosts](const Endpoint& endpoint) { return hosts[endpoint.host.index()]; };
  return text + fmt::format("endpoints: [{}]\n", joined(cluster.endpoints, host_of));
}

std::string nodes_text(const ClusterShape& shape) {
  std::string text = shape.device_model.empty() ? fmt::format("devices: {}\n", shape.devices)
                                                : fmt::format("devices: {{count: {}, model: {}}}\n", shape.devices,
                                                              scalar(shape.device_model));
  text += fmt::format("nic: {}\n", cable_text(shape.nic));
  if (shape.nvlink) text += fmt::format("nvlink: {}\n", cable_text(*shape.nvlink));
  if (shape.pcie) text += fmt::format("pcie: {}\n", cable_text(*shape.pcie));
  return text;
}

/// Writes a cluster link by link.
class LinkText {
 public:
  explicit LinkText(const Cluster& cluster)
      : cluster_(cluster), hosts_(references(cluster.hosts)), links_(references(cluster.links)) {}

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

std::string links_text(const Cluster& cluster) {
  if (const std::optional<ClusterShape> star = as_star(cluster)) return star_text(cluster, *star);
  if (const std::optional<ClusterShape> nodes = as_nodes(cluster)) return nodes_text(*nodes);
  return LinkText(cluster).text();
}

}  // namespace

std::string cluster_yaml(const Cluster& cluster) {
  return hosts_text(cluster.hosts) + links_text(cluster) + messages_text(cluster.network) + rates_text(cluster.rates) +
         measured_text(cluster.measured);
}

}  // namespace stepsim::sim
