#include "model/cost/network/maxmin_solver.h"

#include <algorithm>

namespace stepsim {
namespace {

constexpr double kNoLimit = MaxMinTables::kNoLimit;

}  // namespace

void MaxMinSweep::run() {
  const std::size_t begin = tables_.region.size();
  for (std::size_t i = 0; i < begin; ++i) open(tables_.region[i], full_if_all_rise(tables_.region[i]));
  while (!line_.empty()) {
    const Candidate next = line_.front();
    std::pop_heap(line_.begin(), line_.end());
    line_.pop_back();
    rise(next.link, next.level);
  }
}

/// The level at which the link is full if nothing else holds its classes back: never above its level.
double MaxMinSweep::full_if_all_rise(std::uint32_t link) const {
  double weight = 0;  // summed up as not_full_below() does, so that both come to the same level
  for (const MaxMinTables::Member& member : tables_.links[link].members) weight += member.weight;
  return weight == 0 ? 0 : tables_.links[link].capacity / weight;
}

/// Goes up with one link from `reached`, until it has its level or another one is to be looked at first.
void MaxMinSweep::rise(std::uint32_t link, double reached) {
  State& state = states_[link];
  while (true) {
    const double level = not_full_below(link, reached);
    if (level == kNoLimit || same_level(level, reached)) return settle(link, level);
    if (!state.released && state.was <= reached) {
      state.released = true;
      open_beside(link, state.was);
    }
    reached = state.released ? level : std::min(level, state.was);
    if (!line_.empty() && line_.front().level < reached) return add_to_line(link, reached);
  }
}

/// A link whose classes may take more or less than before above the level `from`.
void MaxMinSweep::open(std::uint32_t link, double from) {
  tables_.take_into_region(link);
  states_[link] = {tables_.holds[link], false};
  tables_.holds[link] = kNoLimit;
  add_to_line(link, std::min(from, states_[link].was));
}

void MaxMinSweep::add_to_line(std::uint32_t link, double level) {
  line_.push_back({level, link});
  std::push_heap(line_.begin(), line_.end());
}

/// At least `reached`, below which the link is not full: those held back by then take what they
/// have, the others all rise. The link's level, if that is `reached`; kNoLimit if all are held back.
double MaxMinSweep::not_full_below(std::uint32_t link, double reached) const {
  double taken = 0;
  double rising = 0;
  for (const MaxMinTables::Member& member : tables_.links[link].members) {
    const double hold = tables_.hold(member);
    const bool rises = hold > reached;  // as often as not: a branch would be guessed wrong
    rising += rises ? member.weight : 0;
    taken += member.weight * (rises ? 0 : hold);
  }
  if (rising == 0) return kNoLimit;
  return std::max(reached, (tables_.links[link].capacity - taken) / rising);
}

void MaxMinSweep::settle(std::uint32_t link, double level) {
  const State& state = states_[link];
  const bool as_before = same_level(level, state.was);
  tables_.holds[link] = as_before ? state.was : level;
  if (level < state.was && !as_before) open_beside(link, level);
}

/// Opens the links that share a class with this one that takes more or less than before above `from`.
void MaxMinSweep::open_beside(std::uint32_t link, double from) {
  const auto reach = [this, from](std::uint32_t beside) {
    const double hold = tables_.holds[beside];
    if (hold > from && hold < kNoLimit) open(beside, from);  // an open one has no limit
  };
  for (const MaxMinTables::Member& member : tables_.links[link].members) {
    if (member.other != MaxMinTables::kNone) {
      reach(member.other);
      continue;
    }
    const auto route = tables_.route(tables_.owner(member));
    const bool held_below = std::any_of(route.begin(), route.end(), [this, link, from](const auto& crossing) {
      return crossing.link != link && tables_.holds[crossing.link] <= from;
    });
    if (held_below) continue;
    for (const MaxMinTables::Crossing& crossing : route) {
      if (crossing.link != link) reach(crossing.link);
    }
  }
}

}  // namespace stepsim
