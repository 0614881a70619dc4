#ifndef STEPSIM_MODEL_JOB_GROUP_H
#define STEPSIM_MODEL_JOB_GROUP_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/job/cluster.h"
#include "model/job/dag.h"
#include "model/job/recording.h"

// Who takes part in a collective, and where these ranks run. Not all of them have to be captured: the tasks of a
// rendezvous are those of the captured ranks, and its group has all of them.
namespace stepsim {

/// A member of a collective.
struct Member {
  Rank rank = 0;
  TaskId task{};          ///< invalid if its rank was not captured
  EndpointId endpoint{};  ///< where its rank runs; invalid if the cluster has no endpoint for it
  friend bool operator==(const Member&, const Member&) = default;
};

/// Returns the captured members of a collective, by rank and then by task. O(members log members).
[[nodiscard]] std::vector<TaskId> members_by_rank(const Dag& dag, RendezvousId rendezvous);

/// Returns the number of ranks that take part in a collective. O(1).
[[nodiscard]] std::uint32_t group_size(const Dag& dag, RendezvousId rendezvous) noexcept;

/// True if all ranks that take part in a collective were captured, or are copies of captured ones. O(1).
[[nodiscard]] bool is_whole(const Dag& dag, RendezvousId rendezvous) noexcept;

/// True if is_whole() is true for every collective. O(collectives).
[[nodiscard]] bool has_all_members(const Dag& dag) noexcept;

/// True if the members of a collective are the ranks that its group lists, of which not all have tasks. All such
/// collectives of a group have the same members. O(1).
[[nodiscard]] bool lists_members(const Dag& dag, RendezvousId rendezvous) noexcept;

/// Returns the members of a collective in order of rank. Members that were not captured run on the endpoints of the
/// ranks that the group lists. If it lists none and one member was captured, they are assumed to run on the
/// neighbouring endpoints: a group of n ranks on n consecutive endpoints from a multiple of n, or on the last n
/// endpoints. Returns nothing if it lists none and several members, but not all, were captured. O(members log members).
[[nodiscard]] std::vector<Member> members_of(const Dag& dag, RendezvousId rendezvous, const Cluster& cluster);

/// True if members_of() knows all members of a collective. O(1).
[[nodiscard]] bool knows_members(const Dag& dag, RendezvousId rendezvous) noexcept;

/// A rank of a job, and the rank whose tasks it has: itself, or the one that it is a copy of (Group::copy_of).
struct KnownRank {
  Rank rank = 0;
  Rank original = 0;
};

/// True if some ranks are copies of others. O(groups).
[[nodiscard]] bool has_copies(const Dag& dag) noexcept;

/// Returns the captured ranks and their copies, in ascending order. O(ranks log ranks).
[[nodiscard]] std::vector<KnownRank> known_ranks(const Capture& capture);

/// Returns the ranks that have tasks, and how many ranks each of them stands for: itself and its copies. O(ranks log
/// lanes + lanes log lanes).
[[nodiscard]] std::map<Rank, std::uint32_t> rank_classes(const Dag& dag);

/// Returns the number of ranks that take part in the largest collective; 0 if there is none. O(collectives).
[[nodiscard]] std::size_t largest_group(const Dag& dag) noexcept;

}  // namespace stepsim

#endif
