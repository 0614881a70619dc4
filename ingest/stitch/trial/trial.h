#ifndef STEPSIM_INGEST_STITCH_TRIAL_TRIAL_H
#define STEPSIM_INGEST_STITCH_TRIAL_TRIAL_H

#include <optional>
#include <string>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/parameter_server/recorded_gpu.h"
#include "model/base/diagnostics.h"
#include "model/job/job.h"

namespace stepsim::ingest {

/// Names operators and graph nodes for arrange_gpus(), as dPRO does: FW.<op>, BW.<op>, UPDATE_.<op> and Comm.<tensor>.
/// The operators are those that TensorFlow's profiler recorded on a GPU.
///
/// The graph is dag.gml if it has nodes, else it is built from metadata.json. Operators without a category in their
/// label are updates if they depend on a reduced tensor, directly or through others, or if their type applies a
/// gradient. Of the rest, operators made by TensorFlow's gradient code are backward, the others forward. Operators that
/// are not in the graph are classified by type and name only, and counted.
///
/// `tensors` are the tensor names that the communication uses. A node represents tensor "1" if its name is "1", if the
/// gradients' list has its name at that number, or if its name ends in that number. dPRO writes '_' for '.', so names
/// that differ only in these characters count as equal. Sets parts.operators and parts.graph. O(operators * inputs).
void name_operators(GpuParts& parts, const std::vector<std::string>& tensors, Diagnostics& diagnostics);

/// The contents of a trial, or of the folders with several ranks' Horovod timelines.
struct TrialParts {
  std::vector<GpuParts> gpus;  ///< each has events from TensorFlow, Horovod or NCCL
  // The members below are set only for a trial with BytePS.
  std::optional<MessageTrace> messages;
  std::optional<ServerTrace> servers;
  std::optional<KeyTable> keys;
};

/// Joins the GPUs of a trial into `assembly`: operators, then Horovod's rounds of reductions or BytePS's messages with
/// the work of its servers. Aligns the hosts' clocks. If no operators were recorded, opaque segments replace them:
/// tasks for the compute between two tensors. A BytePS worker's number is the one at the end of its folder's name.
void stitch_trial(TrialParts parts, const Job& job, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
