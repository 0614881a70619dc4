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

/// What a rank cost the others: for each collective in which it arrived last, how long the others had
/// waited for it. Ranks that arrive last at the same nanosecond share that; if all do, nobody held anybody up.
struct Straggler {
  Rank rank = 0;
  Duration each{};              ///< waiting of one of the others, on average, summed over collectives
  std::size_t last_in = 0;      ///< collectives of several ranks in which it was last
  std::size_t collectives = 0;  ///< collectives of several ranks that it took part in
};

/// Every rank that takes part in a collective of several ranks, the costliest first.
[[nodiscard]] std::vector<Straggler> stragglers(const Dag& dag, const Timeline& timeline);

/// What to look at first in a replay. Pointers lead into what it was made from.
struct WhereToLook {
  /// The name that takes most of the path's time in one class; of equal ones the first in the alphabet.
  struct Name {
    std::string_view name;
    Duration time{};
    std::size_t tasks = 0;
  };
  struct QueueingLane {
    LaneId lane;
    Duration time{};
  };
  PathClass largest_class = PathClass::kWait;   ///< of the path
  Name longest_name;                            ///< of that class, unless it is queueing or waiting
  const PathTask* longest_wait = nullptr;       ///< where the largest class is waiting
  const PathTask* late_start = nullptr;         ///< the first task, if its rank begins late
  const Straggler* straggler = nullptr;         ///< the worst, if it costs enough
  std::optional<QueueingLane> queueing;         ///< where the path queues longest, if it queues enough
  const RankBreakdown* most_exposed = nullptr;  ///< the rank with most exposed communication; null: none is
};

/// The share of a path from which a part of it is worth looking at.
inline constexpr double kWorthALook = 0.02;

/// Nothing if the path is empty.
[[nodiscard]] std::optional<WhereToLook> where_to_look(const Dag& dag, const Summary& summary, const CriticalPath& path,
                                                       const std::vector<Straggler>& stragglers);

}  // namespace stepsim::sim

#endif
