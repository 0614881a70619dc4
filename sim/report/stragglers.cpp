#include "sim/report/stragglers.h"

#include <algorithm>
#include <map>

#include "sim/report/intervals.h"

namespace stepsim::sim {

std::vector<Straggler> stragglers(const Dag& dag, const Timeline& timeline) {
  std::map<Rank, Straggler> by_rank;
  for (std::size_t i = 0; i < dag.rendezvous_count(); ++i) {
    const auto members = dag.members(RendezvousId{i});
    const auto rank_of = [&dag](TaskId task) { return dag.lane(task).rank; };
    const bool one_rank = std::all_of(members.begin(), members.end(),
                                      [&](TaskId member) { return rank_of(member) == rank_of(members.front()); });
    if (one_rank) continue;
    const TaskId last = timeline.last_arrival[i];
    Straggler& late = by_rank[rank_of(last)];
    ++late.last_in;
    Duration waited{};
    for (const TaskId member : members) {
      ++by_rank[rank_of(member)].collectives;
      waited = saturated_sum(waited, timeline.start[last.index()] - timeline.start[member.index()]);
    }
    late.each = saturated_sum(late.each, waited / static_cast<std::int64_t>(members.size() - 1));
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
