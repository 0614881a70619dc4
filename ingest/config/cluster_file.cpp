#include "ingest/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ingest/bytes/input.h"
#include "ingest/config/cluster_links.h"
#include "model/base/yaml.h"
#include "model/base/yaml_keys.h"
#include "model/cost/network/network.h"
#include "model/job/collective.h"
#include "model/job/topology.h"

namespace stepsim::ingest {
namespace {

constexpr std::uint32_t kMostMeasuredRanks = 100'000;
constexpr std::size_t kMostSizes = 1'000;
constexpr std::size_t kMostTables = 1'000;

struct MeasuredEntry {
  MeasuredCollective table;
  std::vector<Bytes> bytes;
  std::vector<Duration> times;
};

std::vector<std::string> names_of_ops() {
  std::vector<std::string> names;
  for (const CollectiveOp op : kMeasuredOps) names.emplace_back(named_operation(op).name);
  return names;
}

const std::vector<YamlKey<MeasuredEntry>>& measured_keys() {
  using Key = YamlKey<MeasuredEntry>;
  static const auto ops = yaml::one_of(names_of_ops());
  static const auto ranks = yaml::count(2, kMostMeasuredRanks);
  static const auto hosts = yaml::count(1, kMostMeasuredRanks);
  static const std::vector<Key> keys{
      {"op", ops, "Operation (default: all_reduce)",
       [](MeasuredEntry& to, const YamlField& field) { to.table.op = kMeasuredOps[field.one_of_words(ops.words)]; }},
      {"ranks", ranks, "Ranks that took part (default: 2)",
       [](MeasuredEntry& to, const YamlField& field) { to.table.ranks = ranks.read(field); }},
      {"hosts", hosts, "Hosts that the ranks were on (default: 1)",
       [](MeasuredEntry& to, const YamlField& field) { to.table.hosts = hosts.read(field); }},
      Key{"link", yaml::rate(), "Rate of the cluster's links during the measurement",
          [](MeasuredEntry& to, const YamlField& field) { to.table.link = field.bandwidth(); }}
          .required(),
      {"bandwidth", yaml::rate(), "Bus bandwidth of large sizes over links with this rate (default: link)",
       [](MeasuredEntry& to, const YamlField& field) { to.table.bandwidth = field.bandwidth(); }},
      Key{"bytes", yaml::list(yaml::size(1), 1), "Sizes that were measured, ascending",
          [](MeasuredEntry& to, const YamlField& field) {
            for (const YamlField& one : field.list("a list of sizes such as [1MiB, 8MiB]"))
              to.bytes.push_back(one.bytes(1));
          }}
          .required(),
      Key{"times", yaml::list(yaml::time(), 1), "Time of each size",
          [](MeasuredEntry& to, const YamlField& field) {
            for (const YamlField& one : field.list("a list of times such as [60us, 120us]")) {
              to.times.push_back(one.duration());
              if (to.times.back() <= Duration{}) one.reject("a time above 0");
            }
          }}
          .required(),
  };
  return keys;
}

MeasuredCollective read_table(const YamlField& field) {
  if (!field.is(YamlValue::Kind::kMap))
    field.reject("a map such as {op: all_reduce, ranks: 4, link: 240GB/s, bytes: [1MiB], times: [60us]}");
  MeasuredEntry entry;
  read_map(field, measured_keys(), entry);
  MeasuredCollective& table = entry.table;
  if (table.link <= Bandwidth{})
    field.fail(fmt::format("'{}' has no 'link'; expected its rate, for example 240GB/s", field.name));
  if (table.bandwidth <= Bandwidth{}) table.bandwidth = table.link;
  if (table.hosts > table.ranks) field.fail(fmt::format("'{}' has more hosts than ranks", field.name));
  if (entry.bytes.empty() || entry.bytes.size() != entry.times.size() || entry.bytes.size() > kMostSizes) {
    field.fail(fmt::format("'{}' has {} sizes and {} times; expected the same number of both, from 1 to {}", field.name,
                           entry.bytes.size(), entry.times.size(), kMostSizes));
  }
  for (std::size_t i = 0; i < entry.bytes.size(); ++i) {
    if (i > 0 && entry.bytes[i] <= entry.bytes[i - 1])
      field.fail(fmt::format("the sizes of '{}' are not ascending; expected them sorted", field.name));
    table.times.emplace_back(entry.bytes[i], entry.times[i]);
  }
  return table;
}

/// Reads the key `collectives` of cluster.yaml: a list of maps such as {op: all_reduce, ranks: 4, link: 240GB/s, bytes:
/// [1MiB, 8MiB], times: [60us, 120us]}. Throws InputError with the place of the problem.
std::vector<MeasuredCollective> read_measured(const YamlField& field) {
  std::vector<MeasuredCollective> tables;
  for (const YamlField& item : field.list("a list of measured collectives")) tables.push_back(read_table(item));
  if (tables.size() > kMostTables)
    field.fail(fmt::format("{} tables; expected at most {}", tables.size(), kMostTables));
  return tables;
}

using Kind = YamlValue::Kind;

// The limit of 4 MiB is large enough for ten thousand hosts listed by name. yaml-cpp reads about 10 MB/s.
constexpr YamlForm kClusterForm{4U << 20U, "hosts: 2"};
constexpr std::uint32_t kMaxPerHost = 64;         // NICs or devices per host
constexpr std::size_t kMaxInCluster = 1U << 18U;  // NICs and devices in the cluster
constexpr std::size_t kMostTiers = 4;

const std::vector<YamlKey<Cable>>& cable_keys() {
  static const std::vector<YamlKey<Cable>> keys{
      {"bandwidth", yaml::link_rate(), "Rate, each way if full duplex; with \"bus\" after it, a measured bus bandwidth",
       [](Cable& cable, const YamlField& field) { set_rate(field, cable); }},
      {"latency", &Cable::latency, yaml::time(), "Time of one crossing (default: 0)"},
      {"efficiency", &Cable::efficiency, yaml::number(0.001, 1),
       "Share of the rate that is payload, about 0.957 for TCP over Ethernet (default: 1)"},
      {"duplex", yaml::one_of({"full", "half"}), "Each direction has the bandwidth, or both share it (default: full)",
       [](Cable& cable, const YamlField& field) {
         cable.full_duplex = field.one_of_words({"full", "half"}) == 0;
       }},
  };
  return keys;
}

/// Returns the type of a cable. If `complete` is true, it must have a bandwidth.
YamlType cable_type(bool complete) {
  YamlType type = type_of(cable_keys());
  type.entries.front().required = complete;
  return type;
}

/// Reads a cable. `otherwise` gives the values for keys that `field` lacks.
Cable read_cable(const YamlField& field, Cable otherwise = {}) {
  if (!field.is(Kind::kMap)) field.reject("a map such as {bandwidth: 25Gb/s, latency: 1us}");
  read_map(field, cable_keys(), otherwise);
  check_rate(field, otherwise);
  return otherwise;
}

const std::vector<YamlKey<Tier>>& tier_keys() {
  static const std::vector<YamlKey<Tier>> keys{
      YamlKey<Tier>{"ports", &Tier::ports, yaml::count(1, 1'000'000),
                    "Hosts, or switches of the tier below, that each switch connects"}
          .required(),
      {"oversubscription", &Tier::oversubscription, yaml::number(0.001, 1e6),
       "Bandwidth of a switch's ports divided by that of its uplink (default: 1)"},
      {"latency", &Tier::latency, yaml::time(), "Latency of the uplink (default: the NIC's)"},
  };
  return keys;
}

std::vector<Tier> read_tiers(const YamlField& field, Duration latency) {
  std::vector<Tier> tiers;
  for (const YamlField& item : field.list("a list of tiers, from the hosts up")) {
    if (!item.is(Kind::kMap)) item.reject("a tier such as {ports: 16, oversubscription: 2}");
    Tier tier{.ports = 0, .latency = latency};
    read_map(item, tier_keys(), tier);
    if (tier.ports == 0)
      item.fail(fmt::format("'{}' has no 'ports'; expected the number of ports of each switch", item.name));
    tiers.push_back(tier);
  }
  if (tiers.size() > kMostTiers) field.fail(fmt::format("{} tiers; expected at most {}", tiers.size(), kMostTiers));
  return tiers;
}

const std::vector<YamlKey<ClusterShape>>& device_count_keys() {
  static const std::vector<YamlKey<ClusterShape>> keys{
      YamlKey<ClusterShape>{"count", &ClusterShape::devices, yaml::count(1, kMaxPerHost), "Devices per host"}
          .required(),
      {"model", yaml::text(), "Name of the devices, such as H100",
       [](ClusterShape& to, const YamlField& value) { to.device_model = value.line_of_text("a device's name"); }},
      {"peer_access", yaml::flag(), "True if devices of a host read each other's memory over PCIe (default: by model)",
       [](ClusterShape& to, const YamlField& value) { to.peer_access = value.flag(); }},
  };
  return keys;
}

/// Reads `devices: 8` or `devices: {count: 8, model: H100}`.
void read_device_count(const YamlField& field, ClusterShape& shape) {
  if (field.is(Kind::kMap)) {
    read_map(field, device_count_keys(), shape);
    if (shape.devices == 0) field.fail("'devices' has no 'count'; expected the number of devices per host");
  } else {
    shape.devices = field.count(1, kMaxPerHost);
  }
}

/// A host whose NIC differs from the usual one. Keys that its entry lacks have the values of `usual`.
struct Override {
  const NameTable& hosts;
  const Cable& usual;
  std::optional<HostId> host;
  std::optional<Cable> nic;
};

const std::vector<YamlKey<Override>>& override_keys() {
  static const std::vector<YamlKey<Override>> keys{
      YamlKey<Override>{"host", yaml::text(), "Name or number of the host",
                        [](Override& to, const YamlField& value) { to.host = HostId{to.hosts.find(value)}; }}
          .required(),
      YamlKey<Override>{"nic", cable_type(false), "Its NIC: what differs from the usual one",
                        [](Override& to, const YamlField& value) { to.nic = read_cable(value, to.usual); }}
          .required(),
  };
  return keys;
}

void read_overrides(const YamlField& field, const NameTable& hosts, ClusterShape& shape) {
  for (const YamlField& item : field.list("a list of hosts that differ")) {
    if (!item.is(Kind::kMap)) item.reject("a host such as {host: node-b, nic: {bandwidth: 10Gb/s}}");
    Override entry{.hosts = hosts, .usual = shape.nic};
    read_map(item, override_keys(), entry);
    if (!entry.host || !entry.nic) item.fail(fmt::format("'{}' has no 'host' or no 'nic'; expected both", item.name));
    if (!shape.differ.try_emplace(*entry.host, *entry.nic).second) {
      item.fail("the host has an override already; expected one per host");
    }
  }
}

/// Reads a plain value, or a map {value: ..., assumed: true}. `assumed` marks a value that was neither measured nor
/// chosen by a user.
void read_parameter(const NetworkParameter& parameter, const YamlField& field, NetworkParameters& network) {
  if (!field.is(Kind::kMap)) return network.set_value(parameter, parameter.read(field));
  static const std::vector<std::string> names{"value", "assumed"};
  std::optional<ParameterValue> value;
  bool assumed = false;
  field.for_each_entry(names, [&](std::size_t key, const YamlField& entry) {
    if (key == 1) {
      assumed = entry.flag();
    } else {
      value = parameter.read(entry);
    }
  });
  if (!value) field.fail(fmt::format("'{}' has no 'value'; expected {}", field.name, text_of(parameter.type)));
  network.set_value(parameter, *value, assumed);
}

/// Reads a map of network parameters, such as `loggp`. The keys in the map lack the map's name: the parameter "loggp.o"
/// has the key `o`.
void read_parameters(const YamlField& map, const std::vector<const NetworkParameter*>& declared,
                     NetworkParameters& network) {
  std::vector<std::string> names;
  names.reserve(declared.size());
  for (const NetworkParameter* const parameter : declared) names.emplace_back(parts_of_key(*parameter).name);
  map.for_each_entry(names,
                     [&](std::size_t key, const YamlField& field) { read_parameter(*declared[key], field, network); });
}

/// Parameters grouped by the map that contains them, in the order of their declarations.
using ParameterMaps = std::vector<std::pair<std::string, std::vector<const NetworkParameter*>>>;

ParameterMaps parameter_maps() {
  ParameterMaps maps;
  for (const NetworkParameter* const parameter : network_parameters()) {
    const std::string_view map = parts_of_key(*parameter).map;
    if (map.empty()) continue;
    if (maps.empty() || maps.back().first != map) maps.emplace_back(map, std::vector<const NetworkParameter*>{});
    maps.back().second.push_back(parameter);
  }
  return maps;
}

/// Returns the type of a parameter's value: what NetworkParameter::read() reads, or a map with `value` and `assumed`.
YamlType parameter_type(const NetworkParameter& parameter) {
  YamlType value = yaml_type(parameter.type);
  YamlType map = yaml::map({{"value", value, std::string(parameter.summary), true},
                            {"assumed", yaml::flag(), "True if the value was neither measured nor chosen"}});
  return yaml::either(std::move(value), std::move(map));
}

YamlEntry parameter_entry(const NetworkParameter& parameter) {
  return {std::string(parts_of_key(parameter).name), parameter_type(parameter), std::string(parameter.summary)};
}

YamlType messages_type() {
  YamlType type = yaml::map({});
  for (const NetworkParameter* const parameter : network_parameters()) {
    if (parts_of_key(*parameter).map.empty()) type.entries.push_back(parameter_entry(*parameter));
  }
  for (const auto& [name, parameters] : parameter_maps()) {
    YamlType map = yaml::map({});
    for (const NetworkParameter* const parameter : parameters) map.entries.push_back(parameter_entry(*parameter));
    type.entries.push_back({name, std::move(map), fmt::format("Parameters of the network model {}", name)});
  }
  return type;
}

NetworkParameters read_messages(const YamlField& field) {
  if (!field.is(Kind::kMap)) field.reject("a map such as {overhead: 20us, sharing: fair}");
  const ParameterMaps maps = parameter_maps();
  std::vector<const NetworkParameter*> plain;
  std::vector<std::string> names;
  for (const NetworkParameter* const parameter : network_parameters()) {
    if (!parts_of_key(*parameter).map.empty()) continue;
    plain.push_back(parameter);
    names.emplace_back(parameter->key);
  }
  for (const auto& [name, parameters] : maps) names.push_back(name);
  NetworkParameters network;
  field.for_each_entry(names, [&](std::size_t key, const YamlField& value) {
    if (key < plain.size()) return read_parameter(*plain[key], value, network);
    const auto& [name, parameters] = maps[key - plain.size()];
    if (!value.is(Kind::kMap))
      value.reject(fmt::format("a map such as {{{}: 200ns}}", parts_of_key(*parameters.front()).name));
    read_parameters(value, parameters, network);
  });
  return network;
}

const std::vector<YamlKey<HostRates>>& rate_keys() {
  static const std::vector<YamlKey<HostRates>> keys{
      {"copy_to_host", &HostRates::copy_to_host, yaml::rate(), "Rate of copies from a device to its host"},
      {"copy_to_device", &HostRates::copy_to_device, yaml::rate(), "Rate of copies from a host to its device"},
      {"copy_overhead", &HostRates::copy_overhead, yaml::time(), "Time per copy, besides that of its bytes"},
      {"sum", &HostRates::sum, yaml::rate(), "Rate at which a server adds a push to its sum"},
      {"sum_overhead", &HostRates::sum_overhead, yaml::time(), "Time per sum, besides that of its bytes"},
      {"launch_overhead", &HostRates::launch_overhead, yaml::time(), "CPU time of one kernel launch"},
  };
  return keys;
}

HostRates read_rates(const YamlField& field) {
  if (!field.is(Kind::kMap)) field.reject("a map such as {copy_to_host: 12GB/s, launch_overhead: 4us}");
  HostRates rates;
  read_map(field, rate_keys(), rates);
  return rates;
}

/// Returns the keys of the file. ClusterReader knows what reads each.
const std::vector<YamlEntry>& cluster_entries() {
  static const std::vector<YamlEntry> entries{
      {"hosts", hosts_type(), "Number of hosts, or their names", true},
      {"endpoints", endpoint_list_type(),
       "Where ranks are: hosts or devices, in order of rank (default: one per device, "
       "or per host without devices)"},
      {"messages", messages_type(), "Costs of messages and collectives beside their bytes"},
      {"rates", type_of(rate_keys()), "Rates and overheads of hosts"},
      {"devices",
       yaml::either(yaml::either(yaml::count(1, kMaxPerHost), type_of(device_count_keys())), device_list_type()),
       "Devices per host; with 'links', the list of all devices"},
      {"links", link_list_type(), "Every link of the cluster, each one-way"},
      {"routes", route_list_type(), "Links between pairs of endpoints; only with 'links'"},
      {"nic", cable_type(true), "Connection of each host to its switch"},
      {"nics", yaml::count(1, kMaxPerHost), "NICs per host, each on a rail of its own (default: 1)"},
      {"tiers", yaml::list(type_of(tier_keys()), 0, kMostTiers),
       "Layers of switches, from the hosts up (default: one switch)"},
      {"nvlink", cable_type(true), "Connection between the devices of a host"},
      {"pcie", cable_type(true), "Connection between a device and its NIC"},
      {"overrides", yaml::list(type_of(override_keys())), "Hosts whose NIC differs"},
      {"collectives", yaml::list(type_of(measured_keys())), "Measured times of collectives"},
      {"collective_tables", yaml::one_of({"given", "none"}),
       "Use measured times of collectives, or none (default: given)"},
  };
  return entries;
}

/// Collects the keys of the file in any order, then reads each key after the keys that it depends on.
class ClusterReader {
 public:
  explicit ClusterReader(const YamlField& file) : file_(file) {
    std::vector<std::string> names;
    for (const YamlEntry& entry : cluster_entries()) names.push_back(entry.name);
    file.for_each_entry(names, [&](std::size_t key, const YamlField& field) { keys_.emplace(names[key], field); });
  }

  Cluster read() {
    const YamlField* const count = key("hosts");
    if (count == nullptr) file_.fail("the file has no 'hosts'; expected their number or their names");
    std::vector<Host> hosts = read_hosts(*count, places_.hosts);
    Cluster cluster = key("links") != nullptr ? link_by_link(std::move(hosts)) : by_numbers(std::move(hosts));
    if (const YamlField* field = key("messages")) cluster.network = read_messages(*field);
    if (const YamlField* field = key("rates")) cluster.rates = read_rates(*field);
    if (const YamlField* field = key("collectives")) cluster.measured = read_measured(*field);
    const YamlField* const tables = key("collective_tables");
    if (tables != nullptr && tables->one_of_words({"given", "none"}) == 1) cluster.measured.clear();
    return cluster;
  }

 private:
  /// Returns the key with this name, or null if the file lacks it.
  [[nodiscard]] const YamlField* key(const std::string& name) const {
    const auto found = keys_.find(name);
    return found == keys_.end() ? nullptr : &found->second;
  }

  Cluster link_by_link(std::vector<Host> hosts) {
    for (const char* name : {"nic", "nics", "tiers", "nvlink", "pcie", "overrides"}) {
      if (const YamlField* field = key(name)) {
        field->fail(fmt::format("'{}' and 'links' are both given; expected only one", name));
      }
    }
    return read_links({key("links"), key("devices"), key("endpoints"), key("routes")}, std::move(hosts),
                      std::move(places_));
  }

  Cluster by_numbers(std::vector<Host> hosts) {
    if (const YamlField* field = key("routes")) field->fail("'routes' is given without 'links'; expected both");
    const YamlField* const nic = key("nic");
    if (nic == nullptr)
      file_.fail("the file has neither 'nic' nor 'links'; expected one of them, to connect the hosts");
    ClusterShape shape{.hosts = std::move(hosts), .nic = read_cable(*nic)};
    if (const YamlField* field = key("devices")) read_device_count(*field, shape);
    if (const YamlField* field = key("nics")) read_nics(*field, shape);
    if (const YamlField* field = key("tiers")) shape.tiers = read_tiers(*field, shape.nic.latency);
    if (const YamlField* field = key("nvlink")) shape.nvlink = read_inside(*field, shape);
    if (const YamlField* field = key("pcie")) shape.pcie = read_inside(*field, shape);
    if (const YamlField* field = key("overrides")) read_overrides(*field, places_.hosts, shape);
    check_size(shape);
    if (const YamlField* field = key("endpoints")) read_endpoints(*field, shape);
    return build_cluster(shape);
  }

  static void read_nics(const YamlField& field, ClusterShape& shape) {
    shape.nics = field.count(1, kMaxPerHost);
    if (shape.nics > std::max(shape.devices, 1U)) field.reject("at most one for each of a host's 'devices'");
  }

  static Cable read_inside(const YamlField& field, const ClusterShape& shape) {
    if (shape.devices == 0) field.fail(fmt::format("'{}' connects no devices; expected 'devices'", field.name));
    return read_cable(field);
  }

  void check_size(const ClusterShape& shape) const {
    const std::size_t connected = shape.hosts.size() * std::max(shape.nics, shape.devices);
    if (connected > kMaxInCluster) {
      key("hosts")->fail(
          fmt::format("the cluster has {} devices or NICs; expected at most {}", connected, kMaxInCluster));
    }
    if (shape.devices > 1 && !shape.nvlink && !shape.pcie) {
      key("devices")->fail("nothing connects the devices of a host; expected 'nvlink' or 'pcie'");
    }
  }

  void read_endpoints(const YamlField& field, ClusterShape& shape) {
    for (std::size_t i = 0; i < shape.hosts.size() * shape.devices; ++i) {
      places_.devices[{HostId{i / shape.devices}, static_cast<std::int32_t>(i % shape.devices)}] = DeviceId{i};
    }
    for (const YamlField& item : field.list("a list of hosts, or of devices such as node-a/3")) {
      shape.endpoints.push_back(places_.find(item));
    }
    if (shape.endpoints.empty()) field.reject("at least one endpoint");
    if (shape.nics > 1) check_rails(field, shape);
  }

  /// Checks that each host has an endpoint on every rail in use. A rail connects the NICs that have the same number on
  /// their hosts. A message to another rail must pass through a device of the sending host that is on that rail.
  static void check_rails(const YamlField& field, const ClusterShape& shape) {
    using Rails = std::bitset<kMaxPerHost>;
    Rails used;
    std::vector<Rails> there(shape.hosts.size());
    for (const Endpoint& endpoint : shape.endpoints) {
      used.set(rail_of(shape, endpoint));
      there[endpoint.host.index()].set(rail_of(shape, endpoint));
    }
    for (const Endpoint& endpoint : shape.endpoints) {
      if (there[endpoint.host.index()] == used) continue;
      std::size_t rail = 0;
      while (!used[rail] || there[endpoint.host.index()][rail]) ++rail;
      field.fail(fmt::format("host '{}' has no endpoint on rail {}, which others use; expected one on each rail in use",
                             shape.hosts[endpoint.host.index()].name, rail));
    }
  }

  const YamlField& file_;
  std::map<std::string, YamlField> keys_;
  Places places_;
};

}  // namespace

YamlType cluster_file_type() {
  YamlType type = yaml::map(cluster_entries());
  type.either = {"nic", "links"};
  return type;
}

Cluster parse_cluster(std::string_view text, const std::string& name) {
  const YamlValue root = parse_yaml(text, name, kClusterForm);
  const YamlField file{"the file", &root, &name};
  if (!is_filled_map(file, kClusterForm)) file.fail("the file is empty; expected 'hosts' and what connects them");
  return ClusterReader(file).read();
}

Cluster read_cluster_file(const std::string& path, std::vector<InputFile>& inputs) {
  SmallFile file = read_small_file(path, kClusterForm.largest);
  inputs.push_back(std::move(file.identity));
  return parse_cluster(file.text, path);
}

}  // namespace stepsim::ingest
