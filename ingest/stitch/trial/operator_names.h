#ifndef STEPSIM_INGEST_STITCH_TRIAL_OPERATOR_NAMES_H
#define STEPSIM_INGEST_STITCH_TRIAL_OPERATOR_NAMES_H

#include <string>
#include <vector>

#include "ingest/stitch/parameter_server/gpu_parts.h"
#include "model/base/diagnostics.h"

namespace stepsim::ingest {

/// Turns what TensorFlow's profiler recorded on a GPU into operators that are called as dPRO calls them, and the GPU's
/// graph into one of the same names, for arrange_gpus(): FW.<op>, BW.<op>, UPDATE_.<op> and Comm.<tensor>.
///
/// The graph is dag.gml, if it has a node for one of the operators or tensors, else metadata.json, in which what reads
/// a reduced tensor is an update, and so is what follows it; of the others what TensorFlow's gradient code made is
/// backward. Operators in neither are told by their types and names, and counted.
///
/// `tensors` are the names that the communication has for its tensors. A node stands for tensor "1" if it is called so,
/// if it is the one of that number in the gradients' list, or if its name ends in that number. dPRO writes '_' for '.',
/// so these are equal in names. Sets parts.operators and parts.graph. O(operators * inputs).
void name_operators(GpuParts& parts, const std::vector<std::string>& tensors, Diagnostics& diagnostics);

}  // namespace stepsim::ingest

#endif
