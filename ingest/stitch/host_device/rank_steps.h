#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_RANK_STEPS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_RANK_STEPS_H

#include <cstddef>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/host_thread.h"
#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

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
