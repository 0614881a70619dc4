#ifndef STEPSIM_SIM_ANALYSIS_PERIODIC_GRAPH_H
#define STEPSIM_SIM_ANALYSIS_PERIODIC_GRAPH_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/base/units.h"

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

}  // namespace stepsim::sim

#endif
