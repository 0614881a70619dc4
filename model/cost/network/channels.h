#ifndef STEPSIM_MODEL_COST_NETWORK_CHANNELS_H
#define STEPSIM_MODEL_COST_NETWORK_CHANNELS_H

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/base/units.h"
#include "model/cost/network/network.h"
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

/// The order in which senders share a link, for sharing below 1 (kSharing in maxmin.h). It follows from
/// measurements: of several TCP connections into one link the first keeps most of the rate, and
/// that puts their senders out of step (docs/models.md, "Sharing").
///
/// On each link the senders that have messages under way over it stand in a queue: who came first
/// is in front, and of those of one instant the smaller endpoint. A sender keeps its place until
/// its last message over the link has left. Its next message goes to the back, even at the same
/// instant, unless senders keep their turn. The messages of a channel weigh sharing^k, where k is
/// the number of senders in front of theirs, in the queue of its links where that is largest.
/// Sharing 0 counts as 2^-40: those behind get next to nothing but what is left over. From the place
/// on where a sender would weigh less than 2^-40, the 17th at the earliest, all weigh the same.
class SenderQueues {
 public:
  SenderQueues(double sharing, std::size_t links, bool keep_turn = false);

  /// The next channel, numbered from 0. O(channels of its links).
  void add_channel(const Channel& channel);
  /// A message of the channel is handed over, or has left its sender. O(senders in the queues of
  /// its links).
  void enter(ChannelId channel_id, Time now);
  void leave(ChannelId channel_id);

  /// Call when all that happens at an instant is known. O(settled() * log channels + senders in the
  /// queues that changed); settled() has the channels of a few tens of senders of each queue.
  void settle();
  /// The channels with messages whose weight the last settle() may have changed, some of them more
  /// than once: those that had none before, and those of senders that moved in a queue.
  [[nodiscard]] const std::vector<ChannelId>& settled() const noexcept { return settled_; }
  /// Of a channel with messages, as of the last settle(). O(links of the channel).
  [[nodiscard]] double weight(ChannelId channel_id) const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  struct Place {
    EndpointId sender;
    Time since;
    std::uint32_t messages = 0;
    std::uint32_t power = kNone;  ///< its index in powers_, as of the last settle()
  };
  /// A channel on a link.
  struct Crossing {
    EndpointId sender;
    ChannelId channel;
    std::uint32_t id = 0;  ///< in power_
  };
  struct Queue {
    std::vector<Place> places;
    std::vector<Crossing> crossings;  ///< by sender
    bool changed = false;
  };
  struct Sending {
    Channel channel;
    std::uint32_t first = 0;     ///< of its crossings, one a link
    std::uint32_t messages = 0;  ///< under way
  };

  Place& place_of(std::uint32_t link, EndpointId sender, Time now);
  void change(std::uint32_t link);
  void move_up(Queue& queue, const Place& place);

  bool keep_turn_;
  double ratio_;
  std::vector<double> powers_{1};  ///< by place in a queue; the last one is that of all behind it too
  std::vector<Queue> queues_;      ///< by link
  std::vector<Sending> channels_;
  std::vector<std::uint32_t> power_;    ///< by crossing: Place::power of its sender, while that has one
  std::vector<std::uint32_t> changed_;  ///< links
  std::vector<ChannelId> settled_;
  std::vector<ChannelId> begun_;  ///< channels that had no messages, since the last settle()
};

}  // namespace stepsim

#endif
