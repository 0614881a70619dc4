#ifndef STEPSIM_SIM_ANALYSIS_LONGEST_PATH_H
#define STEPSIM_SIM_ANALYSIS_LONGEST_PATH_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/engine/timeline.h"

/// What GPUs and workers would take if they waited for nobody else: the longest path of the graph restricted to their
/// tasks, as ByteProfile's `critical` has it. A task counts with what it took in the replay, without what it waited
/// for, an edge with its lag; on a lane with a queue tasks go in the order of the replay; a collective among them
/// begins when the last of its members among them is there. What a path takes less than the job's critical path is
/// waiting for others.
namespace stepsim::sim {

/// By task: the set that it belongs to, from 0.
using TaskSets = std::vector<std::int32_t>;
inline constexpr std::int32_t kInNoSet = -1;
inline constexpr std::int32_t kServesAll = -2;  ///< a server's task: a path may lead through it and back into its set

/// The longest path within each set. Of paths as long as each other that through the tasks with the smaller ids.
/// Lags and servers' tasks are `wait`; queueing is not told from work. O(tasks log tasks + edges), times sets for
/// servers' tasks. Precondition: `timeline` is of `dag`.
[[nodiscard]] std::vector<CriticalPath> longest_paths(const Dag& dag, const Timeline& timeline, const TaskSets& set_of,
                                                      std::size_t sets);

/// A part of the job and its longest path.
struct PartPath {
  std::string host;         ///< of its first rank; empty if unknown
  std::vector<Rank> ranks;  ///< ascending
  CriticalPath path;
};

struct PartPaths {
  std::int64_t step = -1;         ///< all paths are within the step of this number; -1: the job has none
  std::vector<PartPath> gpus;     ///< by rank
  std::vector<PartPath> workers;  ///< one a host, by its first rank; empty if there is one, or no host has two ranks
};

/// The paths of the ranks and hosts of a job with several, within the step that `path` is mostly in; nothing for a job
/// of one rank. O(tasks + edges).
[[nodiscard]] PartPaths part_paths(const Capture& capture, const Timeline& timeline, const CriticalPath& path);

}  // namespace stepsim::sim

#endif
