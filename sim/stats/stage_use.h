#ifndef STEPSIM_SIM_STATS_STAGE_USE_H
#define STEPSIM_SIM_STATS_STAGE_USE_H

#include <string>
#include <vector>

#include "sim/stats/distribution.h"
#include "sim/stats/measured_work.h"

namespace stepsim::sim {

/// How long partitions waited for a stage of their communication and how long they were in it (BytePS).
///
/// A partition is queued for a stage from the end of its stage before, for the first one from the end of the last
/// operator that its tensor came from, until the stage's thread takes it. A stage's time is as BytePS records it: a
/// pull's includes waiting until the server has the tensor from the slowest worker.
struct StageUse {
  std::string stage;    ///< "PUSH"
  Distribution queued;  ///< of those whose release is known
  Distribution worked;
  Distribution in_line;  ///< the part of `worked` in which other messages went before it over the same link
  Distribution waiting;  ///< the part of `worked` before the last worker's push of the partition had ended; PULL only
};

/// In the order of the pipeline; empty for other jobs. O(tasks + edges + stages log stages).
[[nodiscard]] std::vector<StageUse> stage_use(const MeasuredWork& work);

}  // namespace stepsim::sim

#endif
