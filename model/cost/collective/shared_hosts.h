#ifndef STEPSIM_MODEL_COST_COLLECTIVE_SHARED_HOSTS_H
#define STEPSIM_MODEL_COST_COLLECTIVE_SHARED_HOSTS_H

#include <cstdint>
#include <span>

#include "model/job/cluster.h"

namespace stepsim {

/// The number of ranks that shared a host, for a cluster whose `hosts` are ranks because a capture does not show the
/// links inside hosts. Rank r was on host r / ranks_per_host.
extern const NetworkParameterOf<double> kRanksPerHost;

/// Returns on how many hosts the endpoints are, for the cost model of NCCL: of the hosts that ranks shared
/// (kRanksPerHost) if there are several, else of the cluster's.
[[nodiscard]] std::uint32_t hosts_of(const Cluster& cluster, std::span<const EndpointId> endpoints);

}  // namespace stepsim

#endif
