#ifndef STEPSIM_MODEL_COST_NETWORK_CHANNELS_H
#define STEPSIM_MODEL_COST_NETWORK_CHANNELS_H

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/base/time_limits.h"
#include "model/base/units.h"
#include "model/cost/network/network.h"
#include "model/cost/network/parameters.h"
#include "model/job/cluster.h"

namespace stepsim {

/// What a network model needs to know of the messages from one endpoint to another.
struct Channel {
  EndpointId from;
  EndpointId to;
  Latency latency = Latency::kFirst;
  Route links;               ///< empty within an endpoint
  Duration route_latency{};  ///< sum over the links
  Bandwidth narrowest{};     ///< the smallest goodput of the links; 0 without links

  /// Time for the bytes to pass the narrowest link, rounded up; nothing without links.
  [[nodiscard]] Duration transfer(Bytes bytes) const noexcept {
    return links.empty() ? Duration{} : transfer_time(bytes, narrowest);
  }
};

/// The channels of a replay, numbered as they are first asked for.
class Channels {
 public:
  /// `cluster` must outlive it.
  explicit Channels(const Cluster& cluster) : cluster_(&cluster) {}

  /// The same id for the same arguments. Precondition: there is a route. O(1) from the second
  /// time on.
  ChannelId find(EndpointId from, EndpointId to, Latency latency);

  [[nodiscard]] const Channel& operator[](ChannelId id) const noexcept { return channels_[id.index()]; }
  [[nodiscard]] std::size_t size() const noexcept { return channels_.size(); }
  [[nodiscard]] const Cluster& cluster() const noexcept { return *cluster_; }

 private:
  [[nodiscard]] Channel make(EndpointId from, EndpointId to, Latency latency) const;

  const Cluster* cluster_;
  std::vector<Channel> channels_;
  std::unordered_map<std::uint64_t, ChannelId> ids_[2];  ///< by latency; never walked
};

/// A network whose channels are those of Channels and nothing else.
class ChannelNetwork : public Network {
 public:
  /// `cluster` must outlive it.
  explicit ChannelNetwork(const Cluster& cluster)
      : channels_(cluster), message_overhead_(cluster.network[kMessageOverhead]) {}

  ChannelId channel(EndpointId from, EndpointId to, Latency latency) override {
    return channels_.find(from, to, latency);
  }

 protected:
  [[nodiscard]] const Channel& at(ChannelId id) const noexcept { return channels_[id]; }
  [[nodiscard]] const Cluster& cluster() const noexcept { return channels_.cluster(); }
  [[nodiscard]] Duration message_overhead() const noexcept { return message_overhead_; }

 private:
  Channels channels_;
  Duration message_overhead_;
};

}  // namespace stepsim

#endif
