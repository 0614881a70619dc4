#include "sim/engine/collective_group.h"

#include <algorithm>
#include <utility>

namespace stepsim::sim {
namespace {

/// Members on the first host if that is how many every host has, one host after the other; else 1.
std::uint32_t members_per_host(const std::vector<EndpointId>& members, const Cluster& cluster) {
  const auto host_of = [&](EndpointId member) { return cluster.endpoints[member.index()].host; };
  const auto other = std::find_if(members.begin(), members.end(),
                                  [&](EndpointId member) { return host_of(member) != host_of(members.front()); });
  const auto on_first = static_cast<std::size_t>(other - members.begin());
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (host_of(members[i]) != host_of(members[i - i % on_first])) return 1;
  }
  return static_cast<std::uint32_t>(on_first);
}

}  // namespace

CollectiveGroup::CollectiveGroup(std::vector<EndpointId> members, const Cluster& cluster, Network& network)
    : cluster_(cluster),
      network_(network),
      members_(std::move(members)),
      members_per_host_(sim::members_per_host(members_, cluster)),
      last_channels_(members_.size()) {}

ChannelId CollectiveGroup::channel(std::uint32_t from, std::uint32_t to) {
  LastChannel& last = last_channels_[from];
  if (last.to != to || !last.channel.valid()) {
    last = {to, network_.channel(members_[from], members_[to], Latency::kFirst)};
  }
  return last.channel;
}

const CollectiveGroup::Neighbours& CollectiveGroup::neighbours() {
  if (neighbours_) return *neighbours_;
  std::vector<bool> used(cluster_.links.size(), false);
  neighbours_ = Neighbours{};
  for (std::uint32_t member = 0; member < members(); ++member) {
    const std::optional<Route> route = cluster_.route(members_[member], members_[next(member)]);
    neighbours_->share_nothing = neighbours_->share_nothing && route.has_value();
    if (!route) continue;
    neighbours_->most_links = std::max(neighbours_->most_links, route->size());
    for (const LinkId link : *route) {
      if (used[link.index()]) neighbours_->share_nothing = false;
      used[link.index()] = true;
    }
  }
  return *neighbours_;
}

bool CollectiveGroup::neighbours_share_nothing() { return neighbours().share_nothing; }

std::size_t CollectiveGroup::links_to_neighbour() { return neighbours().most_links; }

std::optional<Duration> CollectiveGroup::time_to_neighbour(Bytes bytes) {
  const auto [known, added] = times_to_neighbour_.try_emplace(bytes);
  std::optional<Duration>& time = known->second;
  if (!added) return time;
  time = network_.alone(channel(0, next(0)), bytes);
  for (std::uint32_t member = 1; time && member < members(); ++member) {
    if (network_.alone(channel(member, next(member)), bytes) != time) time.reset();
  }
  return time;
}

CollectiveGroup& CollectiveGroups::of(const std::vector<EndpointId>& members) {
  const auto found = groups_.find(members);
  if (found != groups_.end()) return found->second;
  return groups_.try_emplace(members, members, cluster_, network_).first->second;
}

}  // namespace stepsim::sim
