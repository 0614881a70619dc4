#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_STITCHED_RANK_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_STITCHED_RANK_H

#include <cstdint>
#include <unordered_map>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/collectives.h"
#include "ingest/stitch/host_device/device_tasks.h"
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

}  // namespace stepsim::ingest

#endif
