#include "model/cost/network/maxmin_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepsim {
namespace {

constexpr std::uint32_t kNone = MaxMinTables::kNone;
/// Levels that differ by less are the same: the order of summation must not spread.
constexpr double kSame = 1e-13;
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

bool same(double a, double b) noexcept { return a == b || std::abs(a - b) <= kSame * std::min(a, b); }

}  // namespace

MaxMinSolver::MaxMinSolver(std::span<const double> capacities)
    : tables_{std::vector<Link>(capacities.size()), {}, {}}, fill_(tables_), usage_change_(capacities.size()) {
  for (std::size_t i = 0; i < capacities.size(); ++i) tables_.links[i].capacity = capacities[i];
}

FlowClassId MaxMinSolver::add_class(std::span<const std::uint32_t> route) {
  const auto id = static_cast<std::uint32_t>(tables_.classes.size());
  Class& added = tables_.classes.emplace_back();
  added.first = static_cast<std::uint32_t>(tables_.crossings.size());
  for (const std::uint32_t link : route) tables_.crossings.push_back({id, link, 0});
  added.last = static_cast<std::uint32_t>(tables_.crossings.size());
  return FlowClassId{id};
}

void MaxMinSolver::set_weight(FlowClassId id, double weight) {
  Class& one = tables_.classes[id.index()];
  if (one.weight == weight) return;
  if (!std::exchange(one.changed, true)) changed_classes_.push_back(id.value());
  take_limits_into_region(one);
  take_from_usage(one);
  const double before = std::exchange(one.weight, weight);
  if (before == 0) tables_.join(one);
  if (weight == 0) tables_.leave(one);
  for (const auto& crossing : tables_.route(one)) add_weight(tables_.links[crossing.link], weight - before);
}

/// The links of a class that limit others are filled again; another one only if it gets overfull,
/// or if there is none that limits.
void MaxMinSolver::take_limits_into_region(const Class& one) {
  bool any = false;
  for (const auto& crossing : tables_.route(one)) {
    const Link& link = tables_.links[crossing.link];
    if (link.limited == 0 && !link.in_region) continue;
    take_into_region(crossing.link);
    any = true;
  }
  if (any) return;
  for (const auto& crossing : tables_.route(one)) take_into_region(crossing.link);
}

void MaxMinSolver::take_into_region(std::uint32_t link) {
  if (!std::exchange(tables_.links[link].in_region, true)) region_.push_back(link);
}

/// Leaves the class out of the usage of its links until it has a new level.
void MaxMinSolver::take_from_usage(Class& one) {
  if (!std::exchange(one.counted, false)) return;
  const double rate = one.weight * tables_.links[one.bottleneck].budget;
  for (const auto& crossing : tables_.route(one)) tables_.links[crossing.link].usage -= rate;
}

void MaxMinSolver::add_weight(Link& link, double change) {
  link.weight += change;
  link.most_weight = std::max(link.most_weight, link.weight);
  if (link.weight >= kCancelled * link.most_weight) return;
  link.weight = 0;
  for (const std::uint32_t member : link.members) link.weight += tables_.owner(member).weight;
  link.most_weight = link.weight;
}

void MaxMinSolver::solve() {
  changed_links_.clear();
  moved_classes_.clear();
  if (!change_calmly()) solve_region();
  for (const std::uint32_t id : changed_classes_) tables_.classes[id].changed = false;
  for (const std::uint32_t id : region_) tables_.links[id].in_region = false;
  changed_classes_.clear();
  region_.clear();
}

void MaxMinSolver::set_level(std::uint32_t link_id, double level) {
  Link& link = tables_.links[link_id];
  if (same(level, link.level)) return;
  link.level = level;
  changed_links_.push_back(link_id);
}

/// Makes the change if all that it reaches are calm links. If not, what it has done is a valid
/// state to fill the region from.
bool MaxMinSolver::change_calmly() {
  for (const std::uint32_t id : region_) {
    if (!tables_.links[id].calm) return false;
  }
  for (const std::uint32_t id : region_) narrow_budget(id);
  for (const std::uint32_t id : changed_classes_) {
    if (adopt(id)) continue;
    // The others are counted, perhaps at the level that they will have: nobody would look again.
    for (const std::uint32_t changed : changed_classes_) fits_beside(tables_.classes[changed], true);
    return false;
  }
  bool fits = true;
  const std::size_t calm_links = region_.size();  // those that do not fit join behind
  for (std::size_t i = 0; i < calm_links; ++i) fits = make_room(region_[i]) && fits;
  for (const std::uint32_t id : changed_classes_) fits = fits_beside(tables_.classes[id], true) && fits;
  if (!fits) return false;
  for (const std::uint32_t id : region_) {
    Link& link = tables_.links[id];
    link.calm = !link.members.empty();
    if (!link.calm) link.budget = kNoLimit;
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
  if (one.bottleneck == kNone) {
    std::uint32_t limit = kNone;
    for (const auto& crossing : tables_.route(one)) {
      if (!tables_.links[crossing.link].in_region) continue;
      if (limit != kNone) return false;
      limit = crossing.link;
    }
    one.bottleneck = limit;
    ++tables_.links[limit].limited;
    moved_classes_.emplace_back(id);
  }
  one.counted = true;
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
    for (const std::uint32_t member : link.members) fit = fits_beside(tables_.owner(member), take) && fit;
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
  for (const std::uint32_t member : link.members) {
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
    if (take) take_into_region(crossing.link);
  }
  return fits;
}

void MaxMinSolver::solve_region() {
  const std::vector<Touched>* touched = nullptr;
  do {
    touched = &fill_.fill(region_);
  } while (grow_region(*touched));
  keep(*touched);
}

/// Takes the links into the region that the change reaches. False if there are none.
bool MaxMinSolver::grow_region(const std::vector<Touched>& touched) {
  beside_.clear();
  for (const Touched& one : touched) count_beside(one);
  bool grown = false;
  for (const std::uint32_t id : beside_) {
    Link& link = tables_.links[id];
    link.is_beside = false;
    const bool overfull = link.limited == 0 && link.usage + usage_change_[id] > link.capacity * kOverfull;
    if (!std::exchange(link.is_reached, false) && !overfull) continue;
    take_into_region(id);
    grown = true;
  }
  return grown;
}

void MaxMinSolver::count_beside(const Touched& one) {
  const Class& owner = tables_.classes[one.id];
  const double level = owner.counted ? tables_.links[owner.bottleneck].level : 0;
  const double budget = owner.counted ? tables_.links[owner.bottleneck].budget : 0;
  const bool moves = !same(one.level, level);
  const double change = owner.weight * (budget_of(one) - budget);
  if (!moves && change == 0) return;
  for (const auto& crossing : tables_.route(owner)) {
    Link& link = tables_.links[crossing.link];
    if (link.in_region) continue;
    if (!std::exchange(link.is_beside, true)) {
      beside_.push_back(crossing.link);
      usage_change_[crossing.link] = 0;
    }
    usage_change_[crossing.link] += change;
    link.is_reached = link.is_reached || (moves && link.limited > 0);
  }
}

double MaxMinSolver::budget_of(const Touched& one) const {
  const Link& link = tables_.links[one.bottleneck];
  return link.in_region ? one.level : link.budget;
}

/// Makes what was found the answer.
void MaxMinSolver::keep(const std::vector<Touched>& touched) {
  count_limited(touched);
  for (const std::uint32_t id : beside_) tables_.links[id].usage += usage_change_[id];
  for (const std::uint32_t id : region_) tables_.links[id].usage = 0;
  for (const Touched& one : touched) {
    Class& owner = tables_.classes[one.id];
    owner.counted = true;
    const double rate = owner.weight * budget_of(one);
    for (const auto& crossing : tables_.route(owner)) {
      if (tables_.links[crossing.link].in_region) tables_.links[crossing.link].usage += rate;
    }
    if (owner.bottleneck == one.bottleneck) continue;
    if (owner.bottleneck != kNone) stop_limiting(owner.bottleneck);
    owner.bottleneck = one.bottleneck;
    moved_classes_.emplace_back(one.id);
  }
  for (const std::uint32_t id : region_) tables_.links[id].budget = kNoLimit;
  for (const Touched& one : touched) {
    if (tables_.links[one.bottleneck].in_region) tables_.links[one.bottleneck].budget = one.level;
  }
  for (const std::uint32_t id : region_) set_level(id, tables_.links[id].budget);
  for (const std::uint32_t id : region_) drop_slack(tables_.links[id]);
  find_calm_links(touched);
}

/// Counts the classes that move to a link before any leaves it: one beside the region that limits a
/// class at each moment keeps its level. Where levels are equal, one may come as another goes.
void MaxMinSolver::count_limited(const std::vector<Touched>& touched) {
  for (const Touched& one : touched) {
    if (tables_.classes[one.id].bottleneck != one.bottleneck) ++tables_.links[one.bottleneck].limited;
  }
}

/// A link that is not full only has to be counted as such: budgets of what crosses it were too wide.
void MaxMinSolver::drop_slack(const Link& link) {
  if (link.limited > 0 || link.usage <= link.capacity * kOverfull) return;
  for (const std::uint32_t member : link.members) {
    const std::uint32_t limit = tables_.owner(member).bottleneck;
    set_budget(limit, tables_.links[limit].level);
  }
}

/// A class moved on to another link; one beside the region that limits nobody any more has no level.
void MaxMinSolver::stop_limiting(std::uint32_t id) {
  Link& link = tables_.links[id];
  if (--link.limited > 0 || link.in_region) return;
  link.calm = false;
  link.budget = kNoLimit;
  set_level(id, kNoLimit);
}

void MaxMinSolver::find_calm_links(const std::vector<Touched>& touched) {
  for (const std::uint32_t id : region_) {
    Link& link = tables_.links[id];
    link.calm = link.limited > 0 && link.limited == link.members.size();
  }
  for (const Touched& one : touched) {
    const auto route = tables_.route(tables_.classes[one.id]);
    const auto limits = [this](const auto& crossing) { return tables_.links[crossing.link].limited > 0; };
    if (std::count_if(route.begin(), route.end(), limits) < 2) continue;
    for (const auto& crossing : route) tables_.links[crossing.link].calm = false;
  }
}

}  // namespace stepsim
