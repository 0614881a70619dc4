#ifndef STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TENSOR_USES_H
#define STEPSIM_INGEST_STITCH_PARAMETER_SERVER_TENSOR_USES_H

#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "ingest/stitch/parameter_server/tensor_nodes.h"

namespace stepsim::ingest {

/// Finds which operators produce and consume each tensor of `gpu`, and completes the operators'
/// inputs. Three sources, in this order:
///
/// * the inputs of operator events, which `gpu` has already;
/// * dag.gml (`graph`; null if there is none), which also gives inputs to operators whose events name none;
/// * naming, for tensors without a producer or consumer: "x_weight" comes from "BW.x", and UPDATE
///   operators wait for it behind a global barrier, else "FW.x".
///
/// Only operators that ran are entered. O(operators * inputs + edges of the graph).
void find_tensor_uses(RecordedGpu& gpu, const TensorNodes& nodes, const OperatorGraph* graph, Barrier barrier);

}  // namespace stepsim::ingest

#endif
