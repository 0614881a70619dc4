#ifndef STEPSIM_SIM_ANALYSIS_ACTIVITY_H
#define STEPSIM_SIM_ANALYSIS_ACTIVITY_H

#include <vector>

#include "model/job/cluster.h"
#include "model/job/dag.h"
#include "model/job/recording.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/rank_steps.h"
#include "sim/engine/timeline.h"

/// The activities of tasks and ranks in a replay. Precondition of every function: `timeline` is a replay of `dag`.
namespace stepsim::sim {

/// Returns the last member to arrive in the task's collective; the task itself if it is in none.
[[nodiscard]] inline TaskId last_arrival_of(const Dag& dag, const Timeline& timeline, TaskId task) {
  const RendezvousId rendezvous = dag.rendezvous(task);
  return rendezvous.valid() ? timeline.last_arrival[rendezvous.index()] : task;
}

/// Returns the interval in which the task works. A member of a collective works only after the last member has arrived.
[[nodiscard]] inline Interval own_work(const Dag& dag, const Timeline& timeline, TaskId task) {
  return {timeline.start[last_arrival_of(dag, timeline, task).index()], timeline.finish[task.index()]};
}
[[nodiscard]] inline Duration own_time(const Dag& dag, const Timeline& timeline, TaskId task) {
  const Interval work = own_work(dag, timeline, task);
  return work.end - work.begin;
}

/// A rank's intervals, grouped by activity.
struct Activity {
  std::vector<Interval> compute;
  std::vector<Interval> communication;  ///< intervals in which data moves, without waiting for other ranks
  std::vector<Interval> copies;
  std::vector<Interval> collective_wait;  ///< waiting in a collective before its last member arrived
  std::vector<Interval> loader;           ///< a thread waits for processes that load data
  std::vector<Interval> host;

  /// Adds the part of `task` that lies within `window` to the intervals of its activity; adjacent intervals are joined.
  /// Precondition: `timeline` is a replay of `dag`.
  void add(const Dag& dag, const Timeline& timeline, TaskId task, Interval window);
};

void append(std::vector<Interval>& to, const std::vector<Interval>& what);

/// A rank's iteration, split into disjoint parts. A part is the time in which work of its kind runs and no work of a
/// part listed above it runs. The values are means over those iterations whose mean is the rank's iteration (its middle
/// half, model/base/median.h), so they sum to it.
struct IterationParts {
  Rank rank = 0;
  Duration compute{};
  Duration communication{};    ///< time of communication while no compute runs
  Duration copies{};           ///< time of copies while neither compute nor communication runs
  Duration collective_wait{};  ///< time in a collective before its last member arrived, while none of the above runs
  Duration loader{};  ///< time in which a thread waits for processes that load data, while none of the above runs
  Duration host{};    ///< time of host work while none of the above runs
  Duration idle{};    ///< time in which none of the above runs

  [[nodiscard]] Duration sum() const noexcept {
    return compute + communication + copies + collective_wait + loader + host + idle;
  }
};

/// Returns the parts for `rank`, whose steps are `steps`; without steps, for its whole window. Precondition: `timeline`
/// is a replay of `dag`, and `steps` was computed from it. O(tasks + r log r) for the r tasks of the rank.
[[nodiscard]] IterationParts iteration_parts(const Dag& dag, const Timeline& timeline, Rank rank,
                                             const RankSteps& steps);

/// How heavily the messages of a replay use a link.
struct LinkUse {
  LinkId link;
  double busy = 0;      ///< share of the replay's length during which a message crosses the link
  Duration queueing{};  ///< extra time of the messages that cross it, compared with each message alone; summed
};

/// Returns the use of each link, indexed by LinkId. `timeline` is a replay of capture.dag on `cluster`. Messages are
/// the tasks on lanes with endpoints; messages of collectives are not counted. Sent alone, a message would take the
/// latency of its route plus its bytes divided by the goodput of the slowest link. O(messages log messages).
[[nodiscard]] std::vector<LinkUse> link_use(const Capture& capture, const Timeline& timeline, const Cluster& cluster);

}  // namespace stepsim::sim

#endif
