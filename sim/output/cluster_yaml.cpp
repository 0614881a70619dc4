#include "sim/output/cluster_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <map>
#include <optional>

#include "model/cost/network/network.h"
#include "model/job/cluster.h"
#include "model/job/collective.h"

namespace stepsim::sim {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns the rate in the largest unit that gives a whole number, or else in the largest that gives the same whole
/// number of bytes per second when it is read again: "34.315639425GB/s".
std::string rate_text(Bandwidth rate) {
  const double bytes = rate.bytes_per_second();
  if (std::fmod(bytes * 8, 1e9) == 0) return fmt::format("{:.0f}Gb/s", bytes * 8 / 1e9);
  if (std::fmod(bytes * 8, 1e6) == 0) return fmt::format("{:.0f}Mb/s", bytes * 8 / 1e6);
  if (std::fmod(bytes, 1e3) == 0) return fmt::format("{:.0f}kB/s", bytes / 1e3);
  struct Unit {
    double bytes;
    std::string_view name;
  };
  for (const Unit& unit : {Unit{1e9, "GB/s"}, Unit{1e6, "MB/s"}, Unit{1e3, "kB/s"}}) {
    if (bytes < unit.bytes) continue;
    std::string text = fmt::format("{}{}", std::round(bytes) / unit.bytes, unit.name);
    if (parse_bandwidth(text).bytes_per_second() == std::round(bytes)) return text;
  }
  return fmt::format("{:.0f}B/s", bytes);
}

std::string time_text(Duration time) {
  const std::int64_t count = time.count();
  if (count % 1'000'000 == 0 && count != 0) return fmt::format("{}ms", count / 1'000'000);
  if (count % 1'000 == 0 && count != 0) return fmt::format("{}us", count / 1'000);
  return fmt::format("{}ns", count);
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

bool one_endpoint_a_host(const Cluster& cluster) {
  if (cluster.endpoints.size() != cluster.hosts.size()) return false;
  for (std::size_t i = 0; i < cluster.hosts.size(); ++i) {
    if (cluster.endpoints[i] != Endpoint{HostId{i}, {}}) return false;
  }
  return true;
}

std::string value_text(const NetworkParameter& parameter, const ParameterValue& value) {
  if (const auto* const time = std::get_if<Duration>(&value)) return time_text(*time);
  if (const auto* const flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  const double number = std::get<double>(value);
  for (const ValueForm& form : parameter.type.forms())
    if (form.forms == 0 && form.number == number) return std::string(form.text);
  return fmt::format("{}", number);
}

/// Writes the lines of cluster.yaml. Values that equal their defaults are left out.
class ClusterWriter {
 public:
  explicit ClusterWriter(const Cluster& cluster) : cluster_(cluster), hosts_(references(cluster.hosts)) {}

  std::string text() {
    out_ << YAML::BeginMap;
    hosts();
    cluster_.shape ? shape(*cluster_.shape) : link_by_link();
    messages();
    rates();
    measured();
    out_ << YAML::EndMap << YAML::Newline;
    return out_.c_str();
  }

 private:
  void add(std::string_view key, const std::string& value) { out_ << std::string(key) << value; }
  void add(std::string_view key, std::size_t number) { add(key, std::to_string(number)); }
  void add(std::string_view key, Duration time) {
    if (time != Duration{}) add(key, time_text(time));
  }
  void add(std::string_view key, const std::optional<Bandwidth>& rate) {
    if (rate) add(key, rate_text(*rate));
  }
  void add_rate(Bandwidth rate, bool is_bus) { add("bandwidth", rate_text(rate) + (is_bus ? " bus" : "")); }
  void add_efficiency(double efficiency) {
    if (efficiency != 1) add("efficiency", fmt::format("{}", efficiency));
  }

  /// Writes "key: {...}", with what `write` adds.
  template <class Write>
  void map(std::string_view key, const Write& write) {
    out_ << std::string(key);
    map(write);
  }
  template <class Write>
  void map(const Write& write) {
    out_ << YAML::Flow << YAML::BeginMap;
    write();
    out_ << YAML::EndMap;
  }

  /// Writes "key: [...]", with text_of(item) for each item.
  template <class Items, class TextOf>
  void list(std::string_view key, const Items& items, const TextOf& text_of) {
    out_ << std::string(key) << YAML::Flow << YAML::BeginSeq;
    for (const auto& item : items) out_ << text_of(item);
    out_ << YAML::EndSeq;
  }

  /// Writes a list with one line for each item, a map with what write(item) adds.
  template <class Items, class Write>
  void lines(std::string_view key, const Items& items, const Write& write) {
    if (std::begin(items) == std::end(items)) return;
    out_ << std::string(key) << YAML::BeginSeq;
    for (const auto& item : items) map([&] { write(item); });
    out_ << YAML::EndSeq;
  }

  void hosts() {
    bool numbered = true;
    std::vector<std::string> names;
    for (const Host& host : cluster_.hosts) {
      const std::string number = std::to_string(names.size());
      names.push_back(host.name.empty() ? number : host.name);
      numbered = numbered && names.back() == number;
    }
    if (numbered) return add("hosts", names.size());
    list("hosts", names, [](const std::string& name) { return name; });
  }

  // --- a cluster that was built from a shape

  void cable(const Cable& cable, bool everything = false) {
    add_rate(cable.bandwidth, cable.is_bus);
    if (everything || cable.latency != Duration{}) add("latency", time_text(cable.latency));
    if (everything || cable.efficiency != 1) add("efficiency", fmt::format("{}", cable.efficiency));
    if (everything || !cable.full_duplex) add("duplex", cable.full_duplex ? "full" : "half");
  }

  void shape(const ClusterShape& shape) {
    const bool is_number = shape.device_model.empty() && !shape.peer_access;
    if (shape.devices > 0 && is_number) add("devices", shape.devices);
    if (shape.devices > 0 && !is_number) {
      map("devices", [&] {
        add("count", shape.devices);
        if (!shape.device_model.empty()) add("model", shape.device_model);
        if (shape.peer_access) add("peer_access", *shape.peer_access ? "true" : "false");
      });
    }
    map("nic", [&] { cable(shape.nic); });
    if (shape.nics > 1) add("nics", shape.nics);
    if (shape.nvlink) map("nvlink", [&] { cable(*shape.nvlink); });
    if (shape.pcie) map("pcie", [&] { cable(*shape.pcie); });
    lines("tiers", shape.tiers, [&](const Tier& tier) {
      add("ports", tier.ports);
      if (tier.oversubscription != 1) add("oversubscription", fmt::format("{}", tier.oversubscription));
      if (tier.latency != shape.nic.latency) add("latency", time_text(tier.latency));
    });
    lines("overrides", shape.differ, [&](const auto& differ) {
      add("host", hosts_[differ.first.index()]);
      // A missing key would mean the usual value, so every key is written.
      map("nic", [&] { cable(differ.second, true); });
    });
    if (shape.endpoints.empty() && !shape.endpoint_count && shape.endpoints_per_host == 1) return;
    list("endpoints", cluster_.endpoints, [this](const Endpoint& endpoint) {
      const std::string& host = hosts_[endpoint.host.index()];
      if (!endpoint.device.valid()) return host;
      return fmt::format("{}/{}", host, cluster_.devices[endpoint.device.index()].index);
    });
  }

  // --- a cluster link by link

  void link_by_link() {
    const std::vector<std::string> names = references(cluster_.links);
    const auto route = [&](std::string_view key, const Route& links) {
      list(key, links, [&](LinkId link) { return names[link.index()]; });
    };
    if (cluster_.links.empty()) list("links", names, [](const std::string& name) { return name; });
    lines("links", cluster_.links, [&](const Link& link) {
      if (!link.name.empty()) add("name", link.name);
      add_rate(link.bandwidth, link.is_bus);
      add("latency", link.latency);
      add_efficiency(link.efficiency);
    });
    lines("devices", cluster_.devices, [&](const Device& device) {
      add("host", hosts_[device.host.index()]);
      add("index", std::to_string(device.index));
      if (!device.model.empty()) add("model", device.model);
    });
    if (!cluster_.uplinks.empty() || !one_endpoint_a_host(cluster_)) {
      std::size_t number = 0;
      lines("endpoints", cluster_.endpoints, [&](const Endpoint& endpoint) {
        add("host", hosts_[endpoint.host.index()]);
        if (endpoint.device.valid()) add("device", std::to_string(cluster_.devices[endpoint.device.index()].index));
        if (cluster_.uplinks.empty()) return;
        const Cluster::UplinkPath& path = cluster_.uplinks[number++];
        route("up", path.up);
        route("down", path.down);
        list("switches", path.switches, [](std::uint32_t one) { return std::to_string(one); });
        if (!path.out.empty()) route("out", path.out);
        if (!path.in.empty()) route("in", path.in);
        if (path.relays.empty()) return;
        list("relays", path.relays, [](EndpointId relay) { return std::to_string(relay.value()); });
      });
    }
    lines("routes", cluster_.routes, [&](const auto& entry) {
      add("from", entry.first.first.value());
      add("to", entry.first.second.value());
      route("links", entry.second);
    });
  }

  // --- what every cluster has

  void parameter(const NetworkParameter& parameter) {
    const std::string text = value_text(parameter, cluster_.network.value_of(parameter));
    const std::string name(parts_of_key(parameter).name);
    if (!cluster_.network.is_assumed(parameter)) return add(name, text);
    map(name, [&] {
      add("value", text);
      add("assumed", "true");
    });
  }

  /// Writes the parameters that differ from their defaults; those with a common first part of the key are in a map.
  void messages() {
    std::vector<std::pair<std::string_view, std::vector<const NetworkParameter*>>> maps;
    for (const NetworkParameter* const parameter : network_parameters()) {
      if (cluster_.network.value_of(*parameter) == parameter->default_value) continue;
      const std::string_view key = parts_of_key(*parameter).map;
      if (key.empty() || maps.empty() || maps.back().first != key) maps.push_back({key, {}});
      maps.back().second.push_back(parameter);
    }
    if (maps.empty()) return;
    map("messages", [&] {
      for (const auto& entry : maps) {
        const auto all = [&] {
          for (const NetworkParameter* const one : entry.second) parameter(*one);
        };
        entry.first.empty() ? all() : map(entry.first, all);
      }
    });
  }

  void rates() {
    const HostRates& rates = cluster_.rates;
    if (rates == HostRates{}) return;
    map("rates", [&] {
      add("copy_to_host", rates.copy_to_host);
      add("copy_to_device", rates.copy_to_device);
      add("copy_overhead", rates.copy_overhead);
      add("sum", rates.sum);
      add("sum_overhead", rates.sum_overhead);
      if (rates.launch_overhead) add("launch_overhead", time_text(*rates.launch_overhead));
    });
  }

  /// Writes one line for each table of measured times.
  void measured() {
    lines("collectives", cluster_.measured, [&](const MeasuredCollective& table) {
      add("op", std::string(named_operation(table.op).name));
      add("ranks", table.ranks);
      if (table.hosts > 1) add("hosts", table.hosts);
      add("link", table.link);
      add("bandwidth", table.bandwidth);
      list("bytes", table.times, [](const auto& entry) { return std::to_string(entry.first.count()); });
      list("times", table.times, [](const auto& entry) { return time_text(entry.second); });
    });
  }

  const Cluster& cluster_;
  std::vector<std::string> hosts_;
  YAML::Emitter out_;
};

}  // namespace

std::string cluster_yaml(const Cluster& cluster) { return ClusterWriter(cluster).text(); }

}  // namespace stepsim::sim
