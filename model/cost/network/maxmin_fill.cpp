#include "model/cost/network/maxmin_fill.h"

#include <algorithm>

namespace stepsim {
namespace {

constexpr std::uint32_t kNone = MaxMinTables::kNone;
/// What is left of a sum after subtractions is summed up anew below this share of it.
constexpr double kCancelled = 1e-4;

}  // namespace

const std::vector<MaxMinFill::Touched>& MaxMinFill::fill(const std::vector<std::uint32_t>& region) {
  touched_.clear();
  capped_.clear();
  for (const std::uint32_t id : region) links_[id] = {tables_.links[id].capacity, 0, 0, 0};
  for (const std::uint32_t id : region) {
    for (const std::uint32_t member : tables_.links[id].members) touch(tables_.crossings[member].owner);
  }
  std::make_heap(capped_.begin(), capped_.end());
  line_up(region);
  raise();
  return touched_;
}

void MaxMinFill::touch(std::uint32_t id) {
  MaxMinTables::Class& one = tables_.classes[id];
  if (one.touched < touched_.size() && touched_[one.touched].id == id) return;
  one.touched = static_cast<std::uint32_t>(touched_.size());
  Touched& added = touched_.emplace_back();
  added.id = id;
  for (const MaxMinTables::Crossing& crossing : tables_.route(one)) {
    const MaxMinTables::Link& link = tables_.links[crossing.link];
    if (link.in_region) {
      Filling& filling = links_[crossing.link];
      filling.open_weight += one.weight;
      filling.whole_weight = filling.open_weight;
      ++filling.open_classes;
    } else if (link.limited > 0 && link.level < added.cap) {
      added.cap = link.level;
      added.cap_link = crossing.link;
    }
  }
  if (added.cap_link != kNone) capped_.push_back({added.cap, id, one.touched});
}

/// Puts the links in line, the one that is full first if all classes rise alike in front. What is
/// held back below that level makes a link full later, never earlier.
void MaxMinFill::line_up(const std::vector<std::uint32_t>& region) {
  line_.clear();
  for (const std::uint32_t id : region) {
    if (links_[id].open_classes > 0) line_.push_back({links_[id].room / links_[id].open_weight, id});
  }
  std::make_heap(line_.begin(), line_.end());
}

void MaxMinFill::add_to_line(std::uint32_t link, double level) {
  line_.push_back({level, link});
  std::push_heap(line_.begin(), line_.end());
}

void MaxMinFill::raise() {
  double level = 0;
  while (!line_.empty()) {
    const Candidate first = line_.front();
    if (Touched* const held = next_held_back(first.level)) {
      level = std::max(level, held->cap);
      freeze(*held, held->cap_link, held->cap);
      continue;
    }
    std::pop_heap(line_.begin(), line_.end());
    line_.pop_back();
    const Filling& filling = links_[first.link];
    if (filling.open_classes == 0) continue;
    const double found = std::max(level, filling.room / filling.open_weight);
    if (found > first.level) {
      add_to_line(first.link, found);
    } else {
      level = found;
      freeze_members(first.link, level);
    }
  }
}

/// The next open class that a link beside the region holds back at a level up to `below`.
MaxMinFill::Touched* MaxMinFill::next_held_back(double below) {
  while (!capped_.empty() && capped_.front().level <= below) {
    Touched& one = touched_[capped_.front().place];
    std::pop_heap(capped_.begin(), capped_.end());
    capped_.pop_back();
    if (one.bottleneck == kNone) return &one;
  }
  return nullptr;
}

void MaxMinFill::freeze_members(std::uint32_t link, double level) {
  for (const std::uint32_t member : tables_.links[link].members) {
    Touched& one = touched_[tables_.owner(member).touched];
    if (one.bottleneck == kNone) freeze(one, link, level);
  }
}

void MaxMinFill::freeze(Touched& one, std::uint32_t bottleneck, double level) {
  one.bottleneck = bottleneck;
  one.level = level;
  const MaxMinTables::Class& owner = tables_.classes[one.id];
  for (const MaxMinTables::Crossing& crossing : tables_.route(owner)) {
    if (!tables_.links[crossing.link].in_region) continue;
    Filling& filling = links_[crossing.link];
    --filling.open_classes;
    if (crossing.link == bottleneck) continue;  // all its open classes freeze now
    filling.room -= owner.weight * level;
    filling.open_weight -= owner.weight;
    if (filling.open_weight >= kCancelled * filling.whole_weight) continue;
    filling.open_weight = filling.whole_weight = sum_of_open(crossing.link);
  }
}

double MaxMinFill::sum_of_open(std::uint32_t link) {
  double sum = 0;
  for (const std::uint32_t member : tables_.links[link].members) {
    const MaxMinTables::Class& owner = tables_.owner(member);
    if (touched_[owner.touched].bottleneck == kNone) sum += owner.weight;
  }
  return sum;
}

}  // namespace stepsim
