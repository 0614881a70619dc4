#include "model/job/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace stepsim {
namespace {

/// The two directions of a cable; both are the same link if it is half duplex.
struct Directions {
  LinkId out;
  LinkId in;
};

/// Returns the number of endpoints that fit on the hosts in the default order.
std::size_t places_of(const ClusterShape& shape) { return shape.hosts.size() * shape.per_host(); }

/// Returns the place of an endpoint in the default order.
Endpoint place_of(const ClusterShape& shape, std::size_t endpoint) {
  const HostId host{endpoint / shape.per_host()};
  return {host, shape.devices > 0 ? DeviceId{endpoint} : DeviceId{}};
}

/// If the listed endpoints are in the default order, replaces the list by their number.
void shorten_endpoints(ClusterShape& shape) {
  if (shape.endpoints.empty()) return;
  std::vector<Endpoint> listed = std::exchange(shape.endpoints, {});
  const std::uint32_t per_host = shape.endpoints_per_host;
  if (shape.devices == 0 && !shape.endpoints_as_captured) {
    const auto other =
        std::find_if(listed.begin(), listed.end(), [](const Endpoint& endpoint) { return endpoint.host != HostId{0}; });
    shape.endpoints_per_host = std::max(1U, static_cast<std::uint32_t>(other - listed.begin()));
  }
  shape.endpoint_count = listed.size();
  if (listed.size() <= places_of(shape) && endpoints_of(shape) == listed) {
    shape.endpoints_as_captured = false;
    return;
  }
  shape.endpoint_count.reset();
  shape.endpoints_per_host = per_host;
  shape.endpoints = std::move(listed);
}

/// Creates the links of a shape in a fixed order (hosts, then tiers), and collects for each endpoint the links on its
/// way to the root.
class Builder {
 public:
  /// Keeps a reference to `shape`.
  explicit Builder(const ClusterShape& shape) : shape_(shape) {
    if (shape.pcie) switches_ = static_cast<std::uint32_t>(shape.hosts.size() * shape.nics);
  }

  Cluster build() {
    cluster_.hosts = shape_.hosts;
    cluster_.links.reserve(2 * shape_.hosts.size() * (shape_.nics + std::size_t{2} * shape_.devices));
    for (std::size_t i = 0; i < shape_.hosts.size(); ++i) add_host(HostId{i});
    for (std::uint32_t rail = 0; rail < shape_.nics; ++rail) add_switches(rail);
    cluster_.endpoints = endpoints_of(shape_);
    for (const Endpoint& endpoint : cluster_.endpoints) cluster_.uplinks.push_back(uplink_path(endpoint));
    if (shape_.nics > 1) add_relays();
    return std::move(cluster_);
  }

 private:
  /// A switch of a tier and its link to the tier above. The root has no such link.
  struct Switch {
    std::uint32_t number = 0;
    Directions above{};
  };

  Directions lay(const Cable& cable, const std::string& name) {
    const Directions ends{LinkId{cluster_.links.size()}, LinkId{cluster_.links.size() + (cable.full_duplex ? 1 : 0)}};
    const auto add = [&](std::string of_link) {
      cluster_.links.push_back({.name = std::move(of_link),
                                .bandwidth = cable.bandwidth,
                                .latency = cable.latency,
                                .efficiency = cable.efficiency,
                                .is_bus = cable.is_bus});
    };
    add(cable.full_duplex ? name + " out" : name);
    if (cable.full_duplex) add(name + " in");
    return ends;
  }

  void add_host(HostId host) {
    const std::string name = "host " + shape_.hosts[host.index()].name;
    const auto differs = shape_.differ.find(host);
    const Cable& nic = differs == shape_.differ.end() ? shape_.nic : differs->second;
    for (std::uint32_t i = 0; i < shape_.nics; ++i) {
      nics_.push_back(lay(nic, shape_.nics == 1 ? name : fmt::format("{} nic {}", name, i)));
    }
    for (std::uint32_t i = 0; i < shape_.devices; ++i) {
      cluster_.devices.push_back({host, static_cast<std::int32_t>(i), shape_.device_model, shape_.peer_access});
      const std::string device = name + " device " + std::to_string(i);
      if (shape_.nvlink) nvlinks_.push_back(lay(*shape_.nvlink, device + " nvlink"));
      if (shape_.pcie) pcies_.push_back(lay(*shape_.pcie, device + " pcie"));
    }
  }

  void add_switches(std::uint32_t rail) {
    std::vector<std::vector<Switch>> tree;
    std::size_t below = shape_.hosts.size();
    Cable above = shape_.nic;
    above.full_duplex = true;
    for (const Tier& tier : shape_.tiers) {
      above.bandwidth =
          Bandwidth::from_bytes_per_second(above.bandwidth.bytes_per_second() * tier.ports / tier.oversubscription);
      above.latency = tier.latency;
      below = (below + tier.ports - 1) / tier.ports;
      const std::size_t level = tree.size();
      tree.emplace_back();
      for (std::size_t i = 0; i < below; ++i) {
        const std::string name = shape_.nics == 1 ? fmt::format("tier {} switch {}", level, i)
                                                  : fmt::format("rail {} tier {} switch {}", rail, level, i);
        tree.back().push_back({switches_++, lay(above, name)});
      }
    }
    tree.push_back({{switches_++, {}}});
    rails_.push_back(std::move(tree));
  }

  /// Returns the links of an endpoint's way up to the root, and the links of the way down.
  [[nodiscard]] Cluster::UplinkPath uplink_path(const Endpoint& endpoint) const {
    const std::uint32_t rail = rail_of(shape_, endpoint);
    const std::size_t nic = endpoint.host.index() * shape_.nics + rail;
    Cluster::UplinkPath path;
    if (endpoint.device.valid() && shape_.pcie.has_value()) {
      const Directions pcie = pcies_[endpoint.device.index()];
      add_hop(path, pcie, static_cast<std::uint32_t>(nic));
      path.out = {pcie.out};
      path.in = {pcie.in};
    }
    std::size_t child = endpoint.host.index();
    Directions ends = nics_[nic];
    for (std::size_t level = 0; level < rails_[rail].size(); ++level) {
      child = level < shape_.tiers.size() ? child / shape_.tiers[level].ports : 0;
      const Switch& reached = rails_[rail][level][child];
      add_hop(path, ends, reached.number);
      ends = reached.above;
    }
    std::reverse(path.down.begin(), path.down.end());
    if (endpoint.device.valid() && shape_.nvlink.has_value()) {
      path.out = {nvlinks_[endpoint.device.index()].out};
      path.in = {nvlinks_[endpoint.device.index()].in};
    }
    return path;
  }

  static void add_hop(Cluster::UplinkPath& path, Directions ends, std::uint32_t reached) {
    path.up.push_back(ends.out);
    path.down.push_back(ends.in);  // in order from the endpoint up; uplink_path() reverses the order at the end
    path.switches.push_back(reached);
  }

  /// Adds relays: endpoints of the same host on other rails. The first endpoint on each other rail is enough, because
  /// all endpoints of a rail reach the same switches. An endpoint on the same rail would not help.
  void add_relays() {
    std::vector<std::vector<EndpointId>> firsts(shape_.hosts.size());  // endpoints, indexed by host
    const auto rail = [this](EndpointId id) { return rail_of(shape_, cluster_.endpoints[id.index()]); };
    for (std::size_t i = 0; i < cluster_.endpoints.size(); ++i) {
      std::vector<EndpointId>& on_host = firsts[cluster_.endpoints[i].host.index()];
      const bool is_first = std::none_of(on_host.begin(), on_host.end(),
                                         [&](EndpointId other) { return rail(other) == rail(EndpointId{i}); });
      if (is_first) on_host.emplace_back(i);
    }
    for (std::size_t i = 0; i < cluster_.endpoints.size(); ++i) {
      for (const EndpointId other : firsts[cluster_.endpoints[i].host.index()]) {
        if (rail(other) != rail(EndpointId{i})) cluster_.uplinks[i].relays.push_back(other);
      }
    }
  }

  const ClusterShape& shape_;
  Cluster cluster_;
  std::vector<Directions> nics_;                         // indexed by host, then NIC
  std::vector<Directions> nvlinks_;                      // indexed by DeviceId
  std::vector<Directions> pcies_;                        // indexed by DeviceId
  std::vector<std::vector<std::vector<Switch>>> rails_;  // indexed by rail, then tier from the hosts up
  std::uint32_t switches_ = 0;  // next number of a switch, or of a NIC between PCIe and network
};

}  // namespace

std::uint32_t rail_of(const ClusterShape& shape, const Endpoint& endpoint) {
  if (!endpoint.device.valid()) return 0;
  const std::uint64_t device = endpoint.device.index() % shape.devices;
  return static_cast<std::uint32_t>(device * shape.nics / shape.devices);
}

std::vector<Endpoint> endpoints_of(const ClusterShape& shape) {
  if (!shape.endpoints.empty()) return shape.endpoints;
  std::vector<Endpoint> endpoints(shape.endpoint_count.value_or(places_of(shape)));
  for (std::size_t i = 0; i < endpoints.size(); ++i) endpoints[i] = place_of(shape, i);
  return endpoints;
}

Cluster build_cluster(ClusterShape shape) {
  shorten_endpoints(shape);
  if (shape.endpoint_count == places_of(shape)) shape.endpoint_count.reset();
  Cluster cluster = Builder{shape}.build();
  cluster.shape = std::move(shape);
  return cluster;
}

Cluster with_shape(const Cluster& like, ClusterShape shape) {
  Cluster cluster = build_cluster(std::move(shape));
  cluster.network = like.network;
  cluster.rates = like.rates;
  cluster.measured = like.measured;
  return cluster;
}

std::vector<Host> numbered_hosts(std::size_t count) {
  std::vector<Host> hosts(count);
  for (std::size_t i = 0; i < count; ++i) hosts[i].name = std::to_string(i);
  return hosts;
}

namespace {

std::size_t total(std::span<const Resize> kinds) {
  return std::transform_reduce(kinds.begin(), kinds.end(), std::size_t{0}, std::plus<>(),
                               [](const Resize& kind) { return kind.after; });
}

/// Returns the hosts of a shape with one endpoint per host after a change: the number of the host before, or nothing
/// for a new host. Unused hosts at the end count as hosts of the last kind.
std::vector<std::optional<HostId>> hosts_after(std::size_t hosts, std::span<const Resize> kinds) {
  std::vector<std::optional<HostId>> result;
  std::size_t first = 0;
  for (const Resize& kind : kinds) {
    const std::size_t own = &kind == &kinds.back() ? hosts - std::min(first, hosts) : kind.before;
    for (std::size_t i = 0; i < kind.after; ++i)
      result.push_back(i < own && first + i < hosts ? std::optional{HostId{first + i}} : std::nullopt);
    first += kind.before;
  }
  return result;
}

/// Replaces the hosts of a shape. Each new host gets a number as its name: its own if all hosts have that, otherwise
/// one that no host has.
void take_hosts(ClusterShape& shape, const std::vector<std::optional<HostId>>& sources) {
  std::vector<Host> hosts = numbered_hosts(sources.size());
  std::map<HostId, Cable> differ;
  const bool numbered = shape.hosts == numbered_hosts(shape.hosts.size());
  std::set<std::string> taken;
  for (const Host& host : shape.hosts) taken.insert(host.name);
  std::size_t number = shape.hosts.size();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::optional<HostId>& source = sources[i];
    if (source && shape.differ.contains(*source)) differ.emplace(HostId{i}, shape.differ.at(*source));
    if (numbered) continue;
    while (!source && taken.contains(std::to_string(number))) ++number;
    hosts[i] = source ? shape.hosts[source->index()] : Host{std::to_string(number++)};
  }
  shape.hosts = std::move(hosts);
  shape.differ = std::move(differ);
}

/// Throws ShapeProblem if the last of these hosts would lack an endpoint on a rail that others use.
void check_rails(const ClusterShape& shape, std::size_t endpoints) {
  const std::size_t on_last = endpoints % shape.per_host();
  if (shape.nics == 1 || on_last == 0 || endpoints < shape.per_host()) return;
  if (rail_of(shape, place_of(shape, on_last - 1)) + 1 == shape.nics) return;
  throw ShapeProblem(
      fmt::format("has {} NICs per host, and its last host would have no GPU at some of them; expected a multiple of "
                  "{} ranks",
                  shape.nics, shape.per_host()));
}

/// Adds usual hosts until there are `endpoints` places, in the default order after those that are listed.
void add_hosts(ClusterShape& shape, std::size_t endpoints) {
  const std::size_t per_host = shape.per_host();
  const Resize hosts{shape.hosts.size(), std::max(shape.hosts.size(), (endpoints + per_host - 1) / per_host)};
  take_hosts(shape, hosts_after(shape.hosts.size(), std::span(&hosts, 1)));
  for (std::size_t i = shape.endpoints.size(); i < places_of(shape); ++i) shape.endpoints.push_back(place_of(shape, i));
}

/// Returns the listed endpoints after a change. Unused ones at the end count as those of the last kind.
std::vector<Endpoint> endpoints_after(const std::vector<Endpoint>& endpoints, std::span<const Resize> kinds) {
  std::vector<Endpoint> kept;
  std::size_t first = 0;
  for (const Resize& kind : kinds) {
    for (std::size_t i = first; i < first + kind.after; ++i) {
      const std::size_t last = &kind == &kinds.back() ? endpoints.size() : first + kind.before;
      if (i >= std::min(last, endpoints.size())) {
        throw ShapeProblem(
            fmt::format("lists the places of {} endpoints, and does not say where more would be; expected no more, or "
                        "a file without 'endpoints'",
                        endpoints.size()));
      }
      kept.push_back(endpoints[i]);
    }
    first += kind.before;
  }
  return kept;
}

}  // namespace

ClusterShape resized(ClusterShape shape, std::span<const Resize> kinds) {
  shorten_endpoints(shape);
  if (!shape.endpoints.empty() && shape.endpoints_as_captured) {
    add_hosts(shape, total(kinds));
    return shape;
  }
  if (!shape.endpoints.empty()) {
    shape.endpoints = endpoints_after(shape.endpoints, kinds);
    return shape;
  }
  const std::size_t endpoints = total(kinds);
  check_rails(shape, endpoints);
  const std::size_t per_host = shape.per_host();
  const Resize all{shape.hosts.size(), (endpoints + per_host - 1) / per_host};
  take_hosts(shape, hosts_after(shape.hosts.size(), per_host == 1 ? kinds : std::span(&all, 1)));
  shape.endpoint_count = endpoints;
  return shape;
}

const ClusterShape& shape_of(const Cluster& cluster) {
  if (cluster.links.empty()) throw ShapeProblem("has no links; expected --cluster FILE");
  if (!cluster.shape) {
    throw ShapeProblem(
        "is described link by link, which does not say what more hosts would be connected to; expected one described "
        "by numbers ('nic' instead of 'links')");
  }
  return *cluster.shape;
}

Cluster star(std::size_t hosts, const Link& link) {
  return build_cluster({.hosts = numbered_hosts(hosts), .nic = {link.bandwidth, link.latency, link.efficiency}});
}

}  // namespace stepsim
