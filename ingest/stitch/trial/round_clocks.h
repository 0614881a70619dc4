#ifndef STEPSIM_INGEST_STITCH_TRIAL_ROUND_CLOCKS_H
#define STEPSIM_INGEST_STITCH_TRIAL_ROUND_CLOCKS_H

#include <vector>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "ingest/stitch/trial/rounds.h"
#include "model/base/diagnostics.h"
#include "model/job/recording.h"

namespace stepsim::ingest {

/// Returns the clock of each worker, by worker, against that of the first GPU's worker: the median, over the rounds
/// that both had in the same step, of how much later the worker saw all ranks agree (Sync, else NEGOTIATE), which
/// happens everywhere at once; where nobody recorded that, of the rounds' ends. A worker's GPUs share one clock: their
/// mean counts.
///
/// No rank sees the agreement before another is ready for it. `residual` is how far these bounds allow the offset to be
/// off, `spread` the largest difference of a round from the median. A worker that shares no round with that one keeps
/// offset 0 and is counted. `rounds` is by GPU, as `gpus`. O(rounds log rounds).
[[nodiscard]] std::vector<HostClock> align_by_rounds(const std::vector<RecordedGpu>& gpus,
                                                     const std::vector<GpuRounds>& rounds, Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
