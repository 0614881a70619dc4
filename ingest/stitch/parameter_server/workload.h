#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_WORKLOAD_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_WORKLOAD_H

#include "ingest/stitch/parameter_server/tasks.h"
#include "model/job/parameter_server/workload.h"

namespace stepsim::ingest {

/// What the job's graph can be built from anew, for other settings: what the GPUs did, without what
/// the network made of it. Steps that some GPU did not record whole are left out. Where something
/// is missing, PsWorkload::cannot_build says what. add_operators() has run.
[[nodiscard]] PsWorkload workload_of(const PsTasks& tasks);

}  // namespace stepsim::ingest

#endif
