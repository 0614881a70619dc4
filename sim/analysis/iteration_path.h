#ifndef STEPSIM_SIM_ANALYSIS_ITERATION_PATH_H
#define STEPSIM_SIM_ANALYSIS_ITERATION_PATH_H

#include <cstdint>
#include <optional>
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

/// The number of the step that most of the path's time is in, whatever ranks it runs through; of steps with equally
/// much the first; nothing if none of its tasks is in a step. Every output that shows "the step of the path" asks
/// this function.
[[nodiscard]] std::optional<std::int64_t> step_of_path(const Recording& recording, const CriticalPath& path);

}  // namespace stepsim::sim

#endif
