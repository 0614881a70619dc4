#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_LOCAL_GPUS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_LOCAL_GPUS_H

#include "ingest/stitch/parameter_server/tasks.h"

namespace stepsim::ingest {

/// Joins the GPUs of each worker. They work on a partition together: the root (the largest local
/// rank) waits for the others' signals, pushes and pulls, and the others wait for its result.
/// Adds REDUCE and BROADCAST of one partition to tasks.meetings. add_stages() has run.
void join_local_gpus(PsTasks& tasks);

}  // namespace stepsim::ingest

#endif
