#ifndef STEPSIM_SIM_ANALYSIS_STEADY_H
#define STEPSIM_SIM_ANALYSIS_STEADY_H

#include <optional>

#include "model/base/units.h"
#include "model/job/recording.h"
#include "sim/analysis/summary.h"
#include "sim/engine/timeline.h"

/// How long an iteration takes in the long run, computed from a replay of a few captured steps.
///
/// The distance between captured steps includes transient effects: a launch queue that fills, a device that finishes
/// earlier launches, a pipeline that fills in its first step. Therefore, each replayed step is repeated without end: in
/// the long run a round takes as long as the slowest cycle of tasks that wait for each other
/// (sim/analysis/periodic_graph.h), however much slack that cycle begins with. The iteration is the midmean of these
/// times over the steps.
///
/// * A task takes as long as in the replay, with all models of the replay.
/// * Within a round the edges of the step apply. A task outside all steps that lies between tasks of steps belongs to
///   the step before it.
/// * Between two rounds, the edges from the step to the next captured step apply. Tasks of the two steps are matched by
///   lane and position on the lane. Threads and streams also finish a round before they start the next. Without a next
///   step only this order of threads and streams applies.
/// * The cycles that count are those for which the start of a rank's step or its device work waits.
///
/// A Dag of repeated steps (model/rewrite/repeated_step.h) is not replayed for this, because a sender that continues
/// before its message has arrived gives an edge a negative delay, which a Dag's lag cannot have, and because a cycle
/// may limit the pace only after any number of rounds.
///
/// If tasks take their recorded time, less work never makes the result longer: every step's pace is the largest mean
/// weight of a cycle (see PeriodicGraph), and a midmean grows with each of its values. The distances between captured
/// steps do not have this property (docs/internals/answers.md).
namespace stepsim::sim {

struct SteadyIteration {
  Duration length{};
  /// True if another captured step follows one of the repeated steps. Otherwise nothing shows what the next step waits
  /// for, and `length` assumes that it waits only for its threads and streams.
  bool follows = false;
};

/// Returns the steady iteration of a replay. Returns nothing for: jobs without device work, because their steps wait
/// for all work that they began; captures without marked steps; ranks with different steps, or a collective in several
/// steps; lanes with a queue, whose order may change in the next round; and replays of more than a year. Precondition:
/// `timeline` is a replay of capture.dag. O((tasks + edges) log tasks), plus PeriodicGraph::critical_cycle().
[[nodiscard]] std::optional<SteadyIteration> steady_iteration(const Capture& capture, const Timeline& timeline);

/// Returns the breakdown of `rank` adapted to an iteration of this length: its idle time changes by the difference, and
/// no part is longer than the iteration.
[[nodiscard]] RankBreakdown at_pace(RankBreakdown rank, Duration iteration);

}  // namespace stepsim::sim

#endif
