#ifndef STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_OPERATORS_H
#define STEPSIM_MODEL_REWRITE_PARAMETER_SERVER_OPERATORS_H

#include "model/rewrite/parameter_server/job_graph.h"

namespace stepsim {

// Only build.cpp uses these.

/// Adds this step's operators, with what they wait for of this step and the one before.
void add_operators(PsJobGraph& graph);
/// Lets this step's update operators wait for its tensors.
void let_updates_wait(PsJobGraph& graph);

}  // namespace stepsim

#endif
