#include "ingest/config/cluster_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/base/number.h"
#include "model/base/text.h"

namespace stepsim::ingest {
namespace {

constexpr std::uint32_t kMostHosts = 100'000;

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Returns `digits` as a number; npos if it is too large for std::size_t. The callers' range checks reject npos.
std::size_t number_of(const std::string& digits) {
  return parse_number<std::size_t>(digits).value_or(std::string::npos);
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
      if (is_number(name) && name != std::to_string(hosts.size())) item.reject("a name that is not a number");
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

namespace {

using Kind = YamlValue::Kind;

void read_name(std::string& name, const YamlField& field) {
  // The name may be empty: a link needs no name.
  if (field.is(Kind::kScalar) && field.value->text.empty()) return;
  name = field.line_of_text("a name");
}

const std::vector<YamlKey<Link>>& link_keys() {
  static const std::vector<YamlKey<Link>> keys{
      {"name", yaml::text(), "Name by which routes and paths refer to the link",
       [](Link& link, const YamlField& value) { read_name(link.name, value); }},
      YamlKey<Link>{"bandwidth", yaml::link_rate(),
                    "Rate of the link, which is one-way; with \"bus\" after it, a measured bus bandwidth",
                    [](Link& link, const YamlField& field) { set_rate(field, link); }}
          .required(),
      {"latency", &Link::latency, yaml::time(), "Time of one crossing (default: 0)"},
      {"efficiency", &Link::efficiency, yaml::number(0.001, 1), "Share of the rate that is payload (default: 1)"},
  };
  return keys;
}

std::vector<Link> read_link_list(const YamlField& field, NameTable& names) {
  std::vector<Link> links;
  for (const YamlField& item : field.list("a list of links")) {
    if (!item.is(Kind::kMap)) item.reject("a link such as {name: a-b, bandwidth: 25Gb/s, latency: 1us}");
    Link link;
    read_map(item, link_keys(), link);
    check_rate(item, link);
    names.add(link.name);
    links.push_back(std::move(link));
  }
  return links;
}

/// A device or an endpoint whose keys are being read.
struct Item {
  const Places& places;
  const NameTable& links;
  std::optional<HostId> host;
  std::optional<std::int32_t> index;
  std::string model;
  Cluster::UplinkPath path;
  bool has_uplink = false;
};

constexpr std::uint32_t kMostNumber = 1'000'000'000;

void read_host(Item& item, const YamlField& field) { item.host = HostId{item.places.hosts.find(field)}; }

void read_index(Item& item, const YamlField& field) {
  item.index = static_cast<std::int32_t>(field.count(0, kMostNumber));
}

Route read_route(const YamlField& field, const NameTable& links) {
  Route route;
  for (const YamlField& link : field.list("a list of links")) route.push_back(LinkId{links.find(link)});
  return route;
}

/// The type of a name or a number of a host or a link.
YamlType reference() { return yaml::text(); }

YamlType numbers() { return yaml::list(yaml::count(0, kMostNumber)); }

const std::vector<YamlKey<Item>>& device_keys() {
  static const std::vector<YamlKey<Item>> keys{
      YamlKey<Item>{"host", reference(), "Host of the device: its name or number", read_host}.required(),
      YamlKey<Item>{"index", yaml::count(0, kMostNumber), "Number of the device on its host", read_index}.required(),
      {"model", yaml::text(), "Name of the device, such as H100",
       [](Item& item, const YamlField& value) { read_name(item.model, value); }},
  };
  return keys;
}

void read_devices(const YamlField& field, Places& places, Cluster& cluster) {
  const NameTable none{"link"};
  for (const YamlField& entry : field.list("a list of devices such as {host: node-a, index: 0}")) {
    if (!entry.is(Kind::kMap)) entry.reject("a device such as {host: node-a, index: 0}");
    Item item{.places = places, .links = none};
    read_map(entry, device_keys(), item);
    if (!item.host || !item.index)
      entry.fail(fmt::format("'{}' has no 'host' or no 'index'; expected both", entry.name));
    if (!places.devices.try_emplace({*item.host, *item.index}, DeviceId{cluster.devices.size()}).second) {
      entry.fail(fmt::format("device {} of its host is given twice; expected it once", *item.index));
    }
    cluster.devices.push_back({*item.host, *item.index, std::move(item.model)});
  }
}

const std::vector<YamlKey<Item>>& endpoint_keys() {
  static const YamlType route = yaml::list(reference());
  static const std::vector<YamlKey<Item>> keys{
      YamlKey<Item>{"host", reference(), "Host of the endpoint: its name or number", read_host}.required(),
      {"device", yaml::count(0, kMostNumber), "Number of its device on that host", read_index},
      {"up", route, "Links from the endpoint up to the root of a tree of switches",
       [](Item& item, const YamlField& value) {
         item.path.up = read_route(value, item.links);
         item.has_uplink = true;
       }},
      {"down", route, "Links from those switches down to the endpoint, in the order of 'up'",
       [](Item& item, const YamlField& value) { item.path.down = read_route(value, item.links); }},
      {"switches", numbers(), "Number of the switch that each link of 'up' reaches",
       [](Item& item, const YamlField& value) {
         for (const YamlField& number : value.list("the numbers of the switches that 'up' reaches")) {
           item.path.switches.push_back(number.count(0, kMostNumber));
         }
       }},
      {"out", route, "Links to other endpoints of its host",
       [](Item& item, const YamlField& value) { item.path.out = read_route(value, item.links); }},
      {"in", route, "Links from other endpoints of its host",
       [](Item& item, const YamlField& value) { item.path.in = read_route(value, item.links); }},
      {"relays", numbers(), "Endpoints of its host that forward to endpoints that it cannot reach",
       [](Item& item, const YamlField& value) {
         for (const YamlField& number : value.list("the numbers of endpoints")) {
           item.path.relays.emplace_back(number.count(0, kMostNumber));
         }
       }},
  };
  return keys;
}

void read_endpoint(const YamlField& field, const Places& places, const NameTable& links, Cluster& cluster) {
  Item item{.places = places, .links = links};
  if (!field.is(Kind::kMap)) {
    cluster.endpoints.push_back(places.find(field));
  } else {
    read_map(field, endpoint_keys(), item);
    if (!item.host) field.fail(fmt::format("'{}' has no host; expected one", field.name));
    const DeviceId device = item.index ? places.device(field, *item.host, *item.index) : DeviceId{};
    cluster.endpoints.push_back({*item.host, device});
  }
  const Cluster::UplinkPath& path = item.path;
  if (path.up.size() != path.switches.size() || path.down.size() != path.switches.size()) {
    field.fail(fmt::format("'{}' has {} links up, {} down and {} switches; expected the same number of each",
                           field.name, path.up.size(), path.down.size(), path.switches.size()));
  }
  // Either all endpoints have an uplink path or none does. Endpoints before the first one with a path get an empty
  // path.
  if (item.has_uplink || !cluster.uplinks.empty()) {
    cluster.uplinks.resize(cluster.endpoints.size() - 1);
    cluster.uplinks.push_back(std::move(item.path));
  }
}

/// Checks that each relay is another endpoint of the same host. This is possible only after all endpoints are read.
void check_relays(const YamlField& field, const Cluster& cluster) {
  for (std::size_t i = 0; i < cluster.uplinks.size(); ++i) {
    for (const EndpointId relay : cluster.uplinks[i].relays) {
      if (relay.index() < cluster.endpoints.size() &&
          cluster.endpoints[relay.index()].host == cluster.endpoints[i].host)
        continue;
      field.fail(fmt::format("'{}[{}]' is relayed by {}; expected another endpoint of its host", field.name, i,
                             relay.value()));
    }
  }
}

/// A route whose keys are being read.
struct RouteItem {
  const Cluster& cluster;
  const NameTable& links;
  EndpointId from{};
  EndpointId to{};
  Route route;
};

EndpointId read_endpoint_number(const RouteItem& route, const YamlField& field) {
  return EndpointId{field.count(0, static_cast<std::uint32_t>(route.cluster.endpoints.size() - 1))};
}

const std::vector<YamlKey<RouteItem>>& route_keys() {
  static const std::vector<YamlKey<RouteItem>> keys{
      YamlKey<RouteItem>{
          "from", yaml::count(0, kMostNumber), "Number of the sending endpoint",
          [](RouteItem& route, const YamlField& value) { route.from = read_endpoint_number(route, value); }}
          .required(),
      YamlKey<RouteItem>{
          "to", yaml::count(0, kMostNumber), "Number of the receiving endpoint",
          [](RouteItem& route, const YamlField& value) { route.to = read_endpoint_number(route, value); }}
          .required(),
      {"links", yaml::list(reference()), "Links that a message crosses, in order: names or numbers",
       [](RouteItem& route, const YamlField& value) { route.route = read_route(value, route.links); }},
  };
  return keys;
}

void read_routes(const YamlField& field, const NameTable& links, Cluster& cluster) {
  for (const YamlField& item : field.list("a list of routes")) {
    if (!item.is(Kind::kMap)) item.reject("a route such as {from: 0, to: 1, links: [a-b]}");
    RouteItem route{.cluster = cluster, .links = links};
    read_map(item, route_keys(), route);
    if (!route.from.valid() || !route.to.valid() || route.from == route.to) {
      item.fail(fmt::format("'{}' does not lead from one endpoint to another; expected 'from' and 'to'", item.name));
    }
    if (!cluster.routes.try_emplace({route.from, route.to}, std::move(route.route)).second) {
      item.fail(fmt::format("the route from {} to {} is given twice; expected it once", route.from.value(),
                            route.to.value()));
    }
  }
}

}  // namespace

YamlType link_list_type() { return yaml::list(type_of(link_keys())); }
YamlType device_list_type() { return yaml::list(type_of(device_keys())); }
YamlType endpoint_list_type() { return yaml::list(yaml::either(reference(), type_of(endpoint_keys())), 1); }
YamlType route_list_type() { return yaml::list(type_of(route_keys())); }
YamlType hosts_type() { return yaml::either(yaml::count(1, kMostHosts), yaml::list(yaml::text(), 1)); }

Cluster read_links(const LinkKeys& keys, std::vector<Host> hosts, Places places) {
  Cluster cluster;
  cluster.hosts = std::move(hosts);
  NameTable links{"link"};
  cluster.links = read_link_list(*keys.links, links);
  if (keys.devices != nullptr) read_devices(*keys.devices, places, cluster);
  if (keys.endpoints == nullptr) {
    for (std::size_t i = 0; i < cluster.hosts.size(); ++i) cluster.endpoints.push_back({HostId{i}, {}});
  } else {
    for (const YamlField& item : keys.endpoints->list("a list of endpoints")) {
      read_endpoint(item, places, links, cluster);
    }
    if (cluster.endpoints.empty()) keys.endpoints->reject("at least one endpoint");
    check_relays(*keys.endpoints, cluster);
  }
  if (keys.routes != nullptr) read_routes(*keys.routes, links, cluster);
  return cluster;
}

}  // namespace stepsim::ingest
