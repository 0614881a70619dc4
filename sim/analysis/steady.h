#ifndef STEPSIM_SIM_ANALYSIS_STEADY_H
#define STEPSIM_SIM_ANALYSIS_STEADY_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/base/units.h"
#include "model/job/recording.h"
#include "sim/analysis/summary.h"
#include "sim/engine/timeline.h"

/// How long an iteration takes in the long run, computed from a replay of a few captured steps.
///
/// The distance between captured steps includes transient effects: a launch queue that fills, a device that finishes
/// earlier launches, a pipeline that fills in its first step. Therefore, each replayed step is repeated until a round
/// takes as long as the round before. The iteration is the midmean of these times over the steps.
///
/// * A task takes as long as in the replay, with all models of the replay.
/// * Within a round the edges of the step apply. A task outside all steps that lies between tasks of steps belongs to
///   the step before it.
/// * Between two rounds, the edges from the step to the next captured step apply. Tasks of the two steps are matched by
///   lane and position on the lane. Threads and streams also finish a round before they start the next. Without a next
///   step only this order of threads and streams applies.
/// * Each rank gives two lengths of a round: from one start of its step's first task to the next, and from one
///   completion of its device work to the next. The round takes as long as the longest of these over all ranks.
///
/// The engine does not replay a Dag of repeated steps (model/rewrite/repeated_step.h) for this, for two reasons. A
/// sender that continues before its message has arrived gives an edge a negative delay, which a Dag's lag cannot have.
/// And a prediction would have to build and replay a Dag with up to 64 copies of the step's tasks. On ten captures with
/// recorded times, that gave the same iterations to the nanosecond, but took 100 to 800 times as long.
///
/// If tasks take their recorded time, less work never makes the result longer: every step's pace is the largest mean
/// weight of a cycle (see PeriodicGraph), and a midmean grows with each of its values. The distances between captured
/// steps do not have this property (docs/internals/answers.md).
namespace stepsim::sim {

/// A graph of tasks that are repeated round after round. Each task waits for tasks of the same round and of the
/// previous round. Tasks take the same time in every round, so in the long run a round takes, on average, the
/// largest mean weight of a cycle (Baccelli, Cohen, Olsder, Quadrat, "Synchronization and Linearity", 1992, chapter 3).
/// That time never grows when a task or a delay becomes shorter.
class PeriodicGraph {
 public:
  using Node = std::uint32_t;

  /// Adds a task; tasks are numbered from 0. Tasks must be added in an order in which they can run: all members of a
  /// rendezvous before the tasks that follow one of them. Precondition: duration >= 0.
  Node add_task(Duration duration);
  /// Makes `to` start no earlier than `delay` after the end of `from`; a negative delay allows it to start before that
  /// end. Preconditions: from < to, and edges are added in ascending order of `from`.
  void add_edge(Node from, Node to, Duration delay);
  /// Makes `to` in the next round start no earlier than `delay` after the end of `from` in this round. The two tasks
  /// can be in any order.
  void add_edge_to_next(Node from, Node to, Duration delay) { next_.push_back({from, to, delay}); }
  /// Makes the members wait for each other: each one ends its own duration after the last of them has started.
  /// Precondition: no task is in two rendezvous.
  void add_rendezvous(std::span<const Node> members);

  /// Adds a clock and returns its number. In each round, a clock shows the latest of the starts and ends that it
  /// watches.
  std::size_t add_clock() { return clocks_++; }
  /// Make a clock watch the start or the end of a task. Every clock must watch at least one event.
  void watch_start(std::size_t clock, Node task) { watched_.push_back({clock, task, true}); }
  void watch_end(std::size_t clock, Node task) { watched_.push_back({clock, task, false}); }

  /// Returns how long a round takes in the long run: the longest time by which a clock (add_clock()) advances in a
  /// round; 0 without clocks. Computes at least three rounds, and stops when every clock advanced by the same time in
  /// the last two. If this is not the case after 64 rounds, returns the mean of the last 32. Precondition: 64 rounds
  /// end before Time::max(). O(rounds (tasks + edges)).
  [[nodiscard]] Duration pace() const;

 private:
  struct Edge {
    Node from;
    Node to;
    Duration delay;
  };
  struct Watched {
    std::size_t clock;
    Node task;
    bool start;
  };
  /// The start and end of each task in one round.
  struct Round {
    std::vector<Time> start;
    std::vector<Time> finish;
  };

  void run(Round& round) const;
  void end(Node task, Time finish, Round& round) const;
  [[nodiscard]] std::vector<Time> shown_by_clocks(const Round& round) const;

  std::vector<Duration> duration_;
  std::vector<std::uint32_t> rendezvous_;   ///< indexed by task
  std::vector<std::size_t> first_edge_;     ///< indexed by task
  std::vector<std::vector<Node>> members_;  ///< indexed by rendezvous, ascending
  std::vector<Edge> edges_;                 ///< sorted by source
  std::vector<Edge> next_;
  std::vector<Watched> watched_;
  std::size_t clocks_ = 0;
};

struct SteadyIteration {
  Duration length{};
  /// True if another captured step follows one of the repeated steps. Otherwise nothing shows what the next step waits
  /// for, and `length` assumes that it waits only for its threads and streams.
  bool follows = false;
};

/// Returns the steady iteration of a replay. Returns nothing for: jobs without device work, because their steps wait
/// for all work that they began; captures without marked steps; ranks with different steps, or a collective in several
/// steps; lanes with a queue, whose order may change in the next round; and replays of more than a year. Precondition:
/// `timeline` is a replay of capture.dag. O((tasks + edges) log tasks) and three rounds or more.
[[nodiscard]] std::optional<SteadyIteration> steady_iteration(const Capture& capture, const Timeline& timeline);

/// Returns the breakdown of `rank` adapted to an iteration of this length: its idle time changes by the difference, and
/// no part is longer than the iteration.
[[nodiscard]] RankBreakdown at_pace(RankBreakdown rank, Duration iteration);

}  // namespace stepsim::sim

#endif
