#ifndef STEPSIM_SIM_ENGINE_COLLECTIVE_GROUP_H
#define STEPSIM_SIM_ENGINE_COLLECTIVE_GROUP_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/base/units.h"
#include "model/cost/collective/algorithm.h"
#include "model/cost/network/network.h"
#include "model/job/cluster.h"

namespace stepsim::sim {

/// Where the members of a collective are. All collectives of the same members share one. Only the engine uses it.
class CollectiveGroup {
 public:
  /// Refers to both.
  CollectiveGroup(std::vector<EndpointId> members, const Cluster& cluster, Network& network);

  [[nodiscard]] std::uint32_t members() const noexcept { return static_cast<std::uint32_t>(members_.size()); }
  /// As CollectiveShape::members_per_host; 1 if hosts differ in it.
  [[nodiscard]] std::uint32_t members_per_host() const noexcept { return members_per_host_; }

  /// The class of messages between two members. O(1); without hashing where a member sends to the one it sent to last.
  [[nodiscard]] ChannelId channel(std::uint32_t from, std::uint32_t to);

  /// Messages from every member to the next one can be under way at once and share no link.
  [[nodiscard]] bool neighbours_share_nothing();
  /// What such a message takes if it takes the same between any two neighbours. O(members) for the first of a size.
  [[nodiscard]] std::optional<Duration> time_to_neighbour(Bytes bytes);
  /// The longest that it takes between any two; by its route where the network model tells nothing. O(members) for the
  /// first of a size.
  [[nodiscard]] Duration longest_to_neighbour(Bytes bytes);
  /// The least goodput of the links on the routes to neighbours; nothing if they cross none.
  [[nodiscard]] std::optional<Bandwidth> least_to_neighbour();
  /// Where the members are, for the cost model of a library. O(members) the first time.
  [[nodiscard]] const CollectivePlace& place();
  /// The most links that such a message crosses.
  [[nodiscard]] std::size_t links_to_neighbour();

 private:
  struct LastChannel {
    std::uint32_t to = 0;
    ChannelId channel{};
  };

  /// Of the routes from every member to the next one.
  struct Neighbours {
    bool share_nothing = true;
    std::size_t most_links = 0;
    std::optional<Bandwidth> least;
  };

  [[nodiscard]] const Neighbours& neighbours();
  [[nodiscard]] CollectivePlace find_place() const;
  [[nodiscard]] Duration by_route(std::uint32_t member, Bytes bytes) const;
  [[nodiscard]] std::uint32_t next(std::uint32_t member) const noexcept { return (member + 1) % members(); }

  const Cluster& cluster_;
  Network& network_;
  std::vector<EndpointId> members_;
  std::uint32_t members_per_host_ = 1;
  std::vector<LastChannel> last_channels_;  ///< by sender
  std::optional<Neighbours> neighbours_;    ///< once they were asked for
  std::map<Bytes, std::optional<Duration>> times_to_neighbour_;
  std::map<Bytes, Duration> longest_to_neighbour_;
  std::optional<CollectivePlace> place_;  ///< once it was asked for
};

/// The groups of a replay.
class CollectiveGroups {
 public:
  /// Refers to both.
  CollectiveGroups(const Cluster& cluster, Network& network) : cluster_(cluster), network_(network) {}

  /// The same group for the same members. O(members log groups).
  [[nodiscard]] CollectiveGroup& of(const std::vector<EndpointId>& members);

 private:
  const Cluster& cluster_;
  Network& network_;
  std::map<std::vector<EndpointId>, CollectiveGroup> groups_;
};

}  // namespace stepsim::sim

#endif
