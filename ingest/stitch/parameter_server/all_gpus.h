#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_ALL_GPUS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_ALL_GPUS_H

#include <vector>

#include "ingest/stitch/parameter_server/gpu_parts.h"
#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/base/diagnostics.h"
#include "model/job/job.h"

namespace stepsim::ingest {

/// Arranges what the files of each GPU hold, in the order of `parts`. GPUs without operators take the numbers of steps
/// from those that have some. Precondition: each of `parts` holds stages or operators.
[[nodiscard]] std::vector<RecordedGpu> arrange_gpus(const std::vector<GpuParts>& parts, const Job& job,
                                                    Diagnostics& diagnostics);

/// Numbers the ranks over the workers, `job.local_size` or as many as the largest worker has to each.
void number_ranks(std::vector<RecordedGpu>& gpus, const Job& job);

}  // namespace stepsim::ingest

#endif
