#ifndef STEPSIM_SIM_ANALYSIS_WHERE_TO_LOOK_H
#define STEPSIM_SIM_ANALYSIS_WHERE_TO_LOOK_H

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "model/job/dag.h"
#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/summary.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// How long the other ranks waited for one rank: the sum of their waits in each collective in which it arrived last.
/// Ranks that arrive last at the same nanosecond share the waits; if all ranks do, nobody waited.
struct Straggler {
  Rank rank = 0;
  Duration each{};              ///< average wait of one other rank, summed over collectives
  std::size_t last_in = 0;      ///< collectives of several ranks in which it was last
  std::size_t collectives = 0;  ///< collectives of several ranks that it took part in
};

/// Returns every rank that takes part in a collective of several ranks. The rank that others waited for longest comes
/// first.
[[nodiscard]] std::vector<Straggler> stragglers(const Dag& dag, const Timeline& timeline);

/// The findings of a replay to look at first. Keeps pointers into the objects it was made from.
struct WhereToLook {
  /// The task name that takes most of the path's time in one class; for ties the first in alphabetical order.
  struct Name {
    std::string_view name;
    Duration time{};
    std::size_t tasks = 0;
  };
  struct QueueingLane {
    LaneId lane;
    Duration time{};
  };
  PathClass largest_class = PathClass::kWait;  ///< largest class of the path
  Name longest_name;  ///< the name that takes most time in that class; not set if the class is queueing or waiting
  const PathTask* longest_wait = nullptr;       ///< set if the largest class is waiting
  const PathTask* late_start = nullptr;         ///< the first task, if its rank begins late
  const Straggler* straggler = nullptr;         ///< the rank that others waited for longest, if clearly
  std::optional<QueueingLane> queueing;         ///< the lane on which the path queues longest, if that is long enough
  const RankBreakdown* most_exposed = nullptr;  ///< the rank with most exposed communication; null if there is none
};

/// The smallest share of a path that is worth looking at.
inline constexpr double kWorthALook = 0.02;

/// Returns the first task of a path that begins before the task's rank has started; null for other paths, and if the
/// wait is not worth looking at. Precondition: the path has tasks.
[[nodiscard]] const PathTask* late_start_on(const CriticalPath& path);

/// Returns the findings to look at first; nothing if the path is empty.
[[nodiscard]] std::optional<WhereToLook> where_to_look(const Dag& dag, const Summary& summary, const CriticalPath& path,
                                                       const std::vector<Straggler>& stragglers);

}  // namespace stepsim::sim

#endif
