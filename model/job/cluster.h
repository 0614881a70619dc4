#ifndef STEPSIM_MODEL_JOB_CLUSTER_H
#define STEPSIM_MODEL_JOB_CLUSTER_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/base/id.h"
#include "model/base/units.h"
#include "model/base/value_type.h"
#include "model/base/yaml.h"
#include "model/job/collective.h"

namespace stepsim {

using ParameterValue = std::variant<Duration, double, bool>;

/// A parameter of network models. The code that uses it declares it, in one place. cluster.yaml's reader and writer,
/// --json, the what-if `network` and its table in the docs all use these declarations (network_parameters() in
/// model/cost/network/network.h).
struct NetworkParameter {
  std::string_view key;      ///< key below `messages` in cluster.yaml: "overhead"; "loggp.o" is key o of the map loggp
  std::string_view json;     ///< member of `messages` in --json, with its unit: "overhead_ns"
  std::string_view what_if;  ///< key in the what-if `network`: "overhead"; empty if it has none
  ValueType type;            ///< value::time("5us")
  std::string_view summary;  ///< one-line description
  ParameterValue default_value;  ///< default value, of the type in which values are kept

  /// Converts `field` to a value. Throws InputError if it does not have the right form.
  [[nodiscard]] ParameterValue read(const YamlField& field) const;
};

/// A parameter with values of type T, one of the alternatives of ParameterValue.
template <class T>
struct NetworkParameterOf : NetworkParameter {};

/// The network parameters that a cluster sets; all others have their defaults.
class NetworkParameters {
 public:
  template <class T>
  [[nodiscard]] T operator[](const NetworkParameterOf<T>& parameter) const {
    return std::get<T>(value_of(parameter));
  }
  [[nodiscard]] ParameterValue value_of(const NetworkParameter& parameter) const noexcept;

  template <class T>
  void set(const NetworkParameterOf<T>& parameter, T value) {
    set_value(parameter, value, false);
  }
  /// Sets a value that was neither measured nor requested.
  template <class T>
  void assume(const NetworkParameterOf<T>& parameter, T value) {
    set_value(parameter, value, true);
  }
  /// Sets a parameter. Precondition: `value` has the parameter's type.
  void set_value(const NetworkParameter& parameter, ParameterValue value, bool assumed = false);

  /// True if the parameter was set (not assumed) to something other than its default.
  [[nodiscard]] bool is_given(const NetworkParameter& parameter) const noexcept;

  /// True if the value was neither measured nor requested.
  [[nodiscard]] bool is_assumed(const NetworkParameter& parameter) const noexcept;

  friend bool operator==(const NetworkParameters&, const NetworkParameters&) = default;

 private:
  /// A value that differs from the default.
  struct Entry {
    const NetworkParameter* parameter = nullptr;
    ParameterValue value;
    bool assumed = false;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries_;  ///< ordered by key
};

using HostId = Id<struct HostTag>;
using DeviceId = Id<struct DeviceTag>;
using LinkId = Id<struct LinkTag>;
using EndpointId = Id<struct EndpointTag>;

struct Host {
  std::string name;  ///< name as in traces; empty if only its number is known
  friend bool operator==(const Host&, const Host&) = default;
};

struct Device {
  HostId host;
  std::int32_t index = 0;  ///< number of the device in the host, as in traces
  std::string model;       ///< "V100"; empty if unknown
  /// True if devices of a host read each other's memory over PCIe; if absent, the model of the device decides.
  std::optional<bool> peer_access{};
  friend bool operator==(const Device&, const Device&) = default;
};

/// One direction of a connection. Over a full-duplex cable, messages between two hosts use one link for each direction.
/// A half-duplex cable (or a bus) is one link that both directions share.
struct Link {
  std::string name;  ///< "host 3 out"; may be empty
  Bandwidth bandwidth;
  Duration latency{};
  double efficiency = 1;  ///< share of the bandwidth that is left for payload: about 0.957 for TCP over Ethernet
  /// The bandwidth before a what-if changed it; absent if none did. A faster or slower link is still of this kind:
  /// NVLink does not become PCIe, nor an A100 an H100.
  std::optional<Bandwidth> built{};
  bool is_bus = false;  ///< as in Cable

  /// Returns the bandwidth of the link as it was built, which tells its kind.
  [[nodiscard]] Bandwidth as_built() const noexcept { return built.value_or(bandwidth); }
  /// Gives the link another bandwidth. It stays of its kind.
  void change_bandwidth(Bandwidth rate) noexcept {
    const Bandwidth before = as_built();
    bandwidth = rate;
    built = rate == before ? std::nullopt : std::optional(before);
  }
  /// Returns the rate at which the link carries payload.
  [[nodiscard]] Bandwidth goodput() const noexcept {
    return Bandwidth::from_bytes_per_second(bandwidth.bytes_per_second() * efficiency);
  }
  friend bool operator==(const Link&, const Link&) = default;
};

/// The links a message crosses, in order, starting at the sender's host. The message's latency is the sum of theirs. On
/// each link it shares the goodput with all other traffic.
using Route = std::vector<LinkId>;

/// A sender and receiver of messages: a rank, worker or server of the job, on the host (and device) where it runs.
/// Ranks and workers come first, in order, then servers.
struct Endpoint {
  HostId host;
  DeviceId device{};  ///< invalid if the endpoint is the host itself
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// Speeds of a host's work other than computing and sending. Members that are not known are absent.
struct HostRates {
  std::optional<Bandwidth> copy_to_host;    ///< rate from device to host
  std::optional<Bandwidth> copy_to_device;  ///< rate from host to device
  Duration copy_overhead{};                 ///< time per copy, independent of its size
  std::optional<Bandwidth> sum;             ///< rate at which a server adds a push to its sum
  Duration sum_overhead{};
  std::optional<Duration> launch_overhead;  ///< host time of one kernel launch
  friend bool operator==(const HostRates&, const HostRates&) = default;
};

/// The properties of one cable, or of all connections of one kind, such as NVLink.
struct Cable {
  Bandwidth bandwidth;
  Duration latency{};
  double efficiency = 1;    ///< share of the bandwidth left for payload, as in Link
  bool full_duplex = true;  ///< true if each direction has the bandwidth; false if they share it
  /// True if the bandwidth is a bus bandwidth, which collectives were measured to carry; false if it is a data sheet's.
  bool is_bus = false;
  friend bool operator==(const Cable&, const Cable&) = default;
};

/// Switches that each connect `ports` hosts (or switches of the tier below). Each has a full-duplex link to the tier
/// above with `ports` times one port's bandwidth / `oversubscription`.
struct Tier {
  std::uint32_t ports = 1;
  double oversubscription = 1;
  Duration latency{};  ///< latency of the link to the tier above
  friend bool operator==(const Tier&, const Tier&) = default;
};

/// What a cluster is made of: hosts under a fat tree (Al-Fares et al., SIGCOMM 2008), in which parallel switches and
/// cables count as one switch and one link. One root switch connects the switches of the last tier. Without tiers, the
/// result is a star. build_cluster() (model/job/topology.h) makes the links.
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
  std::optional<bool> peer_access;  ///< as in Device
  std::optional<Cable> nvlink;      ///< connection between the devices of a host; each device has one
  std::optional<Cable> pcie;        ///< connection between a device and its NIC; without nvlink also between devices
  /// Endpoints per host without devices. Messages between them cross no link.
  std::uint32_t endpoints_per_host = 1;
  /// Number of endpoints that are used, in the default order: host by host, one per device. Absent if all are used.
  std::optional<std::size_t> endpoint_count;
  std::vector<Endpoint> endpoints;     ///< the endpoints, if they are not in the default order
  bool endpoints_as_captured = false;  ///< true if `endpoints` has all places, in the order of the captured ranks
  friend bool operator==(const ClusterShape&, const ClusterShape&) = default;

  /// Returns the number of endpoints of a host in the default order.
  [[nodiscard]] std::uint32_t per_host() const noexcept { return devices > 0 ? devices : endpoints_per_host; }
};

/// The hardware of a job, from cluster.yaml, a task graph or calibration. Plain data: the code that creates it checks
/// that all ids exist in their tables and that every endpoint has a host.
struct Cluster {
  std::vector<Host> hosts;
  std::vector<Device> devices;
  std::vector<Link> links;
  std::vector<Endpoint> endpoints;  ///< indexed by EndpointId: rank r has id r, server s has id ranks + s
  NetworkParameters network;        ///< costs of a message besides the links, and how messages share links
  HostRates rates;
  std::vector<MeasuredCollective> measured;  ///< measured times of whole collectives, if there are any

  std::map<std::pair<EndpointId, EndpointId>, Route> routes;  ///< routes that are listed individually
  /// Describes the route between endpoints that have no entry in `routes`. Within a host, a message uses the sender's
  /// `out` and the receiver's `in`. Between hosts, it goes up to the first switch that both paths reach, then down. If
  /// the paths have no common switch, the message first goes to the first of the sender's relays that has a common
  /// switch with the receiver.
  struct UplinkPath {
    Route up;                             ///< links from the endpoint to the root of a tree of switches
    Route down;                           ///< links from the root to the endpoint
    std::vector<std::uint32_t> switches;  ///< for each hop of `up`, the number of the switch it reaches
    Route out;                            ///< links to other endpoints of the host: NVLink, PCIe
    Route in;                             ///< links from other endpoints of the host
    std::vector<EndpointId> relays;       ///< endpoints of the same host that forward messages, preferred ones first
    friend bool operator==(const UplinkPath&, const UplinkPath&) = default;
  };
  std::vector<UplinkPath> uplinks;  ///< indexed by EndpointId; empty if all routes are in `routes`
  /// What hosts, devices, links, endpoints and uplinks were built from. Absent if they were described link by link, or
  /// links were changed since.
  std::optional<ClusterShape> shape;

  /// Returns the endpoint of a rank, or an invalid id if the cluster has too few endpoints.
  [[nodiscard]] EndpointId endpoint_of(Rank rank) const noexcept {
    return std::cmp_less(rank, endpoints.size()) && rank >= 0 ? EndpointId{static_cast<std::uint32_t>(rank)}
                                                              : EndpointId{};
  }
  /// Returns the links between two endpoints: an empty list from an endpoint to itself, nothing if there is no route.
  /// O(log routes + hops * relays).
  [[nodiscard]] std::optional<Route> route(EndpointId from, EndpointId to) const;
  friend bool operator==(const Cluster&, const Cluster&) = default;
};

}  // namespace stepsim

#endif
