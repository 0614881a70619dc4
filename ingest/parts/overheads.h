#ifndef STEPSIM_INGEST_PARTS_OVERHEADS_H
#define STEPSIM_INGEST_PARTS_OVERHEADS_H

#include <vector>

#include "ingest/parts/part.h"
#include "model/job/overhead_use.h"

namespace stepsim::ingest {

/// What the profiler told of its own and CUDA's work beside the program's, by kind: the longest in all first.
/// O(n log n).
[[nodiscard]] std::vector<OverheadUse> overhead_uses(const HostDeviceTrace& trace);

}  // namespace stepsim::ingest

#endif
