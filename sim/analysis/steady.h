#ifndef STEPSIM_SIM_ANALYSIS_STEADY_H
#define STEPSIM_SIM_ANALYSIS_STEADY_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/job/recording.h"
#include "model/rewrite/repeated_step.h"
#include "sim/analysis/summary.h"
#include "sim/engine/timeline.h"

/// How long an iteration takes in the long run, computed from a replay of a few captured steps.
///
/// The distance between captured steps includes transient effects: a launch queue that fills, a device that finishes
/// earlier launches, a pipeline that fills in its first step. Therefore, each replayed step is repeated without end: in
/// the long run a round takes as long as the slowest cycle of tasks that wait for each other
/// (sim/analysis/periodic_graph.h), however much slack that cycle begins with. The iteration is the midmean of these
/// times over the steps that another one follows. If they took about equally long when they were recorded, it
/// is their mean, with the last step if it took as long: they may be of different kinds, and each counts as often as it
/// occurs.
///
/// * A task takes as long as in the replay, with all models of the replay.
/// * Tasks wait as in a RepeatedStep (model/rewrite/repeated_step.h). A task outside all steps that lies between tasks
/// of
///   steps belongs to the step before it. The last step waits in every round for those tasks of the round before for
///   whose counterparts in the step before it waited; a single step only for the order of threads and streams.
/// * The cycles that count are those for which the start of a rank's step or its device work waits.
///
/// A Dag of repeated steps (model/rewrite/repeated_step.h) is not replayed for this, because a sender that continues
/// before its message has arrived gives an edge a negative delay, which a Dag's lag cannot have, and because a cycle
/// may limit the pace only after any number of rounds.
///
/// If tasks take their recorded time, less work never makes the result longer: every step's pace is the largest mean
/// weight of a cycle (see PeriodicGraph), and a mean or midmean grows with each of its values. The distances between
/// captured steps do not have this property (docs/internals/answers.md).
namespace stepsim::sim {

struct SteadyIteration {
  /// The tasks of one repeated step that limit its pace. Each waits for the one before, and the first for the last of a
  /// step before.
  struct Cycle {
    std::size_t step = 0;  ///< in the order of the captured steps
    Duration pace{};
    std::uint32_t rounds = 1;   ///< number of rounds that the tasks take
    std::vector<TaskId> tasks;  ///< in the order in which they run; empty if nothing limits the pace
  };

  Duration length{};  ///< midmean or mean of the cycles' paces
  /// True if another captured step follows one of the repeated steps. Otherwise nothing shows what the next step waits
  /// for, and `length` assumes that it waits only for its threads and streams.
  bool follows = false;
  std::vector<Cycle> cycles{};  ///< by step
};

/// The steps of a capture as they are repeated: everything in a steady iteration that no replay changes. A graph that
/// is replayed several times needs only one. Needs 12 bytes per task.
class RepeatedSteps {
 public:
  /// Keeps a reference to `capture`. O((tasks + edges) log tasks).
  explicit RepeatedSteps(const Capture& capture);

  /// Returns the steady iteration of a replay. Returns nothing for: jobs without device work, because their steps wait
  /// for all work that they began; captures without marked steps; ranks with different steps, or a collective in
  /// several steps; lanes with a queue, whose order may change in the next round; and replays of more than a year.
  /// Precondition: `timeline` is a replay of capture.dag. O(tasks + edges), plus PeriodicGraph::critical_cycle().
  [[nodiscard]] std::optional<SteadyIteration> iteration(const Timeline& timeline) const;

 private:
  friend class RepeatedTimes;
  /// What the tasks of one repeated step wait for in the round before.
  struct Step {
    JobStep number;
    std::vector<RepeatedStep::Wait> waits;         ///< those from a round to the next
    std::vector<std::pair<TaskId, TaskId>> lanes;  ///< the last task of a thread or stream, and its first one
  };

  [[nodiscard]] bool are_possible() const;
  [[nodiscard]] std::vector<Duration> recorded_lengths() const;
  void choose_steps();

  const Dag& dag_;
  const Recording& recording_;
  JobSteps steps_;
  std::vector<JobStep> step_of_;  ///< indexed by task
  TasksOfSteps tasks_;
  std::vector<std::uint32_t> node_of_;  ///< indexed by task: its place among the tasks of its step
  std::vector<Step> repeated_;          ///< empty if no step can be repeated
  bool follows_ = false;                ///< SteadyIteration::follows
  bool alike_ = false;                  ///< true if the repeated steps took about equally long
};

/// Returns RepeatedSteps(capture).iteration(timeline).
[[nodiscard]] std::optional<SteadyIteration> steady_iteration(const Capture& capture, const Timeline& timeline);

/// A part of the cycle that limits the pace: what one thread or stream does in it, or the time between its tasks.
struct CyclePart {
  std::optional<Rank> rank;  ///< absent for the time between tasks
  std::string of;            ///< name of the thread or stream; "waiting" for the time between tasks
  Duration time{};           ///< per iteration
};

/// Returns the parts of the cycle whose pace is the closest to the iteration, the longest first. They sum to its pace,
/// unless tasks overlap. Returns nothing if nothing limits the pace. O(tasks of the cycle).
[[nodiscard]] std::vector<CyclePart> limits_of(const Dag& dag, const Timeline& timeline, const SteadyIteration& steady);

/// Returns what limits the pace, for people: "rank 0 stream 20 (7.000 ms), waiting (0.100 ms)". Small parts are left
/// out.
[[nodiscard]] std::string to_text(const std::vector<CyclePart>& limits);

/// Returns how far apart the tasks of the cycles ended in the replay, from a step to the next captured one: of each
/// cycle the median, and of these the midmean. If the dependencies of the cycles are the job's, this is at least their
/// pace, even where something else, such as a launch queue that is still filling, made the captured steps shorter.
/// Returns nothing if no step follows. O(tasks log tasks).
[[nodiscard]] std::optional<Duration> recurrence_of(const Capture& capture, const Timeline& timeline,
                                                    const SteadyIteration& steady);

/// Returns the breakdown of `rank` adapted to an iteration of this length: its idle time changes by the difference, and
/// no part is longer than the iteration.
[[nodiscard]] RankBreakdown at_pace(RankBreakdown rank, Duration iteration);

/// Returns the parts of an iteration adapted to one of this length, which they sum to: idle time changes by the
/// difference; where it is too short for that, the other parts become shorter in proportion.
[[nodiscard]] IterationParts at_pace(IterationParts parts, Duration iteration);

}  // namespace stepsim::sim

#endif
