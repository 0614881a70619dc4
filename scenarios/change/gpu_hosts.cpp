#include "scenarios/change/gpu_hosts.h"

#include <algorithm>

#include "model/job/topology.h"

namespace stepsim::scenarios {
namespace {

Cable cable_of(const Link& link) { return {link.bandwidth, link.latency, link.efficiency, true}; }

}  // namespace

std::optional<GpuHosts> gpu_hosts_of(const Cluster& cluster) {
  if (cluster.uplinks.empty() || cluster.uplinks.front().out.empty() || cluster.uplinks.front().up.size() != 1)
    return std::nullopt;
  const Cluster::UplinkPath& first = cluster.uplinks.front();
  const HostId host = cluster.endpoints.front().host;
  const auto gpus = std::count_if(cluster.endpoints.begin(), cluster.endpoints.end(),
                                  [host](const Endpoint& endpoint) { return endpoint.host == host; });
  return GpuHosts{static_cast<std::uint32_t>(gpus), cluster.links[first.out.front().index()],
                  cluster.links[first.up.front().index()]};
}

Cluster with_gpu_hosts(const Cluster& like, std::uint32_t ranks, const GpuHosts& hosts, const std::string& device) {
  ClusterShape shape;
  shape.hosts.resize((ranks + hosts.gpus - 1) / hosts.gpus);
  for (std::size_t i = 0; i < shape.hosts.size(); ++i) shape.hosts[i].name = std::to_string(i);
  shape.nic = cable_of(hosts.nic);
  shape.devices = hosts.gpus;
  shape.device_model = device;
  shape.nvlink = cable_of(hosts.inside);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const HostId host{rank / hosts.gpus};
    shape.endpoints.push_back({host, device_of(host, hosts.gpus, rank % hosts.gpus)});
  }
  Cluster cluster = build_cluster(shape);
  cluster.network = like.network;
  cluster.rates = like.rates;
  cluster.measured = like.measured;
  return cluster;
}

}  // namespace stepsim::scenarios
