#include "model/cost/network/channels.h"

namespace stepsim {

ChannelId Channels::find(EndpointId from, EndpointId to, Latency latency) {
  const std::uint64_t key = std::uint64_t{from.value()} << 32U | to.value();
  const auto [place, added] = ids_[static_cast<std::size_t>(latency)].try_emplace(key, channels_.size());
  if (added) channels_.push_back(make(from, to, latency));
  return place->second;
}

Channel Channels::make(EndpointId from, EndpointId to, Latency latency) const {
  Channel channel{.from = from, .to = to, .latency = latency, .links = cluster_->route(from, to).value()};
  for (const LinkId id : channel.links) {
    const Link& link = cluster_->links[id.index()];
    channel.route_latency += link.latency;
    const bool first = channel.narrowest == Bandwidth{};
    channel.narrowest = first ? link.goodput() : std::min(channel.narrowest, link.goodput());
  }
  return channel;
}

}  // namespace stepsim
