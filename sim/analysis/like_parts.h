#ifndef STEPSIM_SIM_ANALYSIS_LIKE_PARTS_H
#define STEPSIM_SIM_ANALYSIS_LIKE_PARTS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/job/recording.h"

namespace stepsim::sim {

/// Calls its argument for each fact about a task that is not in the capture but that a replay depends on.
using TaskFacts = std::function<void(TaskId task, const std::function<void(std::int64_t)>& add)>;

/// Divides the parts of a job into classes of like parts, and returns them with their parts in ascending order; a class
/// has the place of its first part. `part_of_rank` returns the part of a rank, or `parts` for a rank that is in none.
///
/// Two parts are alike if exchanging their tasks, in order, changes nothing: neither durations, lanes, steps, edges,
/// collectives with other parts, nor `facts`. What is replayed with other durations in one part therefore takes as long
/// as with these durations in the other. A part with edges to or from other ranks is like no other. So is every part of
/// a capture with queues, where the numbers of tasks decide between equal times. O(tasks + edges), and O(tasks of a
/// part) of memory besides 12 bytes for each task.
[[nodiscard]] std::vector<std::vector<std::size_t>> like_parts(const Capture& capture, std::size_t parts,
                                                               const std::function<std::size_t(Rank)>& part_of_rank,
                                                               const TaskFacts& facts);

}  // namespace stepsim::sim

#endif
