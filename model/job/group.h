#ifndef STEPSIM_MODEL_JOB_GROUP_H
#define STEPSIM_MODEL_JOB_GROUP_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/job/cluster.h"
#include "model/job/dag.h"

// Who takes part in a collective, and where these ranks run. Not all of them have to be captured: the tasks of a
// rendezvous are those of the captured ranks, and its group has all of them.
namespace stepsim {

/// Groups of which ranks were not captured are simulated up to this size. The collectives of larger ones keep their
/// recorded duration, because a simulation of them would take more time than it is worth.
inline constexpr std::uint32_t kMostAbsentMembers = 64;

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

/// True if all ranks that take part in a collective were captured. O(1).
[[nodiscard]] bool is_whole(const Dag& dag, RendezvousId rendezvous) noexcept;

/// True if all ranks that take part in any collective were captured. O(collectives).
[[nodiscard]] bool has_all_members(const Dag& dag) noexcept;

/// Returns the members of a collective in order of rank. Members that were not captured run on the endpoints of the
/// ranks that the group lists. If it lists none and one member was captured, they are assumed to run on the
/// neighbouring endpoints: a group of n ranks on n consecutive endpoints from a multiple of n, or on the last n
/// endpoints. Returns nothing if it lists none and several members, but not all, were captured. O(members log members).
[[nodiscard]] std::vector<Member> members_of(const Dag& dag, RendezvousId rendezvous, const Cluster& cluster);

/// True if a simulation of the collective can include all its members: they were captured, or members_of() knows the
/// others and the group has at most kMostAbsentMembers. O(1).
[[nodiscard]] bool can_simulate_members(const Dag& dag, RendezvousId rendezvous) noexcept;

/// Returns the number of ranks that take part in the largest collective; 0 if there is none. O(collectives).
[[nodiscard]] std::size_t largest_group(const Dag& dag) noexcept;

}  // namespace stepsim

#endif
