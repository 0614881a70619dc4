#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_KERNEL_LAUNCHES_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_KERNEL_LAUNCHES_H

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/device_tasks.h"
#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// Enters in assembly.launches how each kernel was launched. Does nothing where that was not recorded. Launches are
/// numbered on from those of the ranks before. O(ops + kernels with a launch).
void add_kernel_launches(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
