#include "sim/analysis/periodic_graph.h"

#include <algorithm>
#include <limits>

#include "model/base/error.h"

namespace stepsim::sim {
namespace {

constexpr std::uint32_t kAlone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kFewestRounds = 3;
constexpr std::size_t kMostRounds = 64;

/// The longest that a clock went on from one round to another.
Duration longest(const std::vector<Time>& before, const std::vector<Time>& after) {
  Duration result{};
  for (std::size_t i = 0; i < after.size(); ++i) result = std::max(result, after[i] - before[i]);
  return result;
}

/// Whether the last two rounds took the same time by every clock.
bool is_steady(const std::vector<std::vector<Time>>& rounds) {
  if (rounds.size() < kFewestRounds) return false;
  const std::vector<Time>& before = rounds[rounds.size() - 3];
  const std::vector<Time>& middle = rounds[rounds.size() - 2];
  const std::vector<Time>& last = rounds.back();
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (last[i] - middle[i] != middle[i] - before[i]) return false;
  }
  return true;
}

}  // namespace

PeriodicGraph::Node PeriodicGraph::add_task(Duration duration) {
  duration_.push_back(duration);
  rendezvous_.push_back(kAlone);
  return static_cast<Node>(duration_.size() - 1);
}

void PeriodicGraph::add_edge(Node from, Node to, Duration delay) {
  STEPSIM_ASSERT(from < to, "an edge within a round leads to a later task");
  STEPSIM_ASSERT(edges_.empty() || edges_.back().from <= from, "edges are added by their source");
  while (first_edge_.size() <= from) first_edge_.push_back(edges_.size());
  edges_.push_back({from, to, delay});
}

void PeriodicGraph::add_rendezvous(std::span<const Node> members) {
  for (const Node member : members) rendezvous_[member] = static_cast<std::uint32_t>(members_.size());
  members_.emplace_back(members.begin(), members.end());
  std::sort(members_.back().begin(), members_.back().end());
}

void PeriodicGraph::end(Node task, Time finish, Round& round) const {
  round.finish[task] = finish;
  if (task >= first_edge_.size()) return;
  for (std::size_t i = first_edge_[task]; i < edges_.size() && edges_[i].from == task; ++i) {
    Time& start = round.start[edges_[i].to];
    start = std::max(start, finish + edges_[i].delay);
  }
}

/// `round` holds the times of the round before, or nothing.
void PeriodicGraph::run(Round& round) const {
  const bool is_first = round.start.empty();
  round.start.assign(duration_.size(), Time{});
  if (is_first) round.finish.resize(duration_.size());
  for (const Edge& edge : next_) {
    if (is_first) break;
    Time& start = round.start[edge.to];
    start = std::max(start, round.finish[edge.from] + edge.delay);
  }
  for (Node task = 0; task < duration_.size(); ++task) {
    if (rendezvous_[task] == kAlone) {
      end(task, round.start[task] + duration_[task], round);
      continue;
    }
    const std::vector<Node>& members = members_[rendezvous_[task]];
    if (task != members.back()) continue;
    Time last = Time::min();
    for (const Node member : members) last = std::max(last, round.start[member]);
    for (const Node member : members) end(member, last + duration_[member], round);
  }
}

std::vector<Time> PeriodicGraph::shown_by_clocks(const Round& round) const {
  std::vector<Time> times(clocks_, Time::min());
  for (const Watched& one : watched_)
    times[one.clock] = std::max(times[one.clock], one.start ? round.start[one.task] : round.finish[one.task]);
  return times;
}

Duration PeriodicGraph::pace() const {
  Round round;
  std::vector<std::vector<Time>> rounds;
  while (rounds.size() < kMostRounds) {
    run(round);
    rounds.push_back(shown_by_clocks(round));
    if (is_steady(rounds)) return longest(rounds[rounds.size() - 2], rounds.back());
  }
  constexpr std::size_t kHalf = kMostRounds / 2;
  return longest(rounds[kHalf - 1], rounds.back()) / static_cast<std::int64_t>(kHalf);
}

}  // namespace stepsim::sim
