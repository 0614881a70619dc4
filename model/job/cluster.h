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
#include "model/base/yaml.h"
#include "model/job/collective.h"

namespace stepsim {

using ParameterValue = std::variant<Duration, double, bool>;

/// A word that may be written for a number: "fair" for 1.
struct ParameterWord {
  std::string_view word;
  double number = 0;
};

/// A parameter of network models. The code that uses it declares it, once: cluster.yaml's reader and
/// writer, --json, the what-if `network` and its table in the docs walk the declarations
/// (network_parameters() in model/cost/network/network.h).
struct NetworkParameter {
  std::string_view key;          ///< below `messages` in cluster.yaml: "overhead"; "loggp.o" is o of the map loggp
  std::string_view json;         ///< its member of `messages` in --json, with its unit: "overhead_ns"
  std::string_view what_if;      ///< its key of the what-if `network`: "overhead"; empty if it has none
  std::string_view form;         ///< of a value: "a time such as 5us"
  std::string_view summary;      ///< one line
  ParameterValue default_value;  ///< which also says of what type it is
  std::span<const ParameterWord> words{};  ///< of a number
  double least = 0;                        ///< of a number
  double most = 1;

  /// The value of `field`. Throws InputError if it is not of the form.
  [[nodiscard]] ParameterValue read(const YamlField& field) const;
};

/// One whose values are of type T, an alternative of ParameterValue.
template <class T>
struct NetworkParameterOf : NetworkParameter {};

/// What a cluster says of the network models' parameters; the rest have their defaults.
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
  /// For a value that nobody measured or asked for.
  template <class T>
  void assume(const NetworkParameterOf<T>& parameter, T value) {
    set_value(parameter, value, true);
  }
  /// Precondition: `value` is of the parameter's type.
  void set_value(const NetworkParameter& parameter, ParameterValue value, bool assumed = false);

  /// Whether it was set, not assumed, to something other than its default.
  [[nodiscard]] bool is_given(const NetworkParameter& parameter) const noexcept;

  /// Whether it has a value that nobody measured or asked for.
  [[nodiscard]] bool is_assumed(const NetworkParameter& parameter) const noexcept;

  friend bool operator==(const NetworkParameters&, const NetworkParameters&) = default;

 private:
  /// A value other than the default.
  struct Entry {
    const NetworkParameter* parameter = nullptr;
    ParameterValue value;
    bool assumed = false;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries_;  ///< by key
};

using HostId = Id<struct HostTag>;
using DeviceId = Id<struct DeviceTag>;
using LinkId = Id<struct LinkTag>;
using EndpointId = Id<struct EndpointTag>;

struct Host {
  std::string name;  ///< as traces name it; empty where only its number is known
  friend bool operator==(const Host&, const Host&) = default;
};

struct Device {
  HostId host;
  std::int32_t index = 0;  ///< its number in the host, as traces give it
  std::string model;       ///< "V100"; empty if unknown
  friend bool operator==(const Device&, const Device&) = default;
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
  friend bool operator==(const Link&, const Link&) = default;
};

/// The links a message crosses, in order, from its sender's host on. Its latency is the sum
/// of theirs; it shares each link's goodput with whatever else crosses it.
using Route = std::vector<LinkId>;

/// Who sends and receives: a rank, a worker or a server of the job, on the host (and device)
/// where it runs. Ranks and workers come first, in their order, then servers.
struct Endpoint {
  HostId host;
  DeviceId device{};  ///< invalid: the host itself
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// How fast a host does what it does beside computing and sending. Absent: not known.
struct HostRates {
  std::optional<Bandwidth> copy_to_host;    ///< device to host
  std::optional<Bandwidth> copy_to_device;  ///< host to device
  Duration copy_overhead{};                 ///< of each copy, whatever its size
  std::optional<Bandwidth> sum;             ///< a server adding a push to what it has
  Duration sum_overhead{};
  std::optional<Duration> launch_overhead;  ///< of one kernel launch, on the host
  friend bool operator==(const HostRates&, const HostRates&) = default;
};

/// The hardware a job runs on, from cluster.yaml, a task graph or calibration. Plain data: whoever
/// makes it checks that ids lie in their tables, and gives every endpoint a host.
struct Cluster {
  std::vector<Host> hosts;
  std::vector<Device> devices;
  std::vector<Link> links;
  std::vector<Endpoint> endpoints;  ///< by EndpointId: rank r is r, server s is ranks + s
  NetworkParameters network;        ///< what a message costs beside the links, and how messages share them
  HostRates rates;
  std::vector<MeasuredCollective> measured;  ///< whole collectives, where they were measured

  std::map<std::pair<EndpointId, EndpointId>, Route> routes;  ///< those that are given one by one
  /// The route of pairs without an entry in `routes`. Within a host: `out` of the sender, `in` of the
  /// receiver. Between hosts: up to the first switch that both paths reach, and down. Where they
  /// share none: to a relay of the sender that shares one with the receiver, and on.
  struct UplinkPath {
    Route up;                             ///< from the endpoint to the root of a tree of switches
    Route down;                           ///< from the root to the endpoint
    std::vector<std::uint32_t> switches;  ///< by hop of `up`: the number of the switch it reaches
    Route out;                            ///< to other endpoints of the host: NVLink, PCIe
    Route in;                             ///< from other endpoints of the host
    std::vector<EndpointId> relays;       ///< others of the host that pass messages on, first choice first
    friend bool operator==(const UplinkPath&, const UplinkPath&) = default;
  };
  std::vector<UplinkPath> uplinks;  ///< by EndpointId; empty where every route is in `routes`

  /// Where a rank sends and receives; invalid if the cluster has too few endpoints.
  [[nodiscard]] EndpointId endpoint_of(Rank rank) const noexcept {
    return std::cmp_less(rank, endpoints.size()) && rank >= 0 ? EndpointId{static_cast<std::uint32_t>(rank)}
                                                              : EndpointId{};
  }
  /// Empty from an endpoint to itself, nothing where it cannot be reached. O(log routes + hops * relays).
  [[nodiscard]] std::optional<Route> route(EndpointId from, EndpointId to) const;
  friend bool operator==(const Cluster&, const Cluster&) = default;
};

/// Hosts on one switch, one endpoint each: a link out of and one into every host, each with
/// `link`'s bandwidth, efficiency and latency. A message crosses two of them.
[[nodiscard]] Cluster star(std::size_t hosts, const Link& link);

}  // namespace stepsim

#endif
