#ifndef STEPSIM_SIM_ANALYSIS_STEADY_H
#define STEPSIM_SIM_ANALYSIS_STEADY_H

#include <optional>

#include "model/job/recording.h"
#include "sim/analysis/summary.h"
#include "sim/engine/timeline.h"

/// What an iteration takes in the long run, from a replay of a few captured steps.
///
/// The distance of captured steps holds what passes: a launch queue that fills, a device that works off what was
/// launched before, a pipeline whose first step fills it. So each step is repeated: the step as it was replayed, and
/// after it the same step again, until a round takes as long as the one before. The iteration is the median of
/// that over the steps.
///
/// * A task takes what it took in the replay, under whatever models that had.
/// * Within a round hold the edges of the step. A task of no step that lies between tasks of steps belongs to the
///   one that it follows.
/// * From round to round hold the edges from the step to the next captured one, whose tasks are found by their lane and
///   place on it; and threads and streams go on in order. Without a next step only the latter.
/// * A round's time is the longest, over all ranks, between the starts of the step's first task and between the
///   completions of its device work.
///
/// If tasks take what is recorded, less work never makes this longer: every step's pace is a largest cycle mean
/// (sim/analysis/periodic_graph.h), and a median grows with each of its values. That is no law of the distances
/// between captured steps (docs/fidelity.md).
namespace stepsim::sim {

struct SteadyIteration {
  Duration length{};
  /// A captured step follows another one. If not, nothing shows what the next step waits for: `length` is what it takes
  /// if that is only its threads and streams.
  bool follows = false;
};

/// Nothing for jobs without device work, whose steps wait for what they began; without marked steps; if ranks have
/// different steps, or a collective is in several; if a lane has a queue, whose order the next round may change; and
/// for steps of more than a year. Precondition: `timeline` is a replay of capture.dag. O((tasks + edges) log tasks) and
/// three rounds or more.
[[nodiscard]] std::optional<SteadyIteration> steady_iteration(const Capture& capture, const Timeline& timeline);

/// What `rank` does in an iteration of this length: none of its parts is longer, and its idle time is changed as it is.
[[nodiscard]] RankBreakdown at_pace(RankBreakdown rank, Duration iteration);

}  // namespace stepsim::sim

#endif
