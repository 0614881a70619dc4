#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_CLOCKS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_CLOCKS_H

#include <vector>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/base/diagnostics.h"
#include "model/job/job.h"
#include "model/job/recording.h"

namespace stepsim::ingest {

/// One clock a worker, by worker, against worker 0's.
///
/// A server answers a key when every worker's push of it has arrived. So a worker's PULL ends
/// after each other worker's push of that key and step had arrived: an upper bound on how far
/// the other's clock is ahead, and the same pair the other way round a lower one. A push had
/// arrived by its acknowledgement, where that did not come right behind an answer it may have
/// waited for, else only its beginning is certain.
///
/// Where the bounds allow equal clocks they are taken as equal: a worker that runs behind the
/// others and a clock that is ahead look alike (docs/architecture.md). Where they do not, the
/// middle of the bounds is taken. `residual` is how far off that may still be; it is 0 for
/// worker 0. O(events log events).
[[nodiscard]] std::vector<HostClock> align_worker_clocks(const std::vector<RecordedGpu>& gpus, const Job& job,
                                                         Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
