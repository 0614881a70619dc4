#include "model/network/maxmin_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepsim {
namespace {

/// Levels that differ by less are the same: the order of summation must not spread.
constexpr double kSame = 1e-13;
/// A link is overfull only beyond this: usage is summed up change by change.
constexpr double kOverfull = 1 + 1e-11;
/// What is left of a sum after subtractions is summed up anew below this share of it.
constexpr double kCancelled = 1e-6;

bool same(double a, double b) noexcept { return a == b || std::abs(a - b) <= kSame * std::min(a, b); }

}  // namespace

MaxMinSolver::MaxMinSolver(std::span<const double> capacities) : links_(capacities.size()) {
  for (std::size_t i = 0; i < capacities.size(); ++i) links_[i].capacity = capacities[i];
}

FlowClassId MaxMinSolver::add_class(std::span<const std::uint32_t> route) {
  const auto id = static_cast<std::uint32_t>(classes_.size());
  Class& added = classes_.emplace_back();
  added.first = static_cast<std::uint32_t>(crossings_.size());
  for (const std::uint32_t link : route) crossings_.push_back({id, link, 0});
  added.last = static_cast<std::uint32_t>(crossings_.size());
  return FlowClassId{id};
}

void MaxMinSolver::set_weight(FlowClassId id, double weight) {
  Class& one = classes_[id.index()];
  if (one.weight == weight) return;
  take_limits_into_region(one);
  take_from_usage(one);
  if (one.weight == 0) join(one);
  if (weight == 0) leave(one);
  one.weight = weight;
}

/// The links of a class that limit others have to be filled again; another one only if it gets
/// overfull, or if there is none that does.
void MaxMinSolver::take_limits_into_region(const Class& one) {
  bool any = false;
  for (const Crossing& crossing : route(one)) {
    if (links_[crossing.link].limited == 0 && !links_[crossing.link].in_region) continue;
    take_into_region(crossing.link);
    any = true;
  }
  if (any) return;
  for (const Crossing& crossing : route(one)) take_into_region(crossing.link);
}

/// Leaves the class out of the usage of its links until it has a new level.
void MaxMinSolver::take_from_usage(Class& one) {
  if (!std::exchange(one.counted, false)) return;
  const double rate = one.weight * links_[one.bottleneck].level;
  for (const Crossing& crossing : route(one)) links_[crossing.link].usage -= rate;
}

void MaxMinSolver::join(Class& one) {
  for (std::uint32_t i = one.first; i < one.last; ++i) {
    std::vector<std::uint32_t>& members = links_[crossings_[i].link].members;
    crossings_[i].place = static_cast<std::uint32_t>(members.size());
    members.push_back(i);
  }
}

void MaxMinSolver::leave(Class& one) {
  for (const Crossing& crossing : route(one)) {
    std::vector<std::uint32_t>& members = links_[crossing.link].members;
    crossings_[members.back()].place = crossing.place;
    members[crossing.place] = members.back();
    members.pop_back();
  }
  if (one.bottleneck != kNone) --links_[one.bottleneck].limited;
  one.bottleneck = kNone;
}

void MaxMinSolver::take_into_region(std::uint32_t link) {
  if (links_[link].in_region) return;
  links_[link].in_region = true;
  region_.push_back(link);
}

void MaxMinSolver::solve() {
  changed_links_.clear();
  moved_classes_.clear();
  if (region_.empty()) return;

  do {
    fill_region();
  } while (grow_region());
  keep();
}

/// Raises the level of all classes that cross the region alike until a link is full or a link
/// beside the region holds a class back; that class keeps its level, the others go on.
void MaxMinSolver::fill_region() {
  touched_.clear();
  capped_.clear();
  for (const std::uint32_t id : region_) {
    links_[id].room = links_[id].capacity;
    links_[id].open_weight = 0;
    links_[id].open_classes = 0;
  }
  for (const std::uint32_t id : region_) {
    for (const std::uint32_t member : links_[id].members) touch(crossings_[member].owner);
  }
  std::sort(capped_.begin(), capped_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return touched_[a].cap != touched_[b].cap ? touched_[a].cap < touched_[b].cap : touched_[a].id < touched_[b].id;
  });
  line_up();
  double level = 0;
  auto next_cap = capped_.begin();
  while (!line_.empty()) {
    const Candidate first = line_.front();
    while (next_cap != capped_.end() && touched_[*next_cap].bottleneck != kNone) ++next_cap;
    if (next_cap != capped_.end() && touched_[*next_cap].cap <= first.level) {
      Touched& held = touched_[*next_cap];
      level = std::max(level, held.cap);
      freeze(held, held.cap_link, held.cap);
      continue;
    }
    std::pop_heap(line_.begin(), line_.end());
    line_.pop_back();
    const Link& link = links_[first.link];
    if (link.open_classes == 0) continue;
    const double found = std::max(level, link.room / link.open_weight);
    if (found > first.level) {
      add_to_line(first.link, found);
      continue;
    }
    level = found;
    freeze_members(first.link, level);
  }
}

/// Puts the links of the region in line, the one that is full first if all rise alike in front.
/// What is frozen below that level makes a link full later, never earlier.
void MaxMinSolver::line_up() {
  line_.clear();
  for (const std::uint32_t id : region_) {
    if (links_[id].open_classes > 0) line_.push_back({links_[id].room / links_[id].open_weight, id});
  }
  std::make_heap(line_.begin(), line_.end());
}

void MaxMinSolver::add_to_line(std::uint32_t link, double level) {
  line_.push_back({level, link});
  std::push_heap(line_.begin(), line_.end());
}

void MaxMinSolver::freeze_members(std::uint32_t link, double level) {
  for (const std::uint32_t member : links_[link].members) {
    Touched& one = touched_[classes_[crossings_[member].owner].touched];
    if (one.bottleneck == kNone) freeze(one, link, level);
  }
}

void MaxMinSolver::touch(std::uint32_t id) {
  Class& one = classes_[id];
  if (one.touched < touched_.size() && touched_[one.touched].id == id) return;
  one.touched = static_cast<std::uint32_t>(touched_.size());
  Touched& added = touched_.emplace_back();
  added.id = id;
  added.level_before = one.counted ? links_[one.bottleneck].level : 0;
  for (const Crossing& crossing : route(one)) {
    Link& link = links_[crossing.link];
    if (link.in_region) {
      link.open_weight += one.weight;
      link.whole_weight = link.open_weight;
      ++link.open_classes;
    } else if (link.limited > 0 && link.level < added.cap) {
      added.cap = link.level;
      added.cap_link = crossing.link;
    }
  }
  if (added.cap_link != kNone) capped_.push_back(one.touched);
}

void MaxMinSolver::freeze(Touched& one, std::uint32_t bottleneck, double level) {
  one.bottleneck = bottleneck;
  one.level = level;
  const Class& owner = classes_[one.id];
  for (const Crossing& crossing : route(owner)) {
    Link& link = links_[crossing.link];
    if (!link.in_region) continue;
    link.room -= owner.weight * level;
    --link.open_classes;
    link.open_weight -= owner.weight;
    if (link.open_weight < kCancelled * link.whole_weight) link.open_weight = sum_of_open(link);
  }
}

double MaxMinSolver::sum_of_open(const Link& link) const noexcept {
  double sum = 0;
  for (const std::uint32_t member : link.members) {
    const Class& owner = classes_[crossings_[member].owner];
    if (touched_[owner.touched].bottleneck == kNone) sum += owner.weight;
  }
  return sum;
}

/// Takes the links into the region that the change reaches. False if there are none.
bool MaxMinSolver::grow_region() {
  beside_.clear();
  for (const Touched& one : touched_) {
    if (!same(one.level, one.level_before)) count_change_beside(one);
  }
  bool grown = false;
  for (const std::uint32_t id : beside_) {
    Link& link = links_[id];
    link.beside_region = false;
    if (link.limited == 0 && link.usage + link.usage_change <= link.capacity * kOverfull) continue;
    take_into_region(id);
    grown = true;
  }
  return grown;
}

void MaxMinSolver::count_change_beside(const Touched& one) {
  const Class& owner = classes_[one.id];
  for (const Crossing& crossing : route(owner)) {
    Link& link = links_[crossing.link];
    if (link.in_region) continue;
    if (!link.beside_region) {
      link.beside_region = true;
      link.usage_change = 0;
      beside_.push_back(crossing.link);
    }
    link.usage_change += owner.weight * (one.level - one.level_before);
  }
}

/// Makes what was found the answer.
void MaxMinSolver::keep() {
  for (const std::uint32_t id : beside_) links_[id].usage += links_[id].usage_change;
  for (const Touched& one : touched_) {
    Class& owner = classes_[one.id];
    owner.counted = true;
    if (owner.bottleneck == one.bottleneck) continue;
    if (owner.bottleneck != kNone) --links_[owner.bottleneck].limited;
    ++links_[one.bottleneck].limited;
    owner.bottleneck = one.bottleneck;
    moved_classes_.push_back(FlowClassId{one.id});
  }
  for (const std::uint32_t id : region_) {
    links_[id].in_region = false;
    links_[id].usage = links_[id].capacity - links_[id].room;
    links_[id].found = kNoLimit;
  }
  for (const Touched& one : touched_) links_[one.bottleneck].found = one.level;
  for (const std::uint32_t id : region_) {
    Link& link = links_[id];
    if (same(link.found, link.level)) continue;
    link.level = link.found;
    changed_links_.push_back(id);
  }
  region_.clear();
}

}  // namespace stepsim
