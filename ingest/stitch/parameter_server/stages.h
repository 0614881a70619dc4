#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_STAGES_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_STAGES_H

#include "ingest/stitch/parameter_server/tasks.h"

namespace stepsim::ingest {

/// Adds a task for each stage of each chain and, within a GPU, the edges from one stage to the next,
/// from the operator that releases a tensor to its first stage, and from its last stage to the
/// operators that wait for it. PULL is joined to PUSH later, by join_transfers().
/// Update operators wait in the same step, others in the next. Fills tasks.stage_task, tasks.chain_of and
/// tasks.serial_lanes. add_operators() has run.
void add_stages(PsTasks& tasks);

}  // namespace stepsim::ingest

#endif
