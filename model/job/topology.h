#ifndef STEPSIM_MODEL_JOB_TOPOLOGY_H
#define STEPSIM_MODEL_JOB_TOPOLOGY_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "model/job/cluster.h"

namespace stepsim {

/// Words in the names of the links inside a host.
inline constexpr std::string_view kNvlink = "nvlink";
inline constexpr std::string_view kPcie = "pcie";

/// The properties of one cable, or of all connections of one kind, such as NVLink.
struct Cable {
  Bandwidth bandwidth;
  Duration latency{};
  double efficiency = 1;    ///< share of the bandwidth left for payload, as in Link
  bool full_duplex = true;  ///< true if each direction has the bandwidth; false if they share it
  friend bool operator==(const Cable&, const Cable&) = default;
};

/// Switches that each connect `ports` hosts (or switches of the tier below). Each has a full-duplex link to the tier
/// above with `ports` times one port's bandwidth / `oversubscription`.
struct Tier {
  std::uint32_t ports = 1;
  double oversubscription = 1;
  Duration latency{};  ///< latency of the link to the tier above
};

/// The parameters of a cluster: hosts under a fat tree (Al-Fares et al., SIGCOMM 2008), in which parallel switches and
/// cables count as one switch and one link. One root switch connects the switches of the last tier. Without tiers, the
/// result is a star.
struct ClusterShape {
  std::vector<Host> hosts;
  Cable nic;                       ///< connects each NIC of a host to its switch
  std::map<HostId, Cable> differ;  ///< hosts whose NICs differ from `nic`
  /// Number of NICs per host. NIC k of every host belongs to rail k, and each rail is a separate fat tree. A message to
  /// another rail first goes to the device of its own host that is on that rail (as NCCL's PXN does).
  std::uint32_t nics = 1;
  std::vector<Tier> tiers;    ///< ordered from the hosts up
  std::uint32_t devices = 0;  ///< devices per host; device d uses NIC d * nics / devices
  std::string device_model;
  std::optional<Cable> nvlink;      ///< connection between the devices of a host; each device has one
  std::optional<Cable> pcie;        ///< connection between a device and its NIC; without nvlink also between devices
  std::vector<Endpoint> endpoints;  ///< if empty, one per device, host by host, or one per host without devices
};

/// Returns device `index` of a host, in a cluster with `devices` devices per host.
[[nodiscard]] constexpr DeviceId device_of(HostId host, std::uint32_t devices, std::uint32_t index) {
  return DeviceId{host.index() * devices + index};
}

/// Returns the rail of an endpoint, 0 for a host without devices.
[[nodiscard]] std::uint32_t rail_of(const ClusterShape& shape, const Endpoint& endpoint);

/// Builds a cluster in which Cluster::uplinks connects every endpoint to every other one. O(hosts * (nics + devices)).
/// Precondition: counts, ports and oversubscription are above 0 (devices can be 0), ids exist in their tables, and with
/// several rails every host that has an endpoint has one on each rail in use.
[[nodiscard]] Cluster build_cluster(const ClusterShape& shape);

}  // namespace stepsim

#endif
