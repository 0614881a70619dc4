#ifndef STEPSIM_SIM_ANALYSIS_ITERATION_PATH_H
#define STEPSIM_SIM_ANALYSIS_ITERATION_PATH_H

#include <string>

#include "model/job/recording.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/summary.h"
#include "sim/engine/timeline.h"

namespace stepsim::sim {

/// A critical path and what it is the path of: "the replay", "rank 1's step 5".
struct IterationPath {
  CriticalPath path;
  std::string of;
};

/// The path of one iteration: of the slowest rank's median step. Without steps, of the whole replay.
/// (The path of several steps may run through a thread that only ends last, such as a watchdog, and
/// would say nothing about a step.) Precondition: `summary` is that of `timeline`.
[[nodiscard]] IterationPath iteration_path(const Capture& capture, const Timeline& timeline, const Summary& summary);

}  // namespace stepsim::sim

#endif
