#ifndef STEPSIM_SIM_ANALYSIS_INSERTED_PERIOD_H
#define STEPSIM_SIM_ANALYSIS_INSERTED_PERIOD_H

#include <optional>

#include "model/base/units.h"
#include "model/job/dag.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// Compares the replays of two jobs, of which the second repeats some of the work of the first once more: a pipeline
/// with more microbatches. Returns by how much each further repetition makes the job longer, if all repetitions are
/// known to do the same; else nothing.
///
/// On each lane, the second job must have the tasks of the first at the same times, up to some task; then as many more
/// as the repetition has there, which the tasks before repeat; and then the rest of the first job's tasks, each later
/// by some time. That time is how much a task moves with each repetition. The replay of a job with more repetitions is
/// then the one in which each task moves as much again, because:
///
/// * No task waits for one that moves more than itself. A start is the largest of the times that it waits for, so the
///   one that set it before the last repetition moves as much, and no other can overtake it (Baccelli, Cohen, Olsder,
///   Quadrat, "Synchronization and Linearity", 1992, chapter 3).
/// * All kernels and collectives move by the same time, and so did those of the repetition before. So messages share
///   links with the same messages in each repetition, and run beside the same kernels. Other tasks, such as those of
///   the CPU, may move less, but take as long as before.
///
/// Lanes with queues have no answer. Precondition: lanes have equal ids in both jobs, and tasks of a lane are numbered
/// in their order. O(tasks + edges).
[[nodiscard]] std::optional<Duration> inserted_period(const Dag& before, const Timeline& times_before, const Dag& after,
                                                      const Timeline& times_after);

}  // namespace stepsim::sim

#endif
