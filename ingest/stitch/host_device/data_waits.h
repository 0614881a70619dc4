#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_DATA_WAITS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_DATA_WAITS_H

#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "ingest/stitch/host_device/stream_waits.h"

namespace stepsim::ingest {

/// Finds which device work waits for work of other streams because it uses memory that this wrote: by an execution
/// trace that was joined to the trace (storage_uses), else nothing. A kernel's memory is that of the innermost operator
/// around its launch that has tensors; a collective's that of all of its process group's calls around it. Of what was
/// written on one stream only the last counts, and what the stream has waited for before is left out, as is what the
/// recorded times contradict. O(launches * depth + uses log uses).
[[nodiscard]] std::vector<StreamWait> data_waits(const RankEvents& events);

}  // namespace stepsim::ingest

#endif
