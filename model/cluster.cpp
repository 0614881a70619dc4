#include "model/cluster.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace stepsim {
namespace {

/// Up from one endpoint until a switch that the other one climbs through too, then down to it.
std::optional<Route> route_over_tree(const Cluster::Climb& from, const Cluster::Climb& to) {
  for (std::size_t hop = 0; hop < from.switches.size(); ++hop) {
    const auto met = std::find(to.switches.begin(), to.switches.end(), from.switches[hop]);
    if (met == to.switches.end()) continue;
    Route route(from.up.begin(), std::next(from.up.begin(), static_cast<std::ptrdiff_t>(hop) + 1));
    const auto hops_down = std::distance(to.switches.begin(), met) + 1;
    route.insert(route.end(), std::prev(to.down.end(), hops_down), to.down.end());
    return route;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Route> Cluster::route(EndpointId from, EndpointId to) const {
  if (from == to) return Route{};
  if (const auto written = routes.find({from, to}); written != routes.end()) return written->second;
  if (from.index() >= climbs.size() || to.index() >= climbs.size()) return std::nullopt;
  return route_over_tree(climbs[from.index()], climbs[to.index()]);
}

Cluster star(std::size_t hosts, const Link& link) {
  Cluster cluster;
  for (std::size_t i = 0; i < hosts; ++i) {
    const std::string name = "host " + std::to_string(i);
    cluster.hosts.push_back({std::to_string(i)});
    cluster.endpoints.push_back({HostId{i}, {}});
    cluster.climbs.push_back({{LinkId{2 * i}}, {LinkId{2 * i + 1}}, {0}});
    for (const char* direction : {" out", " in"}) {
      cluster.links.push_back(link);
      cluster.links.back().name = name + direction;
    }
  }
  return cluster;
}

}  // namespace stepsim
