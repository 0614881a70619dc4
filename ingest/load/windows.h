#ifndef STEPSIM_INGEST_LOAD_WINDOWS_H
#define STEPSIM_INGEST_LOAD_WINDOWS_H

#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/host_device.h"

namespace stepsim::ingest {

/// Joins the traces that are windows of one process: a profiler with a schedule that repeats writes one file a window.
/// They are those with the same process id, host and rank, none of which begins before the one before it has ended. The
/// pause between two windows is left out: all later events of the job move forward by it, so that ranks stay together.
/// What was joined is among the assumptions. O(events).
void join_windows(std::vector<RankTrace>& traces, Assembly& assembly);

/// The id of the process that recorded `trace`, as written; empty if it holds no host events.
[[nodiscard]] std::string process_of(const HostDeviceTrace& trace);

}  // namespace stepsim::ingest

#endif
