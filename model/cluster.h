#ifndef STEPSIM_MODEL_CLUSTER_H
#define STEPSIM_MODEL_CLUSTER_H

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/id.h"
#include "model/units.h"

namespace stepsim {

using HostId = Id<struct HostTag>;
using DeviceId = Id<struct DeviceTag>;
using LinkId = Id<struct LinkTag>;

/// A machine of the cluster.
struct Host {
  std::string name;  ///< as traces name it; empty where only its number is known
};

/// An accelerator in a host.
struct Device {
  HostId host;
  std::int32_t index = 0;  ///< its number in the host, as traces give it
  std::string model;       ///< "V100"; empty if unknown
};

/// One direction of a connection. What two hosts send each other crosses two links.
struct Link {
  std::string name;  ///< "host 3 out"; may be empty
  Bandwidth bandwidth;
  Duration latency{};
};

/// The links a message crosses, in order, from its sender's host on. Its latency is the sum
/// of theirs; it shares each link's bandwidth with whatever else crosses it.
using Route = std::vector<LinkId>;

/// The hardware a job runs on (cluster.yaml, or the hosts, links and routes of a task graph).
/// Plain data: whoever reads it checks that every id lies within its table.
struct Cluster {
  std::vector<Host> hosts;
  std::vector<Device> devices;
  std::vector<Link> links;
  /// From one host to another. Pairs without an entry cannot send to each other; a host
  /// reaches itself without crossing any link. Ordered, so that a walk over it is the same
  /// in every run.
  std::map<std::pair<HostId, HostId>, Route> routes;
};

}  // namespace stepsim

#endif
