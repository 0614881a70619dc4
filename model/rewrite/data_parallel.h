#ifndef STEPSIM_MODEL_REWRITE_DATA_PARALLEL_H
#define STEPSIM_MODEL_REWRITE_DATA_PARALLEL_H

#include "model/job/recording.h"

namespace stepsim {

/// Removes orderings that only reflect how the capture happened to run. This is needed for network models, because
/// collectives then take different times than recorded:
///
/// - The threads of a rank that only carry host collectives (gloo's) become one pool. Whichever thread is free takes
///   the next collective, in order of submission. Each submission becomes a task named "submitted" that takes no time.
///   Edges between collectives on one thread are removed.
/// - A task that waits for a collective also waits for all collectives that its rank submitted earlier, as a loop over
///   futures does. In the recording those had already ended, so no wait is visible. If no task of the step waits for a
///   collective, the next step does.
///
/// A collective whose submission was not recorded keeps its place after the previous one on its thread. Captures
/// without such threads are returned unchanged. O(tasks log tasks + edges).
[[nodiscard]] Capture under_models(Capture capture);

}  // namespace stepsim

#endif
