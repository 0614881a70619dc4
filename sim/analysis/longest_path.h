#ifndef STEPSIM_SIM_ANALYSIS_LONGEST_PATH_H
#define STEPSIM_SIM_ANALYSIS_LONGEST_PATH_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/engine/timeline.h"

/// How long GPUs and workers would take if they did not wait for others: the longest path of the graph restricted to
/// their tasks, as in ByteProfile's `critical`. The length of a path is the sum of its tasks' replayed times without
/// waiting and of its edges' lags. Tasks on a lane with a queue keep the order of the replay. A collective begins when
/// the last of its members in the set has arrived. The difference to the job's critical path is time spent waiting for
/// others.
namespace stepsim::sim {

/// The set of each task, by TaskId; sets are numbered from 0.
using TaskSets = std::vector<std::int32_t>;
inline constexpr std::int32_t kInNoSet = -1;
inline constexpr std::int32_t kServesAll = -2;  ///< a server's task; a path may lead through it and back into its set

/// Returns the longest path within each set; for ties the one through the tasks with the smaller ids. Lags and servers'
/// tasks count as `wait`, queueing as work. O(tasks log tasks + edges), plus the number of sets for each server's task.
/// Precondition: `timeline` is a replay of `dag`.
[[nodiscard]] std::vector<CriticalPath> longest_paths(const Dag& dag, const Timeline& timeline, const TaskSets& set_of,
                                                      std::size_t sets);

/// A rank or a host of the job, and its longest path.
struct PartPath {
  std::string host;         ///< host of the first rank; empty if unknown
  std::vector<Rank> ranks;  ///< ranks, ascending
  CriticalPath path;
};

struct PartPaths {
  std::int64_t step = -1;         ///< number of the step that contains all paths; -1 if the job has none
  std::vector<PartPath> gpus;     ///< sorted by rank
  std::vector<PartPath> workers;  ///< one per host; empty for a single host, or if no host has two ranks
};

/// Returns the paths of the ranks and hosts of a job, within the step that contains most of `path`'s time; nothing for
/// a job of one rank. O(tasks + edges).
[[nodiscard]] PartPaths part_paths(const Capture& capture, const Timeline& timeline, const CriticalPath& path);

}  // namespace stepsim::sim

#endif
