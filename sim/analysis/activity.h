#ifndef STEPSIM_SIM_ANALYSIS_ACTIVITY_H
#define STEPSIM_SIM_ANALYSIS_ACTIVITY_H

#include <cstdint>
#include <map>
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

/// The iterations of a rank that its times per iteration are means over: the middle half of its iterations by length
/// (model/base/median.h), so that an odd one counts as little as it does in the rank's iteration. Without steps, it is
/// the rank's whole window.
class TypicalIterations {
 public:
  TypicalIterations(const RankSteps& steps, const Recording& recording);

  [[nodiscard]] std::int64_t count() const noexcept { return static_cast<std::int64_t>(iterations_.size()); }
  [[nodiscard]] Duration length() const noexcept { return length_; }  ///< summed
  /// True if the iterations are steps, so that tasks belong to them by their steps and not by time.
  [[nodiscard]] bool by_step() const noexcept { return !has_step_.empty(); }
  /// True if this step, an index into Recording::steps, is one of the iterations.
  [[nodiscard]] bool contain(std::int32_t step) const noexcept {
    return step >= 0 && has_step_[static_cast<std::size_t>(step)];
  }
  /// Appends the parts of `interval` within the iterations to `to`.
  void put(Interval interval, std::vector<Interval>& to) const;

 private:
  std::vector<Interval> iterations_;  ///< by begin
  std::vector<bool> has_step_;        ///< by step; empty without steps
  Duration length_{};
};

/// What a rank does, by kind of work. A task belongs to the iteration of its step, whenever it runs: a device may be
/// several steps behind the host that launches its work. Work of a stream that was launched between two steps belongs
/// to the one before it; if it was launched before all steps, it belongs to none. Other tasks without a step belong to
/// the iterations in which they run, and so do all tasks of a rank without steps.
class Activity {
 public:
  struct Kind {
    std::vector<Interval> own;  ///< of the typical iterations
    std::vector<Interval> all;  ///< of all iterations
  };

  Activity(const RankSteps& steps, const Recording& recording) : iterations(steps, recording) {}

  TypicalIterations iterations;
  Kind compute;
  Kind communication;  ///< data moves, without waiting for other ranks
  Kind copies;
  Kind collective_wait;  ///< waiting in a collective before its last member arrived
  Kind loader;           ///< a thread waits for processes that load data
  Kind host;
  Kind device;                 ///< a stream is busy, also while its collective waits for other ranks
  std::vector<Interval> busy;  ///< the parts of device.all within the typical iterations, whatever launched the work

  /// Adds `task` to its kind. Tasks are added in the order of their ids. Precondition: `timeline` is a replay of `dag`,
  /// to which `recording` belongs.
  void add(const Dag& dag, const Recording& recording, const Timeline& timeline, TaskId task);

 private:
  /// Returns the step that `task` belongs to; -1 if it belongs to none.
  std::int32_t step_of(const Dag& dag, const Recording& recording, TaskId task);

  std::map<LaneId, std::int32_t> last_step_;  ///< of the last task of a stream that was added
};

/// A rank's iteration, split into disjoint parts. A part is the time in which work of its kind runs and no work of a
/// part listed above it runs. The values are means over the rank's TypicalIterations, so they sum to its iteration.
struct IterationParts {
  Rank rank = 0;
  Duration compute{};
  Duration communication{};    ///< time of communication while no compute runs
  Duration copies{};           ///< time of copies while neither compute nor communication runs
  Duration collective_wait{};  ///< time in a collective before its last member arrived, while none of the above runs
  Duration loader{};       ///< time in which a thread waits for processes that load data, while none of the above runs
  Duration host{};         ///< time of host work while none of the above runs
  Duration other_steps{};  ///< time in which only work of other steps runs
  Duration idle{};         ///< time in which nothing runs

  [[nodiscard]] Duration sum() const noexcept {
    return compute + communication + copies + collective_wait + loader + host + other_steps + idle;
  }
};

/// Returns the parts of `rank`, whose activity is `activity`, as means over `iterations`. Device work that was launched
/// in the iterations and runs in others may not fit into them: each part is limited to what the parts above it leave.
/// O(i log i) for i intervals.
[[nodiscard]] IterationParts iteration_parts(Rank rank, const Activity& activity, std::int64_t iterations);

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
