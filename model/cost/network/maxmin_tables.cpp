#include "model/cost/network/maxmin_tables.h"

namespace stepsim {

void MaxMinTables::join(Class& one) {
  for (std::uint32_t i = one.first; i < one.last; ++i) {
    std::vector<std::uint32_t>& members = links[crossings[i].link].members;
    crossings[i].place = static_cast<std::uint32_t>(members.size());
    members.push_back(i);
  }
}

void MaxMinTables::leave(Class& one) {
  for (const Crossing& crossing : route(one)) {
    std::vector<std::uint32_t>& members = links[crossing.link].members;
    crossings[members.back()].place = crossing.place;
    members[crossing.place] = members.back();
    members.pop_back();
  }
  if (one.bottleneck != kNone) --links[one.bottleneck].limited;
  one.bottleneck = kNone;
}

}  // namespace stepsim
