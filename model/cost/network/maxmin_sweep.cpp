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

/// Returns the level at which the link is full if nothing else limits its classes. The final level is at least this.
double MaxMinSweep::full_if_all_rise(std::uint32_t link) const {
  double weight = 0;  // summed in the same order as in not_full_below(), so that the results are equal
  for (const MaxMinTables::Member& member : tables_.links[link].members) weight += member.weight;
  return weight == 0 ? 0 : tables_.links[link].capacity / weight;
}

/// Raises the level of one link from `reached`, until its final level is found or another link must be processed first.
void MaxMinSweep::rise(std::uint32_t link, double reached) {
  State& state = states_[link];
  while (true) {
    const double level = not_full_below(link, reached);
    if (level == kNoLimit || same_level(level, reached)) return settle(link, level);
    if (!state.released && state.was <= reached) {
      state.released = true;
      open_neighbours(link, state.was);
    }
    reached = state.released ? level : std::min(level, state.was);
    if (!line_.empty() && line_.front().level < reached) return add_to_line(link, reached);
  }
}

/// Opens a link whose classes may change their rates above the level `from`: the link limits nothing until the sweep
/// computes its new level.
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

/// Returns a level, at least `reached`, below which the link is not full. The level is computed as follows: a class
/// that another link limits at `reached` or below keeps its rate, and the rates of all other classes rise. If the
/// result is `reached`, it is the final level of the link. Returns kNoLimit if no class can rise above `reached`.
double MaxMinSweep::not_full_below(std::uint32_t link, double reached) const {
  double taken = 0;
  double rising = 0;
  for (const MaxMinTables::Member& member : tables_.links[link].members) {
    const double hold = tables_.hold(member);
    const bool rises = hold > reached;  // this is unpredictable, so a branch would be slower
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
  if (level < state.was && !as_before) open_neighbours(link, level);
}

/// Opens the links that share a class with this link, if the rate of that class may change above `from`.
void MaxMinSweep::open_neighbours(std::uint32_t link, double from) {
  const auto reach = [this, from](std::uint32_t beside) {
    const double hold = tables_.holds[beside];
    if (hold > from && hold < kNoLimit) open(beside, from);  // an open link has no limit
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
