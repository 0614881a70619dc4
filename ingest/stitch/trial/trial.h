#ifndef STEPSIM_INGEST_STITCH_TRIAL_TRIAL_H
#define STEPSIM_INGEST_STITCH_TRIAL_TRIAL_H

#include <optional>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/parameter_server/gpu_parts.h"
#include "model/job/job.h"

namespace stepsim::ingest {

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
