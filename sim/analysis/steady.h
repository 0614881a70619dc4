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

/// What an iteration takes in the long run, from a replay of a few captured steps.
///
/// The distance of captured steps holds what passes: a launch queue that fills, a device that works off what was
/// launched before, a pipeline whose first step fills it. So each step is repeated: the step as it was replayed, and
/// after it the same step again, until a round takes as long as the one before. The iteration is the midmean of
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
/// This is no Dag of repeated steps (model/rewrite/repeated_step.h) that the engine replays: a sender that goes on
/// before its message has arrived gives an edge a negative delay, which a Dag's lag cannot be, and a prediction would
/// build and replay a Dag of up to 64 times its tasks.
///
/// If tasks take what is recorded, less work never makes this longer: every step's pace is a largest cycle mean
/// (sim/analysis/steady.h), and a midmean grows with each of its values. That is no law of the distances
/// between captured steps (docs/fidelity.md).
namespace stepsim::sim {

/// Tasks that are done again and again, each as soon as what it waits for in its own round and in the round before has
/// ended. A task takes the same time in every round, so after some rounds each round takes the same time: the largest
/// mean weight of a cycle (Baccelli, Cohen, Olsder, Quadrat, "Synchronization and Linearity", 1992, chapter 3). It
/// never grows when a task or a delay becomes shorter.
class PeriodicGraph {
 public:
  using Node = std::uint32_t;

  /// Numbers tasks from 0, in an order in which they can be done: members of a rendezvous before what follows one of
  /// them. Precondition: duration >= 0.
  Node add_task(Duration duration);
  /// `to` starts no earlier than `delay` after the end of `from`; a negative delay is a head start.
  /// Precondition: from < to, and `from` is not below that of the edge before.
  void add_edge(Node from, Node to, Duration delay);
  /// The same, but `to` is that of the next round. Any two tasks, in any order.
  void add_edge_to_next(Node from, Node to, Duration delay) { next_.push_back({from, to, delay}); }
  /// Each member ends its own duration after the last of them started. Precondition: none is in another one.
  void add_rendezvous(std::span<const Node> members);

  /// A clock whose pace is asked for: in each round it shows the latest of what it watches.
  std::size_t add_clock() { return clocks_++; }
  /// Every clock watches something.
  void watch_start(std::size_t clock, Node task) { watched_.push_back({clock, task, true}); }
  void watch_end(std::size_t clock, Node task) { watched_.push_back({clock, task, false}); }

  /// What a round takes in the long run by the slowest clock; 0 without clocks. At least three rounds, until two in a
  /// row take the same time by every clock. If none do, because rounds take turns: the mean of the later half of 64.
  /// Precondition: 64 rounds end before the end of time. O(rounds (tasks + edges)).
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
  /// When the tasks of one round start and end.
  struct Round {
    std::vector<Time> start;
    std::vector<Time> finish;
  };

  void run(Round& round) const;
  void end(Node task, Time finish, Round& round) const;
  [[nodiscard]] std::vector<Time> shown_by_clocks(const Round& round) const;

  std::vector<Duration> duration_;
  std::vector<std::uint32_t> rendezvous_;   ///< by task
  std::vector<std::size_t> first_edge_;     ///< by task
  std::vector<std::vector<Node>> members_;  ///< by rendezvous, ascending
  std::vector<Edge> edges_;                 ///< by source
  std::vector<Edge> next_;
  std::vector<Watched> watched_;
  std::size_t clocks_ = 0;
};

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
