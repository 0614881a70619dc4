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

/// What a trial holds, or the folders of several ranks' Horovod timelines.
struct TrialParts {
  std::vector<GpuParts> gpus;  ///< each with events of TensorFlow, Horovod or NCCL
  // Of a trial with BytePS.
  std::optional<MessageTrace> messages;
  std::optional<ServerTrace> servers;
  std::optional<KeyTable> keys;
};

/// Joins the GPUs of a trial into `assembly`: operators; Horovod's reductions round by round, or BytePS's messages and
/// what its servers did; and the hosts' clocks, aligned. Where no operators were recorded, opaque segments stand for
/// them. A worker of BytePS is the folder whose name ends in its number.
void stitch_trial(TrialParts parts, const Job& job, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
