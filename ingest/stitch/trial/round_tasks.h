#ifndef STEPSIM_INGEST_STITCH_TRIAL_ROUND_TASKS_H
#define STEPSIM_INGEST_STITCH_TRIAL_ROUND_TASKS_H

#include <vector>

#include "ingest/stitch/parameter_server/tasks.h"
#include "ingest/stitch/trial/ring.h"
#include "ingest/stitch/trial/rounds.h"

namespace stepsim::ingest {

/// Adds the tasks of all rounds that have a step, and their edges. `rounds` is by GPU, as tasks.gpus; add_operators()
/// has run.
///
/// On each rank a round is its agreement, what comes before the transfer, the transfer, and the copy out of the fusion
/// buffer, each after the one before. The operators that make its tensors come before it, those that use them after.
/// The ranks' agreements, and transfers of which no chunks are known, are meetings: none ends before all have begun.
///
/// Of chunks, what a rank receives comes after what its sender in the ring sent, and what it sends in one step of the
/// ring after what it received in the step before. Where no two chunks of a rank overlap, or no two of one direction,
/// they took turns, in the recorded order. What was recorded to begin before that which it waits for had ended, was
/// waiting until then.
void add_rounds(PsTasks& tasks, const std::vector<GpuRounds>& rounds, const Rings& rings);

}  // namespace stepsim::ingest

#endif
