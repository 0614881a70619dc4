#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_WHOLE_STEPS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_WHOLE_STEPS_H

#include <cstddef>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// Which steps of a rank hold all their work, by index into events.steps. `tasks` says how many tasks each has. Not
/// whole are
///
/// * the first and the last step, if it has less than a quarter of the tasks of the others' median;
/// * a step of whose kernel launches more than 1 % have no kernel. Whole captures lack none, but a profiler that drops
///   a record now and then does not make a step useless. What was launched after the last kernel that was recorded had
///   not run when the recording ended: its step is cut, but nothing was lost;
/// * after a file that was cut off ("truncated_file" in `diagnostics`): a step that lacks more than 1 % of the device
///   work that steps have, for each name as much as the step with most of it. A profiler may write a step's device
///   work anywhere behind all host events, and launches beside their kernels.
///
/// Counts kernels that were lost as "lost_kernels". O(events).
[[nodiscard]] std::vector<bool> whole_steps(const RankEvents& events, const std::vector<std::size_t>& tasks,
                                            Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
