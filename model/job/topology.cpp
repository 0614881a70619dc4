#include "model/job/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stepsim {
namespace {

/// The two directions of a cable; both are the same link if it is half duplex.
struct Directions {
  LinkId out;
  LinkId in;
};

/// Creates the links of a shape in a fixed order (hosts, then tiers), and collects for each endpoint the links on its
/// way to the root.
class Builder {
 public:
  explicit Builder(const ClusterShape& shape) : shape_(shape) {
    if (shape.pcie) switches_ = static_cast<std::uint32_t>(shape.hosts.size() * shape.nics);
  }

  Cluster build() {
    cluster_.hosts = shape_.hosts;
    for (std::size_t i = 0; i < shape_.hosts.size(); ++i) add_host(HostId{i});
    for (std::uint32_t rail = 0; rail < shape_.nics; ++rail) add_switches(rail);
    place_endpoints();
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
    const Link link{name, cable.bandwidth, cable.latency, cable.efficiency};
    const Directions ends{LinkId{cluster_.links.size()}, LinkId{cluster_.links.size() + (cable.full_duplex ? 1 : 0)}};
    cluster_.links.push_back(link);
    if (!cable.full_duplex) return ends;
    cluster_.links.back().name += " out";
    cluster_.links.push_back(link);
    cluster_.links.back().name += " in";
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
      cluster_.devices.push_back({host, static_cast<std::int32_t>(i), shape_.device_model});
      if (shape_.nvlink) nvlinks_.push_back(lay(*shape_.nvlink, fmt::format("{} device {} {}", name, i, kNvlink)));
      if (shape_.pcie) pcies_.push_back(lay(*shape_.pcie, fmt::format("{} device {} {}", name, i, kPcie)));
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

  void place_endpoints() {
    cluster_.endpoints = shape_.endpoints;
    if (!shape_.endpoints.empty()) return;
    for (std::size_t i = 0; i < shape_.hosts.size(); ++i) {
      if (shape_.devices == 0) cluster_.endpoints.push_back({HostId{i}, {}});
    }
    for (std::size_t i = 0; i < cluster_.devices.size(); ++i) {
      cluster_.endpoints.push_back({cluster_.devices[i].host, DeviceId{i}});
    }
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

Cluster build_cluster(const ClusterShape& shape) { return Builder{shape}.build(); }

}  // namespace stepsim
