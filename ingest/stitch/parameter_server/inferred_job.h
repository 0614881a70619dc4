#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_INFERRED_JOB_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_INFERRED_JOB_H

#include <vector>

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/base/assumption.h"
#include "model/job/job.h"

namespace stepsim::ingest {

/// `given`, with what it leaves open taken from the recording: the number of GPUs per worker, and
/// the smallest number of servers, up to 64, for which each connection acknowledges pushes in the
/// order in which it got them. States the servers in `assumptions`; without an answer
/// Job::servers stays empty. O(servers * pushes log servers).
[[nodiscard]] Job with_inferred_settings(const Job& given, const std::vector<RecordedGpu>& gpus,
                                         Assumptions& assumptions);

}  // namespace stepsim::ingest

#endif
