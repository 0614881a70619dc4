#include "model/cost/network/sender_queues.h"

#include <algorithm>
#include <utility>

namespace stepsim {
namespace {

constexpr double kSerial = 0x1p-40;
constexpr double kSmallestWeight = 1e-200;

}  // namespace

SenderQueues::SenderQueues(double sharing, std::size_t links, bool keep_turn)
    : keep_turn_(keep_turn), ratio_(std::clamp(sharing, kSerial, 1.0)), queues_(links) {}

void SenderQueues::add_channel(const Channel& channel) {
  for (const LinkId link : channel.links) queues_[link.index()].channels.emplace_back(channels_.size());
  channels_.push_back(channel);
}

void SenderQueues::enter(ChannelId id, Time now) {
  const Channel& channel = channels_[id.index()];
  for (const LinkId link : channel.links) ++place_of(link.value(), channel.from, now).messages;
}

void SenderQueues::leave(ChannelId id) {
  const Channel& channel = channels_[id.index()];
  for (const LinkId link : channel.links) {
    if (--place_of(link.value(), channel.from, {}).messages == 0) change(link.value());
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
  if (places.size() == powers_.size()) powers_.push_back(std::max(powers_.back() * ratio_, kSmallestWeight));
  return *places.insert(std::find_if(places.begin(), places.end(), behind), Place{sender, now});
}

void SenderQueues::change(std::uint32_t link) {
  if (!std::exchange(queues_[link].changed, true)) changed_.push_back(link);
}

const std::vector<ChannelId>& SenderQueues::settle() {
  settled_.clear();
  for (const std::uint32_t link : changed_) {
    Queue& queue = queues_[link];
    queue.changed = false;
    std::erase_if(queue.places, [](const Place& one) { return one.messages == 0; });
    settled_.insert(settled_.end(), queue.channels.begin(), queue.channels.end());
  }
  changed_.clear();
  return settled_;
}

double SenderQueues::weight(ChannelId id) const {
  const Channel& channel = channels_[id.index()];
  std::size_t ahead = 0;
  for (const LinkId link : channel.links) {
    const std::vector<Place>& places = queues_[link.index()].places;
    const auto own =
        std::find_if(places.begin(), places.end(), [&](const Place& one) { return one.sender == channel.from; });
    if (own != places.end()) ahead = std::max(ahead, static_cast<std::size_t>(own - places.begin()));
  }
  return powers_[ahead];
}

}  // namespace stepsim
