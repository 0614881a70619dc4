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

}  // namespace stepsim::ingest

#endif
