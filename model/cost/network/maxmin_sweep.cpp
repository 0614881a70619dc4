#include "model/cost/network/maxmin_solver.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stepsim {
namespace {

constexpr double kNoLimit = MaxMinTables::kNoLimit;

/// Two numbers that are computed with at once, which takes half as long as one after the other.
using Pair [[gnu::vector_size(16)]] = double;

double sum(Pair pair) noexcept { return pair[0] + pair[1]; }

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
  const std::vector<MaxMinTables::Member>& members = tables_.links[link].members;
  Pair weights{};  // summed in the same order as in not_full_below(), so that the results are equal
  for (std::size_t i = 0; i + 1 < members.size(); i += 2) weights += Pair{members[i].weight, members[i + 1].weight};
  if (members.size() % 2 != 0) weights += Pair{members.back().weight, 0};
  const double weight = sum(weights);
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
  const std::vector<MaxMinTables::Member>& members = tables_.links[link].members;
  Pair takens{};
  Pair risings{};
  const auto add = [&](Pair weights, Pair holds) {
    const auto rise = holds > Pair{reached, reached};  // this is unpredictable, so a branch would be slower
    risings += rise ? weights : Pair{};
    takens += rise ? Pair{} : weights * holds;
  };
  for (std::size_t i = 0; i + 1 < members.size(); i += 2) {
    add(Pair{members[i].weight, members[i + 1].weight}, Pair{tables_.hold(members[i]), tables_.hold(members[i + 1])});
  }
  if (members.size() % 2 != 0) add(Pair{members.back().weight, 0}, Pair{tables_.hold(members.back()), kNoLimit});
  const double rising = sum(risings);
  const double taken = sum(takens);
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
