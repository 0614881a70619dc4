#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TENSOR_USES_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TENSOR_USES_H

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "ingest/stitch/parameter_server/tensor_nodes.h"

namespace stepsim::ingest {

/// Finds which operators produce and consume each tensor of `gpu`, and completes the operators'
/// inputs. Three sources, in this order:
///
/// * the inputs of operator events, which are there already;
/// * dag.gml (`graph`; null if there is none): for operators whose events name no inputs;
/// * naming: the tensor "x_weight" comes from "BW.x". It is needed by the step's UPDATE operators
///   behind a global barrier, else by "FW.x" of the next step.
///
/// Only operators that ran are entered. O(operators * inputs + edges of the graph).
void find_tensor_uses(RecordedGpu& gpu, const TensorNodes& nodes, const OperatorGraph* graph, Barrier barrier);

}  // namespace stepsim::ingest

#endif
