#ifndef STEPSIM_MODEL_CLUSTER_H
#define STEPSIM_MODEL_CLUSTER_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/id.h"
#include "model/units.h"

namespace stepsim {

using HostId = Id<struct HostTag>;
using DeviceId = Id<struct DeviceTag>;
using LinkId = Id<struct LinkTag>;
using EndpointId = Id<struct EndpointTag>;

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

/// One direction of a connection; what two hosts send each other over a full-duplex cable
/// crosses two links. A half-duplex cable (or a bus) is one link that both directions cross.
struct Link {
  std::string name;  ///< "host 3 out"; may be empty
  Bandwidth bandwidth;
  Duration latency{};
  double efficiency = 1;  ///< of the bandwidth, what is left for payload: TCP over Ethernet about 0.957

  /// What the link can carry of payload.
  [[nodiscard]] Bandwidth goodput() const noexcept {
    return Bandwidth::from_bytes_per_second(bandwidth.bytes_per_second() * efficiency);
  }
};

/// The links a message crosses, in order, from its sender's host on. Its latency is the sum
/// of theirs; it shares each link's goodput with whatever else crosses it.
using Route = std::vector<LinkId>;

/// Who sends and receives: a rank, a worker or a server of the job, on the host (and device)
/// where it runs. Ranks and workers come first, in their order, then servers.
struct Endpoint {
  HostId host;
  DeviceId device{};  ///< invalid: the host itself
};

/// What a message costs beside the links, and how messages share them. One for the cluster.
struct NetworkParameters {
  Duration message_overhead{};  ///< added before every message, whatever its size
  /// How concurrent messages of different senders share a link that is too narrow for all:
  /// 1 = fairly (max-min), 0 = one after the other, between = a later one gets this share of
  /// what the one before it gets (docs/models.md).
  double sharing = 1;
  /// LogGP (Alexandrov et al. 1995): overhead o of sender and receiver, gap g between
  /// messages. L and G come from the route: its latency, and its narrowest link.
  Duration overhead{};
  Duration gap{};
};

/// How fast a host does what it does beside computing and sending. Absent: not known.
struct HostRates {
  std::optional<Bandwidth> copy_to_host;    ///< device to host
  std::optional<Bandwidth> copy_to_device;  ///< host to device
  Duration copy_overhead{};                 ///< of each copy, whatever its size
  std::optional<Bandwidth> sum;             ///< a server adding a push to what it has
  Duration sum_overhead{};
  std::optional<Duration> launch_overhead;  ///< of one kernel launch, on the host
};

/// The hardware a job runs on (cluster.yaml, the hosts, links and routes of a task graph, or
/// what calibration found). Plain data: whoever makes it checks that ids lie in their tables.
struct Cluster {
  std::vector<Host> hosts;
  std::vector<Device> devices;
  std::vector<Link> links;
  std::vector<Endpoint> endpoints;  ///< by EndpointId: rank r is r, server s is ranks + s
  NetworkParameters network;
  HostRates rates;

  /// Routes that are written down, between endpoints. Ordered, so that a walk over them is
  /// the same in every run.
  std::map<std::pair<EndpointId, EndpointId>, Route> routes;
  /// For pairs without an entry in `routes`: from each endpoint up to the root of a tree of
  /// switches, and back down. The route is what lies below the first switch that both share:
  /// the links of `up` of one and of `down` of the other, their common tail left out.
  struct Climb {
    Route up;                             ///< from the endpoint to the root
    Route down;                           ///< from the root to the endpoint
    std::vector<std::uint32_t> switches;  ///< by hop of `up`: the number of the switch it reaches
  };
  std::vector<Climb> climbs;  ///< by EndpointId; empty where every route is written down

  /// How a message gets from one endpoint to another: empty within an endpoint, nothing where
  /// they cannot reach each other. O(log routes), or O(hops).
  [[nodiscard]] std::optional<Route> route(EndpointId from, EndpointId to) const;
};

/// `hosts` hosts on one switch, one endpoint each: a link out of and one into every host, each
/// with `link`'s bandwidth, efficiency and latency. A message crosses two of them.
[[nodiscard]] Cluster star(std::size_t hosts, const Link& link);

}  // namespace stepsim

#endif
