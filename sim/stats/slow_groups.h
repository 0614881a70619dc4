#ifndef STEPSIM_SIM_STATS_SLOW_GROUPS_H
#define STEPSIM_SIM_STATS_SLOW_GROUPS_H

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/base/id.h"
#include "sim/stats/collective_rows.h"

// Which links are slower than their siblings?
//
// The siblings of a group are the groups with the same operation, payload, number of ranks and number of hosts, for
// example the data-parallel groups of a job with tensor parallelism, or the pairs of a pipeline. All of them should
// take the same time, which the slowest of a group's links determines. The typical time of siblings is the lower median
// of their median times, so it is that of a normal group as long as at most half of them are slow. A transfer is slow
// if it takes kSlowFactor times the typical time or more, and longer by more than the clocks of its hosts may be wrong.
// A group is slow if kSlowShare of its transfers are, so that neither an outlier nor a moment of other traffic counts.
//
// The cause is what the slow groups have in common and no normal group of the same layout has: a rank, or else a host.
namespace stepsim::sim {

inline constexpr double kSlowFactor = 1.25;
inline constexpr double kSlowShare = 0.75;
/// The least number of siblings, the group itself included: of two, either can be the normal one.
inline constexpr std::size_t kFewestSiblings = 3;
/// The least number of a group's transfers.
inline constexpr std::size_t kFewestTransfers = 4;

/// A group that is slower than its siblings.
struct SlowGroup {
  std::string group;          ///< as in CollectiveRow
  std::vector<Rank> ranks;    ///< ascending
  std::size_t slow = 0;       ///< number of slow transfers
  std::size_t transfers = 0;  ///< number of transfers that have siblings
  std::size_t siblings = 0;   ///< number of other groups with the same layout
  double factor = 1;          ///< the median of its transfers' times relative to the typical time of siblings
};

/// The slow groups of one layout, and what they have in common.
struct SlowGroups {
  std::vector<SlowGroup> groups;
  std::optional<Rank> rank;  ///< the only rank that is in all of them and in no normal group
  std::string host;          ///< the same for hosts, if there is no such rank; may be empty
};

/// The comparison of all groups with their siblings.
struct SiblingComparison {
  std::size_t groups = 0;        ///< number of groups that have enough siblings
  std::vector<SlowGroups> slow;  ///< one entry for each number of ranks and hosts that has slow groups
};

/// Compares the groups of which all ranks were captured. O(transfers log transfers).
[[nodiscard]] SiblingComparison compare_siblings(const std::vector<CollectiveRow>& rows,
                                                 const std::map<Rank, std::string>& hosts);

}  // namespace stepsim::sim

#endif
