#include "sim/analysis/where_to_look.h"

#include <algorithm>
#include <map>

#include "sim/analysis/intervals.h"

namespace stepsim::sim {
namespace {

/// Adds the waits of one collective of several ranks to the ranks that arrived last. If several arrived last, they
/// share the waits of the others; if all arrived together, nobody waited.
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

WhereToLook::Name longest_name(const Dag& dag, const CriticalPath& path, PathClass of_class) {
  const auto counts = [&](const PathTask& task) { return path_class_of(dag, task.task) == of_class; };
  std::vector<Duration> time(dag.name_count());
  for (const PathTask& task : path.tasks) {
    if (counts(task)) time[dag.name_id(task.task).index()] += task.duration - task.queueing;
  }
  NameId longest{};
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (time[i] == Duration{}) continue;
    const bool longer = !longest.valid() || time[i] > time[longest.index()];
    if (longer || (time[i] == time[longest.index()] && dag.name(NameId{i}) < dag.name(longest))) longest = NameId{i};
  }
  if (!longest.valid()) return {};
  const auto tasks = std::count_if(path.tasks.begin(), path.tasks.end(), [&](const PathTask& task) {
    return counts(task) && dag.name_id(task.task) == longest;
  });
  return {dag.name(longest), time[longest.index()], static_cast<std::size_t>(tasks)};
}

/// Returns the lane on which the path queues longest.
WhereToLook::QueueingLane longest_queue(const Dag& dag, const CriticalPath& path) {
  std::map<LaneId, Duration> by_lane;
  for (const PathTask& task : path.tasks) by_lane[dag.lane_id(task.task)] += task.queueing;
  const auto longest = std::max_element(by_lane.begin(), by_lane.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  return {longest->first, longest->second};
}

const RankBreakdown* most_exposed_rank(const std::vector<RankBreakdown>& ranks) {
  const auto most = std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) {
    return a.exposed_communication < b.exposed_communication;
  });
  return most == ranks.end() || most->exposed_communication == Duration{} ? nullptr : &*most;
}

/// Returns the rank that others waited for longest, if they waited clearly longer than for any other rank: ranks that
/// are late in turn are all as slow as the others. Returns null if there is none.
const Straggler* clear_straggler(const std::vector<Straggler>& stragglers, Duration path) {
  if (stragglers.empty()) return nullptr;
  const Duration next = stragglers.size() < 2 ? Duration{} : stragglers[1].each;
  return ratio(stragglers.front().each - next, path) > kWorthALook ? &stragglers.front() : nullptr;
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

const PathTask* late_start_on(const CriticalPath& path) {
  const PathTask& first = path.tasks.front();
  const bool late = first.release.by() == Release::By::kNothing && ratio(first.wait, path.length) > kWorthALook;
  return late ? &first : nullptr;
}

std::optional<WhereToLook> where_to_look(const Dag& dag, const Summary& summary, const CriticalPath& path,
                                         const std::vector<Straggler>& stragglers) {
  if (path.tasks.empty()) return std::nullopt;
  const auto worth_saying = [&path](Duration part) { return ratio(part, path.length) > kWorthALook; };
  WhereToLook found;
  const auto* const largest = std::max_element(path.classes.begin(), path.classes.end());
  found.largest_class = static_cast<PathClass>(largest - path.classes.begin());
  if (found.largest_class == PathClass::kWait) {
    found.longest_wait = &*std::max_element(path.tasks.begin(), path.tasks.end(),
                                            [](const PathTask& a, const PathTask& b) { return a.wait < b.wait; });
  } else if (found.largest_class != PathClass::kQueueing) {
    found.longest_name = longest_name(dag, path, found.largest_class);
  }
  found.late_start = late_start_on(path);
  found.straggler = clear_straggler(stragglers, path.length);
  if (worth_saying(path[PathClass::kQueueing])) found.queueing = longest_queue(dag, path);
  found.most_exposed = most_exposed_rank(summary.ranks);
  return found;
}

}  // namespace stepsim::sim
