#include "model/job/group.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "model/job/copies.h"

namespace stepsim {
namespace {

/// Returns the group's ranks; nothing if they are not known.
std::span<const Rank> listed_ranks(const Dag& dag, RendezvousId rendezvous) noexcept {
  const GroupId group = dag.collective(rendezvous).group;
  return group.valid() ? std::span<const Rank>(dag.group(group).ranks) : std::span<const Rank>();
}

/// Returns the ranks of a group of which only `own` is known.
std::vector<Rank> neighbours_of(Rank own, std::uint32_t size, std::size_t endpoints) {
  const auto count = static_cast<Rank>(size);
  const auto last = static_cast<Rank>(std::max<std::size_t>(endpoints, size)) - count;
  const Rank first = std::min(own - own % count, last);
  std::vector<Rank> ranks;
  for (Rank rank = first; rank < first + count; ++rank) ranks.push_back(rank);
  return ranks;
}

/// Returns the copies of ranks and what they copy, and `others`, in ascending order.
std::vector<KnownRank> with_copies(const Dag& dag, std::set<Rank> others) {
  std::vector<KnownRank> ranks;
  const Group* const group = group_with_copies(dag);
  for (std::size_t i = 0; group != nullptr && i < group->copy_of.size(); ++i) {
    ranks.push_back({group->ranks[i], group->ranks[group->copy_of[i]]});
    others.erase(group->ranks[i]);
  }
  for (const Rank rank : others) ranks.push_back({rank, rank});
  if (!others.empty()) std::ranges::sort(ranks, {}, &KnownRank::rank);
  return ranks;
}

}  // namespace

std::vector<TaskId> members_by_rank(const Dag& dag, RendezvousId rendezvous) {
  const auto members = dag.members(rendezvous);
  std::vector<TaskId> tasks(members.begin(), members.end());
  const auto is_before = [&dag](TaskId a, TaskId b) { return dag.lane(a).rank < dag.lane(b).rank; };
  if (!std::is_sorted(tasks.begin(), tasks.end(), is_before)) std::stable_sort(tasks.begin(), tasks.end(), is_before);
  return tasks;
}

std::uint32_t group_size(const Dag& dag, RendezvousId rendezvous) noexcept {
  const auto captured = static_cast<std::uint32_t>(dag.members(rendezvous).size());
  const GroupId group = dag.collective(rendezvous).group;
  return group.valid() ? std::max(captured, dag.group(group).size) : captured;
}

bool is_whole(const Dag& dag, RendezvousId rendezvous) noexcept {
  const GroupId group = dag.collective(rendezvous).group;
  const bool shows_copies = group.valid() && !dag.group(group).copy_of.empty();
  return shows_copies || dag.members(rendezvous).size() == group_size(dag, rendezvous);
}

bool has_all_members(const Dag& dag) noexcept {
  const auto all = dag.all_rendezvous();
  return std::all_of(all.begin(), all.end(), [&dag](RendezvousId rendezvous) { return is_whole(dag, rendezvous); });
}

bool lists_members(const Dag& dag, RendezvousId rendezvous) noexcept {
  return dag.members(rendezvous).size() < listed_ranks(dag, rendezvous).size();
}

std::vector<Member> members_of(const Dag& dag, RendezvousId rendezvous, const Cluster& cluster) {
  const std::vector<TaskId> tasks = members_by_rank(dag, rendezvous);
  std::vector<Member> members;
  members.reserve(group_size(dag, rendezvous));
  if (tasks.size() == group_size(dag, rendezvous)) {
    for (const TaskId task : tasks) {
      const Rank rank = dag.lane(task).rank;
      members.push_back({rank, task, cluster.endpoint_of(rank)});
    }
    return members;
  }
  std::span<const Rank> ranks = listed_ranks(dag, rendezvous);
  std::vector<Rank> neighbours;
  if (ranks.empty()) {
    if (tasks.size() != 1) return {};
    neighbours = neighbours_of(dag.lane(tasks.front()).rank, group_size(dag, rendezvous), cluster.endpoints.size());
    ranks = neighbours;
  }
  auto task = tasks.begin();
  for (const Rank rank : ranks) {
    const bool captured = task != tasks.end() && dag.lane(*task).rank == rank;
    members.push_back({rank, captured ? *task++ : TaskId{}, cluster.endpoint_of(rank)});
  }
  return members;
}

bool knows_members(const Dag& dag, RendezvousId rendezvous) noexcept {
  return is_whole(dag, rendezvous) || dag.members(rendezvous).size() == 1 || !listed_ranks(dag, rendezvous).empty();
}

bool has_copies(const Dag& dag) noexcept { return group_with_copies(dag) != nullptr; }

std::vector<KnownRank> known_ranks(const Capture& capture) {
  return with_copies(capture.dag, {capture.recording.ranks.begin(), capture.recording.ranks.end()});
}

std::map<Rank, std::uint32_t> rank_classes(const Dag& dag) {
  std::set<Rank> ranks;
  for (const Lane& lane : dag.lanes()) ranks.insert(lane.rank);
  std::map<Rank, std::uint32_t> classes;
  for (const KnownRank& rank : with_copies(dag, std::move(ranks))) ++classes[rank.original];
  return classes;
}

std::size_t largest_group(const Dag& dag) noexcept {
  std::size_t most = 0;
  for (const RendezvousId rendezvous : dag.all_rendezvous())
    most = std::max<std::size_t>(most, group_size(dag, rendezvous));
  return most;
}

}  // namespace stepsim
