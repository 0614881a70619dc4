#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_CLOCKS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_CLOCKS_H

#include <vector>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/base/diagnostics.h"
#include "model/job/job.h"
#include "model/job/recording.h"

namespace stepsim::ingest {

/// Returns the clock of each worker, by worker, against worker 0's.
///
/// A server answers a key when every worker's push of it has arrived. So a worker's PULL of a key
/// ends after the other worker's push of that key and step had arrived. That bounds how far one
/// clock may be ahead of the other; the same pair the other way round gives the other bound. When
/// had a push arrived? By its acknowledgement, unless that came within 1 ms after the end of a pull
/// from the same server, behind which it may have queued: then only the push's start is certain.
///
/// Where the bounds allow equal clocks, the clocks are taken as equal, because a worker that runs
/// behind the others and a worker whose clock is ahead look alike. Otherwise the middle of the
/// bounds is taken. `residual` is how far off the offset may still be; 0 for worker 0. A worker that
/// shares no key with worker 0 keeps offset 0 and is counted. O(events log events).
[[nodiscard]] std::vector<HostClock> align_worker_clocks(const std::vector<RecordedGpu>& gpus, const Job& job,
                                                         Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
