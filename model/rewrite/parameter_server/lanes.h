#ifndef STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_LANES_H
#define STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_LANES_H

#include "model/rewrite/parameter_server/job_graph.h"

namespace stepsim {

/// Adds the GPUs with their lanes, the connections and the servers' threads. Only build.cpp uses it.
void add_lanes(PsJobGraph& graph);

}  // namespace stepsim

#endif
