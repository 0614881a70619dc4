#include "model/cost/network/channels.h"

#include <algorithm>
#include <utility>

namespace stepsim {
namespace {

constexpr double kSerial = 0x1p-40;
/// The first kFewestPlaces places of a queue all have different weights. Places after them have smaller weights only as
/// long as these are at least kLightest.
constexpr std::size_t kFewestPlaces = 17;
constexpr double kLightest = 0x1p-40;

}  // namespace

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

SenderQueues::SenderQueues(double sharing, std::size_t links, bool keep_turn)
    : keep_turn_(keep_turn), ratio_(std::clamp(sharing, kSerial, 1.0)), queues_(links) {}

void SenderQueues::add_channel(const Channel& channel) {
  const ChannelId id{channels_.size()};
  channels_.push_back({channel, static_cast<std::uint32_t>(power_.size())});
  for (const LinkId link : channel.links) {
    Queue& queue = queues_[link.index()];
    const auto own = std::find_if(queue.places.begin(), queue.places.end(),
                                  [&](const Place& one) { return one.sender == channel.from; });
    const Crossing added{channel.from, id, static_cast<std::uint32_t>(power_.size())};
    power_.push_back(own == queue.places.end() || own->power == kNone ? 0 : own->power);
    const auto behind = std::upper_bound(queue.crossings.begin(), queue.crossings.end(), channel.from,
                                         [](EndpointId from, const Crossing& one) { return from < one.sender; });
    queue.crossings.insert(behind, added);
  }
}

void SenderQueues::enter(ChannelId channel_id, Time now) {
  Sending& one = channels_[channel_id.index()];
  if (one.messages++ == 0) begun_.push_back(channel_id);
  for (const LinkId link : one.channel.links) ++place_of(link.value(), one.channel.from, now).messages;
}

void SenderQueues::leave(ChannelId channel_id) {
  Sending& one = channels_[channel_id.index()];
  --one.messages;
  for (const LinkId link : one.channel.links) {
    if (--place_of(link.value(), one.channel.from, {}).messages == 0) change(link.value());
  }
}

SenderQueues::Place& SenderQueues::place_of(std::uint32_t link, EndpointId sender, Time now) {
  std::vector<Place>& places = queues_[link].places;
  const auto found = std::find_if(places.begin(), places.end(), [=](const Place& one) { return one.sender == sender; });
  const bool keeps_place = found != places.end() && (keep_turn_ || found->messages > 0 || found->since == now);
  if (keeps_place) return *found;
  if (found != places.end()) places.erase(found);
  change(link);
  const auto behind = [=](const Place& one) { return one.since == now && one.sender > sender; };
  if (places.size() == powers_.size() && (places.size() < kFewestPlaces || powers_.back() * ratio_ >= kLightest))
    powers_.push_back(powers_.back() * ratio_);
  return *places.insert(std::find_if(places.begin(), places.end(), behind), Place{sender, now});
}

void SenderQueues::change(std::uint32_t link) {
  if (!std::exchange(queues_[link].changed, true)) changed_.push_back(link);
}

void SenderQueues::settle() {
  settled_.clear();
  std::swap(settled_, begun_);
  for (const std::uint32_t link : changed_) {
    Queue& queue = queues_[link];
    queue.changed = false;
    std::erase_if(queue.places, [](const Place& one) { return one.messages == 0; });
    for (std::size_t i = 0; i < queue.places.size(); ++i) {
      const auto power = static_cast<std::uint32_t>(std::min(i, powers_.size() - 1));
      if (std::exchange(queue.places[i].power, power) != power) move_up(queue, queue.places[i]);
    }
  }
  changed_.clear();
}

/// Stores a sender's new place on this link for all channels of the sender that cross it. Adds those with messages to
/// settled_.
void SenderQueues::move_up(Queue& queue, const Place& place) {
  auto crossing = std::lower_bound(queue.crossings.begin(), queue.crossings.end(), place.sender,
                                   [](const Crossing& one, EndpointId sender) { return one.sender < sender; });
  for (; crossing != queue.crossings.end() && crossing->sender == place.sender; ++crossing) {
    power_[crossing->id] = place.power;
    if (channels_[crossing->channel.index()].messages > 0) settled_.push_back(crossing->channel);
  }
}

double SenderQueues::weight(ChannelId channel_id) const {
  const Sending& one = channels_[channel_id.index()];
  const auto first = power_.begin() + one.first;
  const auto last = first + static_cast<std::ptrdiff_t>(one.channel.links.size());
  return powers_[*std::max_element(first, last)];
}

}  // namespace stepsim
