#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_OPERATORS_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_OPERATORS_H

#include "ingest/stitch/parameter_server/tasks.h"

namespace stepsim::ingest {

/// Adds the steps of all GPUs, their operators' tasks, and the edges between these: program order
/// within a row, and data from the last run of each input before. A step with less than 90 % of the
/// operators or chains of the fullest one was cut by the capture: it is kept, marked as not whole,
/// and counted. Fills tasks.step_index and tasks.operator_task.
void add_operators(PsTasks& tasks);

}  // namespace stepsim::ingest

#endif
