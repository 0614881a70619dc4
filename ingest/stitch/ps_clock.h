#ifndef STEPSIM_INGEST_STITCH_PS_CLOCK_H
#define STEPSIM_INGEST_STITCH_PS_CLOCK_H

#include <vector>

#include "ingest/stitch/gpu_plan.h"
#include "model/diagnostics.h"
#include "model/recording.h"

namespace stepsim::ingest {

/// One clock a worker, by worker, against worker 0's, from requests and answers: nobody has
/// the sum of a key before everybody has begun to push it.
[[nodiscard]] std::vector<HostClock> align_worker_clocks(const std::vector<GpuPlan>& gpus, Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
