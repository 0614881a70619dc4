#include "model/job/cluster.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace stepsim {
namespace {

using UplinkPath = Cluster::UplinkPath;

Route joined(Route first, const Route& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Up from one endpoint until a switch that the other one uplinks through too, then down to it.
std::optional<Route> over_switches(const UplinkPath& from, const UplinkPath& to) {
  for (std::size_t hop = 0; hop < from.switches.size(); ++hop) {
    const auto met = std::find(to.switches.begin(), to.switches.end(), from.switches[hop]);
    if (met == to.switches.end()) continue;
    const Route up(from.up.begin(), std::next(from.up.begin(), static_cast<std::ptrdiff_t>(hop) + 1));
    const auto hops_down = std::distance(to.switches.begin(), met) + 1;
    return joined(up, Route(std::prev(to.down.end(), hops_down), to.down.end()));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Route> Cluster::route(EndpointId from, EndpointId to) const {
  if (from == to) return Route{};
  if (const auto written = routes.find({from, to}); written != routes.end()) return written->second;
  if (from.index() >= uplinks.size() || to.index() >= uplinks.size()) return std::nullopt;
  const UplinkPath& source = uplinks[from.index()];
  const UplinkPath& target = uplinks[to.index()];
  if (endpoints[from.index()].host == endpoints[to.index()].host) return joined(source.out, target.in);
  if (auto direct = over_switches(source, target)) return direct;
  for (const EndpointId relay : source.relays) {
    const UplinkPath& passes_on = uplinks[relay.index()];
    if (const auto rest = over_switches(passes_on, target)) return joined(joined(source.out, passes_on.in), *rest);
  }
  return std::nullopt;
}

Cluster star(std::size_t hosts, const Link& link) {
  Cluster cluster;
  for (std::size_t i = 0; i < hosts; ++i) {
    const std::string name = "host " + std::to_string(i);
    cluster.hosts.push_back({std::to_string(i)});
    cluster.endpoints.push_back({HostId{i}, {}});
    cluster.uplinks.push_back({.up = {LinkId{2 * i}}, .down = {LinkId{2 * i + 1}}, .switches = {0}});
    for (const char* direction : {" out", " in"}) {
      cluster.links.push_back(link);
      cluster.links.back().name = name + direction;
    }
  }
  return cluster;
}

}  // namespace stepsim
