#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_ANNOTATION_USES_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_ANNOTATION_USES_H

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/device_tasks.h"
#include "ingest/stitch/host_device/rank_events.h"

namespace stepsim::ingest {

/// Enters in assembly.annotations the annotations and modules around the call that launched each task of device work,
/// on the thread of that call. O(events + device work * nesting).
void add_annotation_uses(const RankEvents& events, const DeviceTasks& tasks, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
