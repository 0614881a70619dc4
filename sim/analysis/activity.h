#ifndef STEPSIM_SIM_ANALYSIS_ACTIVITY_H
#define STEPSIM_SIM_ANALYSIS_ACTIVITY_H

#include <vector>

#include "model/job/dag.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/rank_steps.h"
#include "sim/engine/timeline.h"

/// What tasks and ranks do in a replay, and when. Precondition of every function: `timeline` is of `dag`.
namespace stepsim::sim {

/// The member of the task's collective that let it go on; the task itself if it is in none.
[[nodiscard]] inline TaskId last_arrival_of(const Dag& dag, const Timeline& timeline, TaskId task) {
  const RendezvousId rendezvous = dag.rendezvous(task);
  return rendezvous.valid() ? timeline.last_arrival[rendezvous.index()] : task;
}

/// When it ran: of a collective what came after the last arrival.
[[nodiscard]] inline Interval own_work(const Dag& dag, const Timeline& timeline, TaskId task) {
  return {timeline.start[last_arrival_of(dag, timeline, task).index()], timeline.finish[task.index()]};
}
[[nodiscard]] inline Duration own_time(const Dag& dag, const Timeline& timeline, TaskId task) {
  const Interval work = own_work(dag, timeline, task);
  return work.end - work.begin;
}

/// A rank's intervals by what fills them.
struct Activity {
  std::vector<Interval> compute;
  std::vector<Interval> communication;  ///< moving data, without waiting for other ranks
  std::vector<Interval> copies;
  std::vector<Interval> collective_wait;  ///< in a collective before its last member arrived
  std::vector<Interval> loader;           ///< a thread waits for processes that load data
  std::vector<Interval> host;

  /// Adds what `task` does within `window`; neighbours become one interval. Precondition: `timeline` is of `dag`.
  void add(const Dag& dag, const Timeline& timeline, TaskId task, Interval window);
};

/// Appends `what` to `to`.
void append(std::vector<Interval>& to, const std::vector<Interval>& what);

/// A rank's iteration cut into disjoint parts, the mean of the middle half of its steps by their time, so that one odd
/// step moves nothing. A part is the time in which its work runs and none of a part above it here does.
struct IterationParts {
  Rank rank = 0;
  Duration compute{};
  Duration communication{};    ///< while no compute runs
  Duration copies{};           ///< while neither runs
  Duration collective_wait{};  ///< in a collective before its last member arrived, and nothing of the above
  Duration loader{};           ///< a thread waits for processes that load data, and nothing of the above
  Duration host{};             ///< host work alone
  Duration idle{};             ///< none of the above

  [[nodiscard]] Duration sum() const noexcept {
    return compute + communication + copies + collective_wait + loader + host + idle;
  }
};

/// Of `rank`, whose steps are `steps`; without steps of its whole window. They sum to the mean of those steps, which
/// differs from the median a little. Precondition: `timeline` is of `dag`, `steps` of `timeline`.
/// O(tasks + tasks of the rank * log).
[[nodiscard]] IterationParts iteration_parts(const Dag& dag, const Timeline& timeline, Rank rank,
                                             const RankSteps& steps);

}  // namespace stepsim::sim

#endif
