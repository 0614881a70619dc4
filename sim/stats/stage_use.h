#ifndef STEPSIM_SIM_STATS_STAGE_USE_H
#define STEPSIM_SIM_STATS_STAGE_USE_H

#include <string>
#include <vector>

#include "sim/stats/distribution.h"
#include "sim/stats/measured_work.h"

namespace stepsim::sim {

/// How long partitions waited for a stage of their communication, and how long the stage took (BytePS).
///
/// A partition is queued for a stage from the end of its previous stage until the stage's thread takes it. For the
/// first stage the queueing begins with the end of the last operator that produced the tensor. A stage's time is as
/// BytePS records it: for a pull it includes the wait until the server has the tensor from the slowest worker.
struct StageUse {
  std::string stage;    ///< for example "PUSH"
  Distribution queued;  ///< times in the queue, only of stages whose queueing start is known
  Distribution worked;
  Distribution in_line;  ///< the part of `worked` in which other messages used the same link before it
  Distribution waiting;  ///< the part of `worked` before the last worker's push of the partition ended; PULL only
};

/// Returns the stages in pipeline order; empty for other jobs. O(tasks + edges + stages log stages).
[[nodiscard]] std::vector<StageUse> stage_use(const MeasuredWork& work);

}  // namespace stepsim::sim

#endif
