#include "model/cost/network/maxmin_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepsim {
namespace {

constexpr std::uint32_t kNone = MaxMinTables::kNone;
/// A link is overfull only beyond this: usage is summed up change by change.
constexpr double kOverfull = 1 + 1e-11;
/// What is left of a sum after subtractions is summed up anew below this share of it.
constexpr double kCancelled = 1e-4;
/// A calm link whose level rises beyond its budget gets this much more than it needs, so that the
/// next rises cost nothing; unless it has so few classes that the exact budget costs nothing.
constexpr double kSlack = 1.25;
constexpr std::size_t kFewClasses = 4;
/// A budget of so many times the level is narrowed before heavier classes are counted with it: what
/// they would add to a usage, and lose again, would leave nothing of the rest but rounding.
constexpr double kTooWide = 1000;

}  // namespace

MaxMinSolver::MaxMinSolver(std::span<const double> capacities) : tables_(capacities), sweep_(tables_) {}

FlowClassId MaxMinSolver::add_class(std::span<const std::uint32_t> route) {
  return FlowClassId{tables_.add_class(route)};
}

void MaxMinSolver::set_weight(FlowClassId id, double weight) {
  Class& one = tables_.classes[id.index()];
  if (one.weight == weight) return;
  if (!std::exchange(one.changed, true)) changed_classes_.push_back(id.value());
  take_limits_into_region(one);
  take_from_usage(one);
  const double before = std::exchange(one.weight, weight);
  if (before == 0) {
    tables_.join(one);
  } else if (weight == 0) {
    tables_.leave(one);
  } else {
    tables_.reweigh(one);
  }
  for (const auto& crossing : tables_.route(one)) add_weight(tables_.links[crossing.link], weight - before);
}

/// The links of a class that limit others get a new level; another one only if it gets overfull, or if
/// there is none that limits.
void MaxMinSolver::take_limits_into_region(const Class& one) {
  bool any = false;
  for (const auto& crossing : tables_.route(one)) {
    const Link& link = tables_.links[crossing.link];
    if (link.limited == 0 && !link.in_region) continue;
    tables_.take_into_region(crossing.link);
    any = true;
  }
  if (any) return;
  for (const auto& crossing : tables_.route(one)) tables_.take_into_region(crossing.link);
}

/// Leaves the class out of the usage of its links until it has a new level.
void MaxMinSolver::take_from_usage(Class& one) {
  if (!one.counted) return;
  tables_.uncount(one);
  const double rate = one.weight * tables_.links[one.bottleneck].budget;
  for (const auto& crossing : tables_.route(one)) tables_.links[crossing.link].usage -= rate;
}

void MaxMinSolver::add_weight(Link& link, double change) {
  link.weight += change;
  link.most_weight = std::max(link.most_weight, link.weight);
  if (link.weight >= kCancelled * link.most_weight) return;
  link.weight = 0;
  for (const MaxMinTables::Member& member : link.members) link.weight += member.weight;
  link.most_weight = link.weight;
}

void MaxMinSolver::solve() {
  changed_links_.clear();
  moved_classes_.clear();
  if (!change_calmly()) solve_region();
  forget_change();
}

void MaxMinSolver::forget_change() {
  for (const std::uint32_t id : changed_classes_) tables_.classes[id].changed = false;
  for (const std::uint32_t id : tables_.region) tables_.links[id].in_region = false;
  changed_classes_.clear();
  tables_.region.clear();
}

void MaxMinSolver::set_level(std::uint32_t link_id, double level) {
  Link& link = tables_.links[link_id];
  if (same_level(level, link.level)) return;
  link.level = level;
  tables_.holds[link_id] = level;
  changed_links_.push_back(link_id);
}

/// Makes the change if all that it reaches are calm links. If not, what it has done is a valid
/// state to go on from.
bool MaxMinSolver::change_calmly() {
  for (const std::uint32_t id : tables_.region) {
    if (!tables_.links[id].calm) return false;
  }
  for (const std::uint32_t id : tables_.region) narrow_budget(id);
  for (const std::uint32_t id : changed_classes_) {
    if (adopt(id)) continue;
    // The others are counted, perhaps at the level that they will have: nobody would look again.
    for (const std::uint32_t changed : changed_classes_) fits_beside(tables_.classes[changed], true);
    return false;
  }
  bool fits = true;
  const std::size_t calm_links = tables_.region.size();  // those that do not fit join behind
  for (std::size_t i = 0; i < calm_links; ++i) fits = make_room(tables_.region[i]) && fits;
  for (const std::uint32_t id : changed_classes_) fits = fits_beside(tables_.classes[id], true) && fits;
  if (!fits) return false;
  for (const std::uint32_t id : tables_.region) {
    Link& link = tables_.links[id];
    link.calm = !link.members.empty();
    if (!link.calm) {
      link.budget = kNoLimit;
      link.usage = 0;
    }
    set_level(id, link.calm ? link.capacity / link.weight : kNoLimit);
  }
  return true;
}

void MaxMinSolver::narrow_budget(std::uint32_t link_id) {
  const Link& link = tables_.links[link_id];
  if (link.budget * link.weight > kTooWide * link.capacity) set_budget(link_id, link.capacity / link.weight);
}

/// Counts a class whose weight has changed again; a new one is limited by the calm link that it
/// crosses. False if it crosses more of the region than that.
bool MaxMinSolver::adopt(std::uint32_t id) {
  Class& one = tables_.classes[id];
  if (one.weight == 0) return true;
  if (one.bottleneck != kNone) {
    tables_.limit(one, one.bottleneck);
  } else {
    std::uint32_t limit = kNone;
    for (const auto& crossing : tables_.route(one)) {
      if (!tables_.links[crossing.link].in_region) continue;
      if (limit != kNone) return false;
      limit = crossing.link;
    }
    tables_.limit(one, limit);
    ++tables_.links[limit].limited;
    moved_classes_.emplace_back(id);
  }
  const double rate = one.weight * tables_.links[one.bottleneck].budget;
  for (const auto& crossing : tables_.route(one)) tables_.links[crossing.link].usage += rate;
  return true;
}

/// Sees to it that a calm link's budget covers the level that it will have. False if its classes'
/// other links have too little room for that: these are then in the region.
bool MaxMinSolver::make_room(std::uint32_t link_id) {
  const Link& link = tables_.links[link_id];
  if (link.members.empty()) return true;
  const double level = link.capacity / link.weight;
  const bool few = link.members.size() <= kFewClasses;
  if (!few && level <= link.budget) return true;
  const auto all_fit = [this, &link](bool take) {
    bool fit = true;
    for (const MaxMinTables::Member& member : link.members) fit = fits_beside(tables_.owner(member), take) && fit;
    return fit;
  };
  set_budget(link_id, few ? level : level * kSlack);
  if (all_fit(few)) return true;
  if (few) return false;
  set_budget(link_id, level);
  return all_fit(true);
}

void MaxMinSolver::set_budget(std::uint32_t link_id, double budget) {
  Link& link = tables_.links[link_id];
  const double change = budget - std::exchange(link.budget, budget);
  if (change == 0) return;
  for (const MaxMinTables::Member& member : link.members) {
    const Class& one = tables_.owner(member);
    if (one.bottleneck != link_id || !one.counted) continue;
    for (const auto& crossing : tables_.route(one)) tables_.links[crossing.link].usage += one.weight * change;
  }
}

/// Whether no link of the class beside the region is overfull; with `take`, those join the region.
bool MaxMinSolver::fits_beside(const Class& one, bool take) {
  bool fits = true;
  for (const auto& crossing : tables_.route(one)) {
    const Link& link = tables_.links[crossing.link];
    if (link.in_region || link.usage <= link.capacity * kOverfull) continue;
    fits = false;
    if (take) tables_.take_into_region(crossing.link);
  }
  return fits;
}

/// In rounds: a round leaves right levels but for links that limited nobody and are overfull now, with which the next
/// one begins. It ends, because each round lowers the rates (the lowest one that changes falls), and there are only so
/// many sets of links that may limit.
void MaxMinSolver::solve_region() {
  while (!tables_.region.empty()) {
    sweep_.run();
    touch_classes();
    keep();
    begin_next_round();
  }
}

/// Finds the links of the region whose level is new, the classes that have to know, and what limits those now.
void MaxMinSolver::touch_classes() {
  new_levels_.clear();
  touched_.clear();
  beside_.clear();
  for (const std::uint32_t id : tables_.region) {
    if (keeps_budget(id)) continue;
    new_levels_.push_back(id);
    touch_members(id);
  }
  for (const std::uint32_t id : changed_classes_) {
    if (tables_.classes[id].weight > 0) touch(id);
  }
}

/// Touches those that another link limits now. What the others take more or less is counted here and now.
void MaxMinSolver::touch_members(std::uint32_t link_id) {
  Link& link = tables_.links[link_id];
  const double hold = tables_.holds[link_id];
  const double more = hold - link.budget;
  link.calm = hold < kNoLimit;
  for (const MaxMinTables::Member& member : link.members) {
    if (member.other == kNone) {
      touch(tables_.crossings[member.crossing].owner);
      continue;
    }
    const double beyond = tables_.holds[member.other];
    const bool limited = hold < beyond || (hold == beyond && member.limited);
    if (hold < kNoLimit && beyond < kNoLimit) link.calm = tables_.links[member.other].calm = false;
    if (limited != member.limited) {
      touch(tables_.crossings[member.crossing].owner);
    } else if (limited && beyond == kNoLimit && member.other != tables_.nowhere()) {
      count_beside(member.other, member.weight * more);
    }
  }
}

void MaxMinSolver::touch(std::uint32_t id) {
  Class& one = tables_.classes[id];
  if (one.touched < touched_.size() && touched_[one.touched].id == id) return;
  one.touched = static_cast<std::uint32_t>(touched_.size());
  const double lowest = tables_.hold(one);
  std::uint32_t limit = one.bottleneck;
  if (limit == kNone || tables_.holds[limit] != lowest) {
    for (const auto& crossing : tables_.route(one)) {
      limit = crossing.link;
      if (tables_.holds[limit] == lowest) break;
    }
  }
  touched_.push_back({id, limit});
}

/// Whether the level is as before, and change_calmly() has not counted with a lower one.
bool MaxMinSolver::keeps_budget(std::uint32_t link_id) const {
  const Link& link = tables_.links[link_id];
  return same_level(tables_.holds[link_id], link.level) && link.budget >= link.level;
}

double MaxMinSolver::new_budget(std::uint32_t link_id) const {
  return keeps_budget(link_id) ? tables_.links[link_id].budget : tables_.holds[link_id];
}

/// A change of what the classes of a link take, if it limits nobody: of others it is not asked.
void MaxMinSolver::count_beside(std::uint32_t link_id, double change) {
  Link& link = tables_.links[link_id];
  if (link.in_region || link.limited > 0) return;
  link.usage += change;
  if (!std::exchange(link.is_beside, true)) beside_.push_back(link_id);
}

/// The region of the next round: the links beside this one's that are overfull now.
void MaxMinSolver::begin_next_round() {
  forget_change();
  for (const std::uint32_t id : beside_) {
    Link& link = tables_.links[id];
    link.is_beside = false;
    if (link.limited == 0 && link.usage > link.capacity * kOverfull) tables_.take_into_region(id);
  }
}

/// Makes what was found the answer.
void MaxMinSolver::keep() {
  for (const Touched& one : touched_) {
    const Class& owner = tables_.classes[one.id];
    const bool stays = owner.counted && owner.bottleneck == one.bottleneck;
    if (stays && owner.last - owner.first <= 2) continue;  // touch_members() has counted it
    const double before = owner.counted ? tables_.links[owner.bottleneck].budget : 0;
    const double change = owner.weight * (new_budget(one.bottleneck) - before);
    if (change == 0) continue;
    for (const auto& crossing : tables_.route(owner)) count_beside(crossing.link, change);
  }
  move_classes();
  for (const std::uint32_t id : new_levels_) tables_.links[id].budget = tables_.holds[id];
  for (const std::uint32_t id : tables_.region) {
    Link& link = tables_.links[id];
    if (link.limited == 0) link.budget = kNoLimit;
    if (link.limited == 0) tables_.holds[id] = kNoLimit;
    set_level(id, tables_.holds[id]);
    tables_.holds[id] = link.level;
  }
  for (const std::uint32_t id : tables_.region) {
    if (tables_.links[id].limited == 0) count_anew(id);
  }
  find_calm_links();
}

/// Counts the classes that move to a link before any leaves it: one that limits a class at each moment
/// keeps its level. Where levels are equal, one may come as another goes.
void MaxMinSolver::move_classes() {
  for (const Touched& one : touched_) {
    if (tables_.classes[one.id].bottleneck != one.bottleneck) ++tables_.links[one.bottleneck].limited;
  }
  for (const Touched& one : touched_) {
    Class& owner = tables_.classes[one.id];
    const std::uint32_t before = owner.bottleneck;
    tables_.limit(owner, one.bottleneck);
    if (before == one.bottleneck) continue;
    if (before != kNone && --tables_.links[before].limited == 0) tables_.take_into_region(before);
    moved_classes_.emplace_back(one.id);
  }
}

/// Sums up what the classes of a link take that limits nobody. If it is not full, it must not be counted
/// as such because budgets of what crosses it are too wide.
void MaxMinSolver::count_anew(std::uint32_t link_id) {
  Link& link = tables_.links[link_id];
  link.usage = 0;
  for (const MaxMinTables::Member& member : link.members) {
    link.usage += member.weight * tables_.links[tables_.owner(member).bottleneck].budget;
  }
  if (link.usage <= link.capacity * kOverfull) return;
  for (const MaxMinTables::Member& member : link.members) {
    const std::uint32_t limit = tables_.owner(member).bottleneck;
    set_budget(limit, tables_.links[limit].level);
  }
}

/// Finds the links that are not calm any more, beyond what touch_members() saw.
void MaxMinSolver::find_calm_links() {
  for (const std::uint32_t id : tables_.region) {
    Link& link = tables_.links[id];
    link.calm = link.calm && link.limited > 0 && link.limited == link.members.size();
  }
  for (const Touched& one : touched_) {
    const auto route = tables_.route(tables_.classes[one.id]);
    const auto limits = [this](const auto& crossing) { return tables_.links[crossing.link].limited > 0; };
    if (std::count_if(route.begin(), route.end(), limits) < 2) continue;
    for (const auto& crossing : route) tables_.links[crossing.link].calm = false;
  }
}

}  // namespace stepsim
