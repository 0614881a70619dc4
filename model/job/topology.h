#ifndef STEPSIM_MODEL_JOB_TOPOLOGY_H
#define STEPSIM_MODEL_JOB_TOPOLOGY_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "model/job/cluster.h"

namespace stepsim {

/// A cable, or what devices of one kind are connected by.
struct Cable {
  Bandwidth bandwidth;
  Duration latency{};
  double efficiency = 1;    ///< as Link's
  bool full_duplex = true;  ///< each direction has the bandwidth; false: they share it
  friend bool operator==(const Cable&, const Cable&) = default;
};

/// Switches that each join `ports` hosts (or switches of the tier below) and reach the tier
/// above by a full-duplex link of `ports` times one port's bandwidth / `oversubscription`.
struct Tier {
  std::uint32_t ports = 1;
  double oversubscription = 1;
  Duration latency{};  ///< of that link
};

/// A cluster described by numbers: hosts under a fat tree (Al-Fares et al., SIGCOMM 2008) whose
/// parallel switches and cables count as one switch and one link. One root joins what the
/// last tier leaves apart, so without tiers it is a star.
struct ClusterShape {
  std::vector<Host> hosts;
  Cable nic;                       ///< from each NIC of a host to its switch
  std::map<HostId, Cable> differ;  ///< hosts whose NICs differ from `nic`
  /// NICs a host. NIC k of every host is on rail k, a fat tree of its own; a message to another
  /// rail goes to the device of its host that is on that rail first (as NCCL's PXN does).
  std::uint32_t nics = 1;
  std::vector<Tier> tiers;    ///< from the hosts up
  std::uint32_t devices = 0;  ///< a host; device d uses NIC d * nics / devices
  std::string device_model;
  std::optional<Cable> nvlink;      ///< between the devices of a host: each has one of these
  std::optional<Cable> pcie;        ///< between a device and its NIC; without nvlink also between devices
  std::vector<Endpoint> endpoints;  ///< empty: one a device, host by host, or one a host
};

/// The device numbered `index` of a host in a cluster built with `devices` a host.
[[nodiscard]] constexpr DeviceId device_of(HostId host, std::uint32_t devices, std::uint32_t index) {
  return DeviceId{host.index() * devices + index};
}

/// The rail of an endpoint: 0 for a host without devices.
[[nodiscard]] std::uint32_t rail_of(const ClusterShape& shape, const Endpoint& endpoint);

/// Every endpoint reaches every other one by Cluster::uplinks. O(hosts * (nics + devices)).
/// Precondition: counts, ports and oversubscription are above 0 (devices may be 0), ids lie in
/// their tables, and with several rails every host that has an endpoint has one on each rail
/// that is used.
[[nodiscard]] Cluster build_cluster(const ClusterShape& shape);

}  // namespace stepsim

#endif
