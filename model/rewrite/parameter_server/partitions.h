#ifndef STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_PARTITIONS_H
#define STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_PARTITIONS_H

#include "model/rewrite/parameter_server/job_graph.h"

namespace stepsim {

/// Adds this step's partitions of one tensor, from the GPUs over the servers and back. Only build.cpp
/// uses it.
void add_partitions(PsJobGraph& graph, const PsCut& cut);

}  // namespace stepsim

#endif
