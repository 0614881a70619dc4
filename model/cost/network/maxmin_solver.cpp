#include "model/cost/network/maxmin_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepsim {
namespace {

constexpr std::uint32_t kNone = MaxMinTables::kNone;
/// A link is overfull only beyond this factor, because incremental updates make its usage inexact.
constexpr double kOverfull = 1 + 1e-11;
/// A sum of weights is recomputed if subtractions reduce it below this share of its largest value, because rounding
/// errors then become relatively large.
constexpr double kCancelled = 1e-4;
/// If the level of a calm link (MaxMinTables::Link::calm) rises above the link's budget, the new budget is the new
/// level times this factor, provided that no other link becomes overfull. The budget then covers further small rises
/// without an update. A link with at most kFewClasses classes gets its new level as budget, because updates are cheap.
constexpr double kSlack = 1.25;
constexpr std::size_t kFewClasses = 4;
/// Before classes with a new weight are added to the usage of their links, a link's budget that exceeds the link's
/// level more than this many times is reduced to the level. Otherwise, very large values would be added to a usage and
/// later subtracted again, and only rounding errors would remain.
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

/// Adds links of a class to the region: those links that limit this or any other class, because their level changes. If
/// there are none, adds all links of the class.
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

/// Excludes the class from the usage of its links until it has a new level.
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

/// Applies the change if it reaches only calm links (MaxMinTables::Link::calm). Otherwise returns false and leaves a
/// valid state.
bool MaxMinSolver::change_calmly() {
  for (const std::uint32_t id : tables_.region) {
    if (!tables_.links[id].calm) return false;
  }
  for (const std::uint32_t id : tables_.region) narrow_budget(id);
  for (const std::uint32_t id : changed_classes_) {
    if (adopt(id)) continue;
    // The changed classes are already counted in the usage of their links, possibly at their new level. Add the links
    // that are overfull because of this to the region, because no later check would find them.
    for (const std::uint32_t changed : changed_classes_) fits_outside_region(tables_.classes[changed], true);
    return false;
  }
  bool fits = true;
  const std::size_t calm_links = tables_.region.size();  // number before links that become overfull are appended
  for (std::size_t i = 0; i < calm_links; ++i) fits = make_room(tables_.region[i]) && fits;
  for (const std::uint32_t id : changed_classes_) fits = fits_outside_region(tables_.classes[id], true) && fits;
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

/// Adds a class with a changed weight to the usage of its links, from which set_weight() has removed it. A new class
/// gets the calm link that it crosses as its bottleneck. Returns false if a new class crosses more than one link of the
/// region.
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

/// Ensures that a calm link's budget covers its new level. If other links of its classes have too little room for that,
/// adds them to the region and returns false.
bool MaxMinSolver::make_room(std::uint32_t link_id) {
  const Link& link = tables_.links[link_id];
  if (link.members.empty()) return true;
  const double level = link.capacity / link.weight;
  const bool few = link.members.size() <= kFewClasses;
  if (!few && level <= link.budget) return true;
  const auto all_fit = [this, &link](bool take) {
    bool fit = true;
    for (const MaxMinTables::Member& member : link.members)
      fit = fits_outside_region(tables_.owner(member), take) && fit;
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

/// True if no link of the class outside the region is overfull. If `take`, adds overfull links to the region.
bool MaxMinSolver::fits_outside_region(const Class& one, bool take) {
  bool fits = true;
  for (const auto& crossing : tables_.route(one)) {
    const Link& link = tables_.links[crossing.link];
    if (link.in_region || link.usage <= link.capacity * kOverfull) continue;
    fits = false;
    if (take) tables_.take_into_region(crossing.link);
  }
  return fits;
}

/// Computes the levels of the region in rounds. After a round all levels are right, except that links that limited no
/// class may now be overfull; the next round begins with these. The loop ends because each round lowers rates (the
/// lowest level that changes decreases) and the number of sets of limiting links is finite.
void MaxMinSolver::solve_region() {
  while (!tables_.region.empty()) {
    sweep_.run();
    touch_classes();
    keep();
    begin_next_round();
  }
}

/// Finds the links of the region that have a new level, the classes that this affects, and the new bottlenecks of these
/// classes.
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

/// Calls touch() for each class that the link begins or stops limiting, and for each class that crosses more than two
/// links. For each other class that the link limits, adds the change of its rate to the usage of its other link.
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
      add_usage_outside_region(member.other, member.weight * more);
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

/// True if the link's level is unchanged and its budget covers it. change_calmly() may have lowered the budget.
bool MaxMinSolver::keeps_budget(std::uint32_t link_id) const {
  const Link& link = tables_.links[link_id];
  return same_level(tables_.holds[link_id], link.level) && link.budget >= link.level;
}

double MaxMinSolver::new_budget(std::uint32_t link_id) const {
  return keeps_budget(link_id) ? tables_.links[link_id].budget : tables_.holds[link_id];
}

/// Adds a change of rate to the usage of a link if it limits no class. The usage of other links is not needed.
void MaxMinSolver::add_usage_outside_region(std::uint32_t link_id, double change) {
  Link& link = tables_.links[link_id];
  if (link.in_region || link.limited > 0) return;
  link.usage += change;
  if (!std::exchange(link.is_beside, true)) beside_.push_back(link_id);
}

/// Starts the next round with the links outside the region that are now overfull.
void MaxMinSolver::begin_next_round() {
  forget_change();
  for (const std::uint32_t id : beside_) {
    Link& link = tables_.links[id];
    link.is_beside = false;
    if (link.limited == 0 && link.usage > link.capacity * kOverfull) tables_.take_into_region(id);
  }
}

/// Stores the result of a round.
void MaxMinSolver::keep() {
  for (const Touched& one : touched_) {
    const Class& owner = tables_.classes[one.id];
    const bool stays = owner.counted && owner.bottleneck == one.bottleneck;
    if (stays && owner.last - owner.first <= 2) continue;  // touch_members() has already counted it
    const double before = owner.counted ? tables_.links[owner.bottleneck].budget : 0;
    const double change = owner.weight * (new_budget(one.bottleneck) - before);
    if (change == 0) continue;
    for (const auto& crossing : tables_.route(owner)) add_usage_outside_region(crossing.link, change);
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

/// Counts the classes that move to a link before those that leave it, so that the number of classes that a link limits
/// does not become 0 in between. If levels are equal, one class can join while another leaves.
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

/// Recomputes the usage of a link that limits no class. If wide budgets make it look overfull, narrows them.
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

/// Clears Link::calm of the links that are no longer calm and that touch_members() did not find.
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
