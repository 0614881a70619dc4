#ifndef STEPSIM_MODEL_REWRITE_DATA_PARALLEL_H
#define STEPSIM_MODEL_REWRITE_DATA_PARALLEL_H

#include "model/job/recording.h"

namespace stepsim {

/// The capture without the orders that only its recording decided, for network models under which
/// collectives take other times than recorded:
///
/// * Threads of a rank that do nothing but carry host collectives (gloo's) become one pool: a
///   collective is taken by whichever is free, in the order in which they were submitted: of each
///   there is a task of its own, "submitted", that takes no time. Which thread took it, after
///   which other one, was an outcome and is no edge any more.
/// * A task that waits for a collective also waits for all that its rank submitted before it, as a
///   loop over futures does. In the recording those had ended already, so no wait shows. What no
///   task of the step waits for, the next step waits for.
///
/// A collective whose submission was not recorded keeps its place after the one before it on
/// its thread. Other captures are returned as they are. O(tasks log tasks + edges).
[[nodiscard]] Capture under_models(Capture capture);

}  // namespace stepsim

#endif
