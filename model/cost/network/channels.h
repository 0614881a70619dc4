#ifndef STEPSIM_MODEL_COST_NETWORK_CHANNELS_H
#define STEPSIM_MODEL_COST_NETWORK_CHANNELS_H

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/base/units.h"
#include "model/cost/network/network.h"
#include "model/job/cluster.h"

namespace stepsim {

/// The route of messages from one endpoint to another, with the data that network models need.
struct Channel {
  EndpointId from;
  EndpointId to;
  Latency latency = Latency::kFirst;
  Route links;               ///< links of the route; there are none within an endpoint
  Duration route_latency{};  ///< sum of the links' latencies
  Bandwidth narrowest{};     ///< the smallest goodput of the links; 0 without links

  /// Returns the time for the bytes to pass the narrowest link, rounded up; 0 without links.
  [[nodiscard]] Duration transfer(Bytes bytes) const noexcept {
    return links.empty() ? Duration{} : transfer_time(bytes, narrowest);
  }
};

/// The channels of a replay, numbered in order of their first use.
class Channels {
 public:
  /// `cluster` must outlive this object.
  explicit Channels(const Cluster& cluster) : cluster_(&cluster) {}

  /// Returns the id of a channel. Calls with the same arguments return the same id. Precondition: there is a route.
  /// O(1) except for the first call.
  ChannelId find(EndpointId from, EndpointId to, Latency latency);

  [[nodiscard]] const Channel& operator[](ChannelId id) const noexcept { return channels_[id.index()]; }
  [[nodiscard]] std::size_t size() const noexcept { return channels_.size(); }
  [[nodiscard]] const Cluster& cluster() const noexcept { return *cluster_; }

 private:
  [[nodiscard]] Channel make(EndpointId from, EndpointId to, Latency latency) const;

  const Cluster* cluster_;
  std::vector<Channel> channels_;
  std::unordered_map<std::uint64_t, ChannelId> ids_[2];  ///< channel ids, indexed by latency; never iterated over
};

/// Base class of networks that use Channels.
class ChannelNetwork : public Network {
 public:
  /// `cluster` must outlive this object.
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

/// The order of the senders that share a link, for sharing below 1 (kSharing in maxmin.h). It is based on measurements:
/// if several TCP connections share a link, the first one keeps most of the rate, so their senders get out of step
/// (docs/internals/models.md, "Sharing").
///
/// On each link, the senders with messages under way form a queue in order of arrival; senders that arrive at the same
/// time are ordered by endpoint. A sender keeps its place until its last message over the link has left. Its next
/// message then goes to the back, even at the same time, unless senders keep their turn (kSendersKeepTurn). The weight
/// of a channel's messages is sharing^k, where k is the largest number of senders that are ahead of the channel's
/// sender on any of the channel's links. Sharing 0 counts as 2^-40: later senders get almost only the rate that is left
/// over. After the 17th place, weights below 2^-40 are not used: all further places have the weight of the last one.
class SenderQueues {
 public:
  SenderQueues(double sharing, std::size_t links, bool keep_turn = false);

  /// Adds the next channel, numbered from 0. O(channels of its links).
  void add_channel(const Channel& channel);
  /// Call enter() when a message of the channel is handed over, and leave() when it has left its sender. O(senders in
  /// the queues of the channel's links).
  void enter(ChannelId channel_id, Time now);
  void leave(ChannelId channel_id);

  /// Updates the queues and weights. Call it after all enter() and leave() calls for a point in time. O(settled() * log
  /// channels + senders in the queues that changed); settled() contains the channels of a few tens of senders in each
  /// queue.
  void settle();
  /// Returns channels with messages whose weight the last settle() may have changed. These are channels that had no
  /// messages before, and channels of senders that moved in a queue. The list may contain duplicates.
  [[nodiscard]] const std::vector<ChannelId>& settled() const noexcept { return settled_; }
  /// Returns the weight of a channel with messages, as of the last settle(). O(links of the channel).
  [[nodiscard]] double weight(ChannelId channel_id) const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  struct Place {
    EndpointId sender;
    Time since;
    std::uint32_t messages = 0;
    std::uint32_t power = kNone;  ///< index into powers_, as of the last settle()
  };
  /// A channel on one of its links.
  struct Crossing {
    EndpointId sender;
    ChannelId channel;
    std::uint32_t id = 0;  ///< index into power_
  };
  struct Queue {
    std::vector<Place> places;
    std::vector<Crossing> crossings;  ///< ordered by sender
    bool changed = false;
  };
  struct Sending {
    Channel channel;
    std::uint32_t first = 0;     ///< id of its first crossing; it has one per link, with consecutive ids
    std::uint32_t messages = 0;  ///< number of messages under way
  };

  Place& place_of(std::uint32_t link, EndpointId sender, Time now);
  void change(std::uint32_t link);
  void move_up(Queue& queue, const Place& place);

  bool keep_turn_;
  double ratio_;
  std::vector<double> powers_{1};  ///< weight by place in a queue; the last one applies to all further places
  std::vector<Queue> queues_;      ///< indexed by link
  std::vector<Sending> channels_;
  std::vector<std::uint32_t> power_;    ///< for each crossing, Place::power of its sender, if the sender has a place
  std::vector<std::uint32_t> changed_;  ///< links whose queues changed
  std::vector<ChannelId> settled_;
  std::vector<ChannelId> begun_;  ///< channels that got their first message since the last settle()
};

}  // namespace stepsim

#endif
