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

/// What one rank's events became.
struct StitchedRank {
  DeviceTasks device;
  std::unordered_map<std::uint32_t, TaskId> host_collectives;  ///< by event

  /// The task of this rank's part of a collective; invalid if it became none.
  [[nodiscard]] TaskId task_of(const CollectiveUse& use) const noexcept;
};

/// Adds the tasks, edges, steps, gradients and operators of one rank to `assembly`, and counts in its
/// diagnostics what had to be inferred or could not be found. Completes `events`: small overlaps of
/// device work are clipped, launch times and computing operators are entered.
[[nodiscard]] StitchedRank stitch_rank(RankEvents& events, const RankIdentity& identity, Assembly& assembly);

/// Adds a rank's steps to `assembly`, and makes the step indices of its tasks, which are those from
/// `first_task` on, point at them. A step begins with the first task of the main thread in its
/// window, else with the earliest task that belongs to it. A rank without step marks has one step
/// 0 over all time, which is entered in events.steps too.
///
/// The first or last step with less than a quarter of the tasks of the other steps' median was cut
/// by the capture: it is kept and marked as not whole.
void add_steps(RankEvents& events, const std::vector<HostThread>& threads, Rank rank, std::size_t first_task,
               Assembly& assembly);

}  // namespace stepsim::ingest

#endif
