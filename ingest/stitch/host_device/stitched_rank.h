#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_STITCHED_RANK_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_STITCHED_RANK_H

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/collectives.h"
#include "ingest/stitch/host_device/device_tasks.h"
#include "ingest/stitch/host_device/host_threads.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// The tasks that one rank's events became.
struct StitchedRank {
  DeviceTasks device;
  std::unordered_map<std::uint32_t, TaskId> host_collectives;  ///< by event

  /// Returns the task of this rank's part of a collective; invalid if it has none.
  [[nodiscard]] TaskId task_of(const CollectiveUse& use) const noexcept;
};

/// Adds the tasks, edges, steps, gradients and operators of one rank to `assembly`, and counts in its diagnostics what
/// was inferred or not found. Completes `events`: clips small overlaps of device work, and sets launch times and
/// computing operators.
[[nodiscard]] StitchedRank stitch_rank(RankEvents& events, const RankIdentity& identity, Assembly& assembly);

/// Adds a rank's steps to `assembly`, and sets the step indices of its tasks, which are those from `first_task` on. A
/// step begins with the first task of the main thread in its window, else with the earliest task that belongs to it. If
/// events.steps is empty, the rank gets one step with the number 0 over all time, which is also added to events.steps.
///
/// A marked step that was not recorded completely, such as a first step that the capture cuts off, is kept and marked
/// as not whole (whole_steps()).
void add_steps(RankEvents& events, const std::vector<HostThread>& threads, Rank rank, std::size_t first_task,
               Assembly& assembly);

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
/// * a step that launched device work that mend_device_times() left out.
///
/// Counts lost kernels as "lost_kernels". O(events).
[[nodiscard]] std::vector<bool> whole_steps(const RankEvents& events, const std::vector<std::size_t>& tasks,
                                            Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
