#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_WHOLE_STEPS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_WHOLE_STEPS_H

#include <cstddef>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// Returns for each step of a rank, by index into events.steps, whether the recording has all its work. `tasks` has the
/// number of tasks of each step. These steps are not whole:
///
/// * the first or the last step, if it has less than a quarter of the median number of tasks of the other steps;
/// * a step in which more than 1 % of the kernel launches have no kernel. Complete captures lack no kernels, but a step
///   remains useful if a profiler drops a record now and then. Kernels launched after the last recorded one had not run
///   when the recording ended: they make their step incomplete, but do not count as lost;
/// * after a truncated file ("truncated_file" in `diagnostics`): a step that lacks more than 1 % of the device work of
///   a full step. For each name of device work, a full step has as many pieces as the step that has the most of them.
///   Launches do not show what is missing in a truncated file: a profiler may write device work after all host events,
///   or launches next to their kernels, so that both are lost.
///
/// Counts lost kernels as "lost_kernels". O(events).
[[nodiscard]] std::vector<bool> whole_steps(const RankEvents& events, const std::vector<std::size_t>& tasks,
                                            Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
