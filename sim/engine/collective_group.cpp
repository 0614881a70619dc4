#include "sim/engine/collective_runs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "model/cost/collective/nccl_times.h"
#include "model/cost/collective/shared_hosts.h"
#include "model/cost/network/network.h"

namespace stepsim::sim {

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

CollectiveGroup::CollectiveGroup(std::vector<EndpointId> members, const Cluster& cluster, Network& network,
                                 std::optional<std::uint32_t> senders, double crowding)
    : cluster_(cluster),
      network_(network),
      members_(std::move(members)),
      senders_(std::min(senders.value_or(this->members()), this->members())),
      crowding_(crowding),
      members_per_host_(sim::members_per_host(members_, cluster)),
      last_channels_(senders_) {}

ChannelId CollectiveGroup::channel(std::uint32_t from, std::uint32_t to) {
  LastChannel& last = last_channels_[from];
  if (last.to != to || !last.channel.valid()) {
    last = {to, network_.channel(members_[from], members_[to], Latency::kFirst)};
  }
  return last.channel;
}

bool CollectiveGroup::leaves_host(std::uint32_t from, std::uint32_t to) const {
  const auto host_of = [this](std::uint32_t member) { return cluster_.endpoints[members_[member].index()].host; };
  return host_of(from) != host_of(to);
}

Bytes CollectiveGroup::carried(std::uint32_t from, std::uint32_t to, Bytes bytes) const {
  if (crowding_ == 1 || !leaves_host(from, to)) return bytes;
  return Bytes{std::llround(static_cast<double>(bytes.count()) * crowding_)};
}

const CollectiveGroup::Neighbours& CollectiveGroup::neighbours() {
  if (neighbours_) return *neighbours_;
  std::vector<double> users(cluster_.links.size());
  std::vector<bool> is_shared(cluster_.links.size());
  neighbours_ = Neighbours{};
  for (std::uint32_t member = 0; member < members(); ++member) {
    const std::optional<Route> route = cluster_.route(members_[member], members_[next(member)]);
    neighbours_->share_nothing = neighbours_->share_nothing && route.has_value();
    if (!route) continue;
    for (const LinkId link : *route) {
      is_shared[link.index()] = users[link.index()] > 0;
      users[link.index()] += leaves_host(member, next(member)) ? crowding_ : 1;
    }
  }
  for (std::size_t link = 0; link < users.size(); ++link) {
    if (users[link] == 0) continue;
    const Bandwidth share =
        Bandwidth::from_bytes_per_second(cluster_.links[link].goodput().bytes_per_second() / users[link]);
    neighbours_->least = neighbours_->least ? std::min(*neighbours_->least, share) : share;
    if (is_shared[link]) neighbours_->share_nothing = false;
  }
  return *neighbours_;
}

std::optional<Bandwidth> CollectiveGroup::least_to_neighbour() { return neighbours().least; }

bool CollectiveGroup::neighbours_share_nothing() { return neighbours().share_nothing; }

std::optional<Duration> CollectiveGroup::time_to_neighbour(Bytes bytes) {
  const auto [known, added] = times_to_neighbour_.try_emplace(bytes);
  std::optional<Duration>& time = known->second;
  if (!added) return time;
  time = alone(0, bytes);
  for (std::uint32_t member = 1; time && member < senders_; ++member) {
    if (alone(member, bytes) != time) time.reset();
  }
  return time;
}

/// Returns how long a message from a member to the next one takes with those of copies, and nothing else on the
/// network; nothing if the network model does not tell.
std::optional<Duration> CollectiveGroup::alone(std::uint32_t member, Bytes bytes) {
  return network_.alone(channel(member, next(member)), carried(member, next(member), bytes));
}

Duration CollectiveGroup::by_route(std::uint32_t member, Bytes bytes) const {
  const std::optional<Route> route = cluster_.route(members_[member], members_[next(member)]);
  if (!route) return {};
  Duration time = cluster_.network[kMessageOverhead];
  std::optional<Bandwidth> least;
  for (const LinkId link : *route) {
    time += cluster_.links[link.index()].latency;
    const Bandwidth goodput = cluster_.links[link.index()].goodput();
    least = least ? std::min(*least, goodput) : goodput;
  }
  return least ? time + transfer_time(carried(member, next(member), bytes), *least) : time;
}

Duration CollectiveGroup::longest_to_neighbour(Bytes bytes) {
  const auto [known, added] = longest_to_neighbour_.try_emplace(bytes);
  if (!added) return known->second;
  for (std::uint32_t member = 0; member < senders_; ++member) {
    const std::optional<Duration> time = alone(member, bytes);
    known->second = std::max(known->second, time ? *time : by_route(member, bytes));
  }
  if (!neighbours_share_nothing() && least_to_neighbour())
    known->second = std::max(known->second, transfer_time(bytes, *least_to_neighbour()));
  return known->second;
}

const CollectivePlace& CollectiveGroup::place() {
  if (place_) return *place_;
  place_ = find_place([](const Link& link) { return link.bandwidth; });
  const auto changed = [](const Link& link) { return link.built.has_value(); };
  if (std::any_of(cluster_.links.begin(), cluster_.links.end(), changed)) {
    const CollectivePlace built = find_place([](const Link& link) { return link.as_built(); });
    place_->built = {built.inside, built.between};
  }
  return *place_;
}

/// Returns what cost models need to know about the location of the group: among others the slowest link between members
/// of a host, and the smallest total bandwidth from one host's members to the next host's, of which the groups of
/// copies have their shares. `rate` returns the bandwidth of a link.
CollectivePlace CollectiveGroup::find_place(Bandwidth (*rate)(const Link&)) const {
  std::map<HostId, std::vector<EndpointId>> by_host;
  for (const EndpointId member : members_) by_host[cluster_.endpoints[member.index()].host].push_back(member);
  CollectivePlace place{.hosts = hosts_of(cluster_, members_),
                        .overhead_is_given = cluster_.network.is_given(kCollectiveOverhead),
                        .measured = cluster_.measured,
                        .measured_in_capture = cluster_.network[kMeasuredInCapture],
                        .side = cluster_.network[kCollectiveSide]};
  const DeviceId device = cluster_.endpoints[members_.front().index()].device;
  bool reads_peers = true;
  if (device.valid()) {
    const Device& first = cluster_.devices[device.index()];
    place.device = first.model;
    reads_peers = first.peer_access.value_or(has_peer_access(first.model));
  }

  const auto slower = [](Bandwidth a, Bandwidth b) { return a > Bandwidth{} ? std::min(a, b) : b; };
  const auto goodput = [this, rate](LinkId id) {
    const Link& link = cluster_.links[id.index()];
    return rate(link).bytes_per_second() * link.efficiency;
  };
  const auto least_of = [&goodput](const Route& route) {
    return *std::min_element(route.begin(), route.end(),
                             [&goodput](LinkId a, LinkId b) { return goodput(a) < goodput(b); });
  };
  const auto latency_of = [this](const Route& route) {
    return std::accumulate(route.begin(), route.end(), Duration{},
                           [this](Duration sum, LinkId link) { return sum + cluster_.links[link.index()].latency; });
  };
  place.rates_are_measured = place.overhead_is_given;
  for (const auto& [host, on_host] : by_host) {
    for (std::size_t i = 1; i < on_host.size(); ++i) {
      const std::optional<Route> route = cluster_.route(on_host[i - 1], on_host[i]);
      if (!route || route->empty()) continue;
      const Link& link = cluster_.links[least_of(*route).index()];
      const double share = payload_share(link, device.valid() && !place.overhead_is_given);
      place.rates_are_measured = place.rates_are_measured && link.efficiency == 1;
      const bool shares = !reads_peers && !link.is_bus && !is_nvlink(link.as_built());
      const double shared = shares ? through_host_memory(on_host.size()) : 1;
      place.shares_host_memory = place.shares_host_memory || shares;
      place.inside =
          slower(place.inside, Bandwidth::from_bytes_per_second(rate(link).bytes_per_second() * share * shared));
      place.latency_inside = std::max(place.latency_inside, latency_of(*route));
    }
  }
  if (by_host.size() < 2) return place;
  for (auto here = by_host.begin(); here != by_host.end(); ++here) {
    const auto there = std::next(here) == by_host.end() ? by_host.begin() : std::next(here);
    std::set<LinkId> narrowest;
    for (std::size_t i = 0; i < here->second.size(); ++i) {
      const std::optional<Route> route = cluster_.route(here->second[i], there->second[i % there->second.size()]);
      if (!route || route->empty()) continue;
      narrowest.insert(least_of(*route));
      place.rates_are_measured = place.rates_are_measured && cluster_.links[least_of(*route).index()].efficiency == 1;
      place.latency = std::max(place.latency, latency_of(*route));
    }
    double together = 0;
    for (const LinkId link : narrowest) together += goodput(link);
    place.between = slower(place.between, Bandwidth::from_bytes_per_second(together / crowding_));
  }
  return place;
}

CollectiveGroup& CollectiveGroups::of(const std::vector<EndpointId>& members) {
  const auto found = groups_.find(members);
  if (found != groups_.end()) return found->second;
  const double crowding = copies_ ? copies_->crowding(members) : 1;
  return groups_.try_emplace(members, members, cluster_, network_, senders_, crowding).first->second;
}

}  // namespace stepsim::sim
