#include "model/cost/network/maxmin_solver.h"

namespace stepsim {

MaxMinTables::MaxMinTables(std::span<const double> capacities)
    : links(capacities.size()), holds(capacities.size() + 1, kNoLimit) {
  for (std::size_t i = 0; i < capacities.size(); ++i) links[i].capacity = capacities[i];
}

std::uint32_t MaxMinTables::add_class(std::span<const std::uint32_t> route) {
  const auto id = static_cast<std::uint32_t>(classes.size());
  Class& added = classes.emplace_back();
  added.first = static_cast<std::uint32_t>(crossings.size());
  for (const std::uint32_t link : route) crossings.push_back({id, link, 0});
  added.last = static_cast<std::uint32_t>(crossings.size());
  return id;
}

void MaxMinTables::join(const Class& one) {
  const std::uint32_t hops = one.last - one.first;
  for (std::uint32_t i = one.first; i < one.last; ++i) {
    std::uint32_t other = kNone;
    if (hops == 1) other = nowhere();
    if (hops == 2) other = crossings[one.first + one.last - 1 - i].link;
    std::vector<Member>& members = links[crossings[i].link].members;
    crossings[i].place = static_cast<std::uint32_t>(members.size());
    members.push_back({one.weight, i, other, false});
  }
}

void MaxMinTables::leave(Class& one) {
  for (const Crossing& crossing : route(one)) {
    std::vector<Member>& members = links[crossing.link].members;
    crossings[members.back().crossing].place = crossing.place;
    members[crossing.place] = members.back();
    members.pop_back();
  }
  if (one.bottleneck != kNone) --links[one.bottleneck].limited;
  one.bottleneck = kNone;
}

void MaxMinTables::reweigh(const Class& one) {
  for (const Crossing& crossing : route(one)) links[crossing.link].members[crossing.place].weight = one.weight;
}

void MaxMinTables::limit(Class& one, std::uint32_t link) {
  one.bottleneck = link;
  one.counted = true;
  for (const Crossing& crossing : route(one)) {
    links[crossing.link].members[crossing.place].limited = crossing.link == link;
  }
}

void MaxMinTables::uncount(Class& one) {
  one.counted = false;
  for (const Crossing& crossing : route(one)) links[crossing.link].members[crossing.place].limited = false;
}

}  // namespace stepsim
