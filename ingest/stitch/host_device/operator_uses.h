#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_OPERATOR_USES_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_OPERATOR_USES_H

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/device_tasks.h"
#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// Enters in assembly.operators which operator each task of device work belongs to: of those around
/// the launching call, the innermost whose shapes were recorded. Does nothing where no shapes were
/// recorded. Operators and occurrences are numbered on from those of the ranks before.
/// O(events log events).
void add_operator_uses(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
