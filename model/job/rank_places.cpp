#include "model/job/rank_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/base/text.h"
#include "model/job/topology.h"

namespace stepsim {
namespace {

/// The ranks that the capture shows on one host, with the number of each rank's device; -1 if it has none.
struct CapturedHost {
  std::string name;
  std::map<Rank, std::int32_t> devices;
};

/// Returns the hosts in the order of their first ranks; nothing if a rank's host is not known.
std::vector<CapturedHost> hosts_in(const Dag& dag) {
  std::map<Rank, std::int32_t> devices;
  for (const Lane& lane : dag.lanes()) {
    if (lane.device >= 0) devices.try_emplace(lane.rank, lane.device);
  }
  std::vector<CapturedHost> hosts;
  std::map<std::string, std::size_t> places;
  for (const auto& [rank, name] : hosts_of_ranks(dag)) {
    if (name.empty()) return {};
    const auto [place, is_new] = places.try_emplace(name, hosts.size());
    if (is_new) hosts.push_back({name, {}});
    const auto device = devices.find(rank);
    hosts[place->second].devices.emplace(rank, device == devices.end() ? -1 : device->second);
  }
  return hosts;
}

/// Returns for each captured host one of the cluster's: the one with its name or, if no name of a captured host is one
/// of the cluster's, the one whose turn it is. Returns nothing if there are too few.
std::optional<std::vector<HostId>> hosts_for(const std::vector<CapturedHost>& captured, const ClusterShape& shape) {
  std::map<std::string, HostId> named;
  for (std::size_t i = 0; i < shape.hosts.size(); ++i) named.emplace(shape.hosts[i].name, HostId{i});
  const bool by_name = std::any_of(captured.begin(), captured.end(),
                                   [&](const CapturedHost& host) { return named.contains(host.name); });
  std::vector<HostId> hosts;
  for (std::size_t i = 0; i < captured.size(); ++i) {
    const auto same = named.find(captured[i].name);
    if (by_name ? same == named.end() : i >= shape.hosts.size()) return std::nullopt;
    hosts.push_back(by_name ? same->second : HostId{i});
  }
  return hosts;
}

/// Returns the devices of a host's ranks: the recorded ones, or the first ones in order if the recorded ones are not
/// different devices of the host. Each process sees only its own GPU, as number 0, where CUDA_VISIBLE_DEVICES is set.
std::vector<std::uint32_t> devices_for(const CapturedHost& host, std::uint32_t devices) {
  std::set<std::int32_t> different;
  std::vector<std::uint32_t> recorded;
  std::vector<std::uint32_t> in_order;
  for (const auto& [rank, device] : host.devices) {
    different.insert(device);
    recorded.push_back(static_cast<std::uint32_t>(device));
    in_order.push_back(static_cast<std::uint32_t>(in_order.size()));
  }
  const bool usable =
      different.size() == host.devices.size() && *different.begin() >= 0 && std::cmp_less(*different.rbegin(), devices);
  return usable ? recorded : in_order;
}

/// Returns the places of a shape's endpoints with the captured ranks where the capture has them, and the others in
/// order on what remains. Returns nothing if they do not fit.
std::optional<std::vector<Endpoint>> endpoints_for(const std::vector<CapturedHost>& captured,
                                                   const ClusterShape& shape) {
  const std::optional<std::vector<HostId>> hosts = hosts_for(captured, shape);
  if (!hosts) return std::nullopt;
  const std::vector<Endpoint> in_order = endpoints_of(shape);
  std::vector<std::optional<std::size_t>> place_of(in_order.size());  // by rank
  std::vector<bool> taken(in_order.size());
  for (std::size_t i = 0; i < captured.size(); ++i) {
    const std::vector<std::uint32_t> devices = devices_for(captured[i], shape.per_host());
    if (devices.size() > shape.per_host()) return std::nullopt;
    std::size_t next = 0;
    for (const auto& [rank, device] : captured[i].devices) {
      const std::size_t place = (*hosts)[i].index() * shape.per_host() + devices[next++];
      if (std::cmp_greater_equal(rank, in_order.size()) || place >= in_order.size()) return std::nullopt;
      place_of[static_cast<std::size_t>(rank)] = place;
      taken[place] = true;
    }
  }
  std::vector<Endpoint> endpoints;
  std::size_t free = 0;
  for (const std::optional<std::size_t>& place : place_of) {
    while (!place && taken[free]) ++free;
    endpoints.push_back(in_order[place ? *place : free++]);
  }
  return endpoints;
}

std::string sentence(const std::vector<CapturedHost>& captured, std::size_t ranks, bool as_captured) {
  if (captured.empty()) return "The capture does not say on which hosts its ranks ran; they fill the cluster in order.";
  if (as_captured)
    return fmt::format("The {} captured ranks stay on {} as captured.", ranks, counted(captured.size(), "host"));
  return fmt::format("The {} captured ranks ran on {}, which the cluster has no places for; they fill it in order.",
                     ranks, counted(captured.size(), "host"));
}

}  // namespace

std::optional<std::set<std::string>> known_hosts(const Capture& capture) {
  std::set<std::string> names;
  for (const auto& [rank, host] : hosts_of_ranks(capture.dag)) names.insert(host);
  const bool assumed = std::ranges::find(capture.assumptions, "hosts", &Assumption::id) != capture.assumptions.end();
  if (names.empty() || (names.contains("") && !assumed)) return std::nullopt;
  return names;
}

Assumptions place_as_captured(const Dag& dag, Cluster& cluster) {
  const std::size_t ranks = hosts_of_ranks(dag).size();
  const bool listed = cluster.shape && (!cluster.shape->endpoints.empty() || cluster.shape->endpoint_count);
  if (ranks < 2 || !cluster.shape || listed) return {};
  const std::vector<CapturedHost> captured = hosts_in(dag);
  std::optional<std::vector<Endpoint>> endpoints;
  if (!captured.empty()) endpoints = endpoints_for(captured, *cluster.shape);
  if (endpoints && *endpoints != cluster.endpoints) {
    ClusterShape shape = *cluster.shape;
    shape.endpoints = *std::move(endpoints);
    shape.endpoints_as_captured = true;
    cluster = with_shape(cluster, std::move(shape));
    return {{"rank_places", sentence(captured, ranks, true)}};
  }
  return {{"rank_places", sentence(captured, ranks, endpoints.has_value())}};
}

}  // namespace stepsim
