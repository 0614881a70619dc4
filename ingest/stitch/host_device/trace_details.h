#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_TRACE_DETAILS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_TRACE_DETAILS_H

#include "ingest/stitch/host_device/device_tasks.h"
#include "ingest/stitch/host_device/rank_events.h"
#include "model/job/trace_details.h"

namespace stepsim::ingest {

/// Appends a rank's calls on host threads, which of them launched which task of `tasks`, and what was allocated to
/// `details`. Work that operators state themselves or
/// that follows from their shapes counts once, for the outermost operator that has some.
/// O(calls log calls).
void add_trace_details(const RankEvents& events, const DeviceTasks& tasks, Rank rank, TraceDetails& details);

}  // namespace stepsim::ingest

#endif
