#include "model/job/copies.h"

#include <algorithm>
#include <optional>

namespace stepsim {

const Group* group_with_copies(const Dag& dag) noexcept {
  const auto most = std::max_element(dag.groups().begin(), dag.groups().end(), [](const Group& a, const Group& b) {
    return a.copy_of.size() < b.copy_of.size();
  });
  return most == dag.groups().end() || most->copy_of.empty() ? nullptr : &*most;
}

void PlacedCopies::place() {
  for (std::size_t i = 0; i < all_->ranks.size(); ++i) {
    const EndpointId endpoint = cluster_.endpoint_of(all_->ranks[i]);
    if (!endpoint.valid()) continue;
    if (original_.emplace(endpoint, all_->ranks[all_->copy_of[i]]).second)
      copies_[place_of(endpoint)].push_back(endpoint);
  }
}

double PlacedCopies::crowding(const std::vector<EndpointId>& members) {
  double most = 1;
  if (all_ == nullptr || members.size() >= all_->ranks.size()) return most;
  if (original_.empty()) place();
  std::map<Place, std::size_t> on_host;
  for (const EndpointId member : members) ++on_host[place_of(member)];
  for (std::size_t i = 0; i < members.size(); ++i) {
    const EndpointId from = members[i];
    const EndpointId to = members[(i + 1) % members.size()];
    const Place place = place_of(from);
    const auto copies = copies_.find(place);
    if (place.first == place_of(to).first || copies == copies_.end()) continue;
    most = std::max(most, crowding_between(from, to, copies->second.size() / on_host.at(place)));
  }
  return most;
}

/// Compares the narrowest link of a message with the one that takes longest for it and those of `groups` - 1 other
/// groups. These run on the next endpoints.
double PlacedCopies::crowding_between(EndpointId from, EndpointId to, std::size_t groups) const {
  const std::optional<Route> own = cluster_.route(from, to);
  const auto there = copies_.find(place_of(to));
  if (groups < 2 || !own || there == copies_.end()) return 1;
  const std::vector<EndpointId>& senders = copies_.at(place_of(from));
  const std::vector<EndpointId>& receivers = there->second;
  const auto first_sender = static_cast<std::size_t>(std::ranges::find(senders, from) - senders.begin());
  const auto first_receiver = static_cast<std::size_t>(std::ranges::find(receivers, to) - receivers.begin());
  std::map<LinkId, std::size_t> users;
  for (const LinkId link : *own) users[link] = 1;
  for (std::size_t i = 1; i < groups; ++i) {
    const std::optional<Route> other = cluster_.route(senders[(first_sender + i) % senders.size()],
                                                      receivers[(first_receiver + i) % receivers.size()]);
    if (!other) continue;
    for (const LinkId link : *other) {
      if (const auto shared = users.find(link); shared != users.end()) ++shared->second;
    }
  }
  double alone = 0;
  double together = 0;
  for (const auto& [link, count] : users) {
    const double time = 1 / cluster_.links[link.index()].goodput().bytes_per_second();
    alone = std::max(alone, time);
    together = std::max(together, static_cast<double>(count) * time);
  }
  return alone > 0 ? together / alone : 1;
}

/// A rank that no group of copies lists is a copy of nothing: its place has no copies.
PlacedCopies::Place PlacedCopies::place_of(EndpointId member) const {
  const auto original = original_.find(member);
  return {cluster_.endpoints[member.index()].host, original == original_.end() ? Rank{-1} : original->second};
}

}  // namespace stepsim
