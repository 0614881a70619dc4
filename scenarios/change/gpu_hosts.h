#ifndef STEPSIM_SCENARIOS_CHANGE_GPU_HOSTS_H
#define STEPSIM_SCENARIOS_CHANGE_GPU_HOSTS_H

#include <cstdint>
#include <optional>
#include <string>

#include "model/job/cluster.h"

namespace stepsim::scenarios {

/// Hosts of several GPUs each, which talk to each other inside a host by links of their own and beyond it by the host's
/// NIC.
struct GpuHosts {
  std::uint32_t gpus = 1;  ///< a host
  Link inside;             ///< of each GPU to others of its host, each way
  Link nic;                ///< of a host, each way
};

/// Nothing where endpoints have no links inside their host, or more than one link up to a switch that all share. The
/// first host and the first link of each kind stand for all.
[[nodiscard]] std::optional<GpuHosts> gpu_hosts_of(const Cluster& cluster);

/// One endpoint a GPU, host by host on one switch. The last host may have fewer. What is not a link comes from
/// `like`. Precondition: hosts.gpus > 0.
[[nodiscard]] Cluster with_gpu_hosts(const Cluster& like, std::uint32_t ranks, const GpuHosts& hosts,
                                     const std::string& device);

}  // namespace stepsim::scenarios

#endif
