#include "sim/analysis/stragglers.h"

#include <algorithm>
#include <map>

#include "sim/analysis/intervals.h"

namespace stepsim::sim {

namespace {

/// Counts one collective of several ranks. Members that arrive last together hold the others up together: each has its
/// share of their waiting, and if all arrive together nobody held anybody up.
void count(const Dag& dag, const Timeline& timeline, RendezvousId id, std::map<Rank, Straggler>& by_rank) {
  const auto members = dag.members(id);
  const Time latest = timeline.start[timeline.last_arrival[id.index()].index()];
  std::vector<Rank> last;
  Duration waited{};
  for (const TaskId member : members) {
    const Rank rank = dag.lane(member).rank;
    ++by_rank[rank].collectives;
    const Duration early = latest - timeline.start[member.index()];
    if (early == Duration{}) last.push_back(rank);
    waited = saturated_sum(waited, early);
  }
  if (last.size() == members.size()) return;
  const auto waiting = static_cast<std::int64_t>(members.size() - last.size());
  for (const Rank rank : last) {
    Straggler& late = by_rank[rank];
    ++late.last_in;
    late.each = saturated_sum(late.each, waited / waiting / static_cast<std::int64_t>(last.size()));
  }
}

}  // namespace

std::vector<Straggler> stragglers(const Dag& dag, const Timeline& timeline) {
  std::map<Rank, Straggler> by_rank;
  for (const RendezvousId rendezvous : dag.all_rendezvous()) {
    const auto members = dag.members(rendezvous);
    const auto rank_of = [&dag](TaskId task) { return dag.lane(task).rank; };
    const bool one_rank = std::all_of(members.begin(), members.end(),
                                      [&](TaskId member) { return rank_of(member) == rank_of(members.front()); });
    if (!one_rank) count(dag, timeline, rendezvous, by_rank);
  }
  std::vector<Straggler> result;
  for (auto& [rank, straggler] : by_rank) {
    straggler.rank = rank;
    result.push_back(straggler);
  }
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.each > b.each; });
  return result;
}

}  // namespace stepsim::sim
