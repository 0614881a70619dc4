#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_PARAMETER_SERVER_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_PARAMETER_SERVER_H

#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/job/job.h"

namespace stepsim::ingest {

/// Joins the GPUs of a parameter-server job into `assembly`: their operators, the chain of stages of each partition in
/// each step, and the workers' clocks, aligned. Splits each PULL into waiting for others, which becomes edges, and the
/// transfer, which becomes its duration.
///
/// `job` has the values of job.yaml. Values that it lacks are inferred from the recording or assumed, and listed in
/// assembly.assumptions. Each of `gpus` has stages or operators. Also sets assembly.parameter_server, from which the
/// graph can be built for other settings.
void stitch_parameter_server(std::vector<GpuParts> gpus, const Job& job, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
