#include "model/cost/collective/shared_hosts.h"

#include <cstddef>
#include <set>

namespace stepsim {

constinit const NetworkParameterOf<double> kRanksPerHost{{
    .key = "ranks_per_host",
    .json = "ranks_per_host",
    .type = value::number(1, 64),
    .summary =
        "ranks that shared a host, if each is a host of the file; algorithm nccl then counts the hosts they shared",
    .default_value = 1.0,
}};

std::uint32_t hosts_of(const Cluster& cluster, std::span<const EndpointId> endpoints) {
  const double per_host = cluster.network[kRanksPerHost];
  std::set<HostId> hosts;
  std::set<std::size_t> shared;
  for (const EndpointId endpoint : endpoints) {
    const HostId host = cluster.endpoints[endpoint.index()].host;
    hosts.insert(host);
    shared.insert(static_cast<std::size_t>(static_cast<double>(host.index()) / per_host));
  }
  return static_cast<std::uint32_t>(shared.size() > 1 ? shared.size() : hosts.size());
}

}  // namespace stepsim
