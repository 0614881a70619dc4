#ifndef STEPSIM_SIM_ENGINE_REPLAY_STATE_H
#define STEPSIM_SIM_ENGINE_REPLAY_STATE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/base/id.h"
#include "model/base/units.h"
#include "model/cost/network/network.h"
#include "model/job/dag.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"
#include "sim/engine/timeline.h"

/// How the engine numbers messages: that of a task has the task's number, those that collectives
/// send have the numbers from kFirstOfCollectives on. A dag has fewer tasks than that.
namespace stepsim::sim {

/// Sees to it that a network model gets on (Network::advance in model/cost/network/network.h): its
/// time never goes back, and an event moves the clock or tells of a message. Without it a mistake
/// in a model, say a rate that is no number, would be a replay that never ends. O(1) an event.
class ProgressGuard {
 public:
  /// Events without news that a model may have at one instant, one after the other.
  static constexpr std::size_t kMostQuietEvents = 1000;

  /// `model` is its name, and must outlive the guard.
  explicit ProgressGuard(std::string_view model) noexcept : model_(model) {}

  /// The replay was at `before`, the model was advanced to `now` and has told of `told` messages.
  /// Throws InternalError, which names the model and the instant.
  void advanced(Time before, Time now, std::size_t told) {
    if (now > before || (now == before && told > 0)) {
      quiet_ = 0;
    } else if (now < before || ++quiet_ == kMostQuietEvents) {
      fail(before, now);
    }
  }

 private:
  [[noreturn]] void fail(Time before, Time now) const;

  std::string_view model_;
  std::size_t quiet_ = 0;
};

inline constexpr std::uint32_t kFirstOfCollectives = 0x80000000U;
static_assert(kFirstOfCollectives > Dag::kMostTasks);

[[nodiscard]] constexpr bool is_of_collective(MessageId message) noexcept {
  return message.value() >= kFirstOfCollectives;
}
[[nodiscard]] constexpr MessageId message_of(TaskId task) noexcept { return MessageId{task.value()}; }
/// Precondition: not is_of_collective(message).
[[nodiscard]] constexpr TaskId task_of(MessageId message) noexcept { return TaskId{message.value()}; }

/// Before a task is known to start.
inline constexpr Time kUnknown = Time::min();

/// The finish of a task that is not known to end: how many of its predecessors have not ended.
/// So nothing else has to be kept of them; no task ends in the first four seconds of all time.
constexpr Time waits_for(std::uint32_t predecessors) noexcept { return Time::min() + Duration{predecessors}; }

/// Whether several threads are worth their while.
[[nodiscard]] inline bool may_split(const Dag& dag, const EngineOptions& options) noexcept {
  return options.threads > 1 && dag.task_count() >= options.grain.tasks;
}

/// What a replay is of, and its columns. Threads that share one write those of their own tasks
/// and collectives. Only the engine uses it.
struct ReplayState {
  /// Two threads fill the columns if a replay of this size may have them.
  ReplayState(const Dag& of, const Machine& on, const EngineOptions& how);

  /// Called once a task that has ended, with how many had in this thread; with
  /// `reports_progress` it calls EngineOptions::progress. Throws Interrupted.
  void count_done(std::size_t here, bool reports_progress) {
    constexpr std::size_t kEvery = 1U << 16U;
    if (here % kEvery != 0) return;
    heed_stop();
    const std::size_t all = done.fetch_add(kEvery, std::memory_order_relaxed) + kEvery;
    if (options.progress && reports_progress) options.progress(all);
  }

  /// Throws Interrupted once EngineOptions::stop is set.
  void heed_stop() const {
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) throw Interrupted();
  }

  /// The task may start at `ready` for all that `from` knows. True if nobody holds it back any more.
  bool release(TaskId task, Time ready, TaskId from) {
    Time& start = timeline.start[task.index()];
    Release& by = timeline.released_by[task.index()];
    if (ready > start || (ready == start && from < by.task())) {
      start = ready;
      by = Release{Release::By::kEdge, from};
    }
    Time& finish = timeline.finish[task.index()];
    finish -= Duration{1};
    return finish == waits_for(0);
  }

  /// A member has started at `now`. True if it was the last of them.
  bool arrive(TaskId task, RendezvousId rendezvous, Time now) {
    TaskId& last = timeline.last_arrival[rendezvous.index()];
    const Time latest = last.valid() ? timeline.start[last.index()] : kUnknown;
    if (!last.valid() || now > latest || (now == latest && task < last)) last = task;
    return --absent[rendezvous.index()] == 0;
  }
  /// Precondition: somebody has arrived.
  [[nodiscard]] Time last_arrival(RendezvousId rendezvous) const noexcept {
    return timeline.start[timeline.last_arrival[rendezvous.index()].index()];
  }

  const Dag& dag;
  const Machine& machine;
  const EngineOptions& options;
  Timeline timeline;
  std::vector<TaskId> sources;        ///< tasks without predecessors, ascending
  std::vector<std::uint32_t> absent;  ///< members that have not started, by rendezvous
  std::atomic<std::size_t> done{0};   ///< tasks that ended, for progress
};

}  // namespace stepsim::sim

#endif
