#ifndef STEPSIM_SIM_ANALYSIS_PERIODIC_GRAPH_H
#define STEPSIM_SIM_ANALYSIS_PERIODIC_GRAPH_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/base/units.h"

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
  /// Removes all tasks, and keeps the memory for others.
  void clear();
  /// Makes the pace that of `task`, or of the slowest watched task if there are several.
  void watch(Node task) { watched_.push_back(task); }

  /// A cycle of tasks that each wait for the one before. A round takes `length` / `rounds` on average.
  struct Cycle {
    Duration length{};         ///< sum of the tasks' durations and of the delays between them
    std::uint32_t rounds = 1;  ///< number of rounds that the cycle takes
    std::vector<Node> tasks;   ///< in the order in which they run
    /// Returns `length` / `rounds`, rounded to the nearest nanosecond and not below 0.
    [[nodiscard]] Duration mean() const noexcept;
  };

  /// Returns the cycle that sets the pace: of those that a watched task waits for, directly or not, one with the
  /// largest mean. Returns nothing if watched tasks wait for no cycle. Exact. Howard's policy iteration
  /// (Cochet-Terrasson and others, "Numerical computation of spectral elements in max-plus algebra", 1998), in which
  /// one pass over a round finds the best predecessor of every task that waits for the previous round. O(tasks + edges)
  /// for each pass.
  [[nodiscard]] std::optional<Cycle> critical_cycle() const;

  /// Returns how long a round takes in the long run: the mean of critical_cycle(); 0 without one.
  [[nodiscard]] Duration pace() const;

 private:
  struct Edge {
    Node from;
    Node to;
    Duration delay;
  };
  class Search;

  std::vector<Duration> duration_;
  std::vector<std::uint32_t> rendezvous_;   ///< indexed by task
  std::vector<std::size_t> first_edge_;     ///< indexed by task
  std::vector<std::vector<Node>> members_;  ///< indexed by rendezvous, ascending
  std::vector<Edge> edges_;                 ///< sorted by source
  std::vector<Edge> next_;
  std::vector<Node> watched_;
};

}  // namespace stepsim::sim

#endif
