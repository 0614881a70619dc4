#ifndef STEPSIM_MODEL_JOB_COPIES_H
#define STEPSIM_MODEL_JOB_COPIES_H

#include <map>
#include <utility>
#include <vector>

#include "model/job/cluster.h"
#include "model/job/dag.h"

namespace stepsim {

/// Returns the group that lists the copies of all ranks: the largest one that lists any (Group::copy_of). Null if no
/// rank is a copy. O(groups).
[[nodiscard]] const Group* group_with_copies(const Dag& dag) noexcept;

/// Where the copies of ranks run. Copies have no tasks, so they send no messages. But groups of copies do the same at
/// the same time as the group of their originals: each of eight tensor-parallel ranks of a host reduces its gradients
/// with the same rank of other hosts, and all eight share the host's NIC.
class PlacedCopies {
 public:
  /// Keeps references to both. O(groups).
  PlacedCopies(const Dag& dag, const Cluster& cluster) : all_(group_with_copies(dag)), cluster_(cluster) {}

  /// Returns how many times as long a message from a member of a group to the next one on another host takes, because
  /// the groups of copies send theirs over the same links at the same time; 1 if they share none. Of several such
  /// messages, the slowest counts. O(members * copies on a host * links of a route), and O(1) for a group of all ranks;
  /// the first call for another group also takes O(ranks log ranks).
  [[nodiscard]] double crowding(const std::vector<EndpointId>& members);

 private:
  using Place = std::pair<HostId, Rank>;  ///< a host and the rank whose copies run there

  void place();
  [[nodiscard]] double crowding_between(EndpointId from, EndpointId to, std::size_t groups) const;
  [[nodiscard]] Place place_of(EndpointId member) const;

  const Group* all_;
  const Cluster& cluster_;
  std::map<EndpointId, Rank> original_;              ///< what runs on an endpoint: a copy of this rank, or itself
  std::map<Place, std::vector<EndpointId>> copies_;  ///< in ascending order of rank
};

}  // namespace stepsim

#endif
