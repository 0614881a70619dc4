#include "model/cost/network/lines.h"

#include <algorithm>
#include <utility>

namespace stepsim {
namespace {

constexpr double kSerial = 0x1p-40;
constexpr double kSmallestWeight = 1e-200;

}  // namespace

Lines::Lines(double sharing, std::size_t links, bool keep_turn)
    : keep_turn_(keep_turn), ratio_(std::clamp(sharing, kSerial, 1.0)), lines_(links) {}

void Lines::add_channel(const Channel& channel) {
  for (const LinkId link : channel.links) lines_[link.index()].channels.emplace_back(channels_.size());
  channels_.push_back(channel);
}

void Lines::enter(ChannelId id, Time now) {
  const Channel& channel = channels_[id.index()];
  for (const LinkId link : channel.links) ++place_of(link.value(), channel.from, now).messages;
}

void Lines::leave(ChannelId id) {
  const Channel& channel = channels_[id.index()];
  for (const LinkId link : channel.links) {
    if (--place_of(link.value(), channel.from, {}).messages == 0) change(link.value());
  }
}

Lines::Place& Lines::place_of(std::uint32_t link, EndpointId sender, Time now) {
  std::vector<Place>& places = lines_[link].places;
  const auto found = std::find_if(places.begin(), places.end(), [=](const Place& one) { return one.sender == sender; });
  const bool keeps_place = found != places.end() && (keep_turn_ || found->messages > 0 || found->since == now);
  if (keeps_place) return *found;
  if (found != places.end()) places.erase(found);
  change(link);
  const auto behind = [=](const Place& one) { return one.since == now && one.sender > sender; };
  if (places.size() == powers_.size()) powers_.push_back(std::max(powers_.back() * ratio_, kSmallestWeight));
  return *places.insert(std::find_if(places.begin(), places.end(), behind), Place{sender, now});
}

void Lines::change(std::uint32_t link) {
  if (!std::exchange(lines_[link].changed, true)) changed_.push_back(link);
}

const std::vector<ChannelId>& Lines::settle() {
  settled_.clear();
  for (const std::uint32_t link : changed_) {
    Line& line = lines_[link];
    line.changed = false;
    std::erase_if(line.places, [](const Place& one) { return one.messages == 0; });
    settled_.insert(settled_.end(), line.channels.begin(), line.channels.end());
  }
  changed_.clear();
  return settled_;
}

double Lines::weight(ChannelId id) const {
  const Channel& channel = channels_[id.index()];
  std::size_t ahead = 0;
  for (const LinkId link : channel.links) {
    const std::vector<Place>& places = lines_[link.index()].places;
    const auto own =
        std::find_if(places.begin(), places.end(), [&](const Place& one) { return one.sender == channel.from; });
    if (own != places.end()) ahead = std::max(ahead, static_cast<std::size_t>(own - places.begin()));
  }
  return powers_[ahead];
}

}  // namespace stepsim
