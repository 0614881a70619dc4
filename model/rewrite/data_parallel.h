#ifndef STEPSIM_MODEL_REWRITE_DATA_PARALLEL_H
#define STEPSIM_MODEL_REWRITE_DATA_PARALLEL_H

#include "model/job/recording.h"

namespace stepsim {

/// The capture with what the recording decided for it left to the replay, for network models
/// under which collectives take other times than they were recorded to take:
///
/// * Threads of a rank that do nothing but carry host collectives (gloo's) become one pool: a
///   collective is taken by whichever is free, in the order in which they were submitted. Which
///   thread took it, after which other one, was an outcome and is no edge any more.
/// * Whoever waits for a collective waits for all that the rank submitted before it too, as a
///   loop over futures does. In the recording those had ended, and no wait was seen. What nobody
///   in its step was seen waiting for, the next step waits for.
///
/// A collective whose submission was not recorded keeps its place after the one before it on
/// its thread. Other captures are returned as they are. O(tasks log tasks + edges).
[[nodiscard]] Capture under_models(Capture capture);

}  // namespace stepsim

#endif
