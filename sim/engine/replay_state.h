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

/// How the engine numbers messages: the message of a task has the task's number; messages of collectives have numbers
/// from kFirstOfCollectives on. A dag has fewer tasks than that.
namespace stepsim::sim {

/// Checks that a network model makes progress (Network::advance in model/cost/network/network.h): its time never goes
/// back, and each event advances the clock or reports a message. Without this check a mistake in a model, such as a
/// rate of NaN, would make a replay run forever. O(1) per event.
class ProgressGuard {
 public:
  /// The maximum number of consecutive events at one instant that report no message.
  static constexpr std::size_t kMostQuietEvents = 1000;

  /// `model` is the model's name and must outlive the guard.
  explicit ProgressGuard(std::string_view model) noexcept : model_(model) {}

  /// Records that the model was advanced from `before` to `now` and reported `told` messages. Throws InternalError,
  /// which names the model and the time, if there is no progress.
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
/// Returns the task that a message belongs to. Precondition: not is_of_collective(message).
[[nodiscard]] constexpr TaskId task_of(MessageId message) noexcept { return TaskId{message.value()}; }

/// The start of a task before it is known.
inline constexpr Time kUnknown = Time::min();

/// Returns the finish of a task whose end is not yet known. It encodes how many of its predecessors have not ended;
/// this saves a column of memory. No real time conflicts with it, because no task ends in the first four seconds of the
/// representable range.
constexpr Time waits_for(std::uint32_t predecessors) noexcept { return Time::min() + Duration{predecessors}; }

/// True if the replay is large enough for several threads.
[[nodiscard]] inline bool may_split(const Dag& dag, const EngineOptions& options) noexcept {
  return options.threads > 1 && dag.task_count() >= options.grain.tasks;
}

/// The inputs of a replay and its result columns. Several threads can share one ReplayState: each thread writes only
/// the rows of its own tasks and collectives. Only the engine uses it.
struct ReplayState {
  /// Uses two threads to fill the columns if the replay is large enough.
  ReplayState(const Dag& of, const Machine& on, const EngineOptions& how);

  /// Counts a finished task; call it after each one. `here` is the number of tasks that this thread has finished. Calls
  /// EngineOptions::progress if `reports_progress` is set. Throws Interrupted.
  void count_done(std::size_t here, bool reports_progress) {
    constexpr std::size_t kEvery = 1U << 16U;
    if (here % kEvery != 0) return;
    throw_if_stopped();
    const std::size_t all = done.fetch_add(kEvery, std::memory_order_relaxed) + kEvery;
    if (options.progress && reports_progress) options.progress(all);
  }

  /// Throws Interrupted once EngineOptions::stop is set.
  void throw_if_stopped() const {
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) throw Interrupted();
  }

  /// Records that `from` allows `task` to start at `ready`. Returns true if no other predecessor is pending.
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

  /// Records that a member started at `now`. Returns true if it was the last one.
  bool arrive(TaskId task, RendezvousId rendezvous, Time now) {
    TaskId& last = timeline.last_arrival[rendezvous.index()];
    const Time latest = last.valid() ? timeline.start[last.index()] : kUnknown;
    if (!last.valid() || now > latest || (now == latest && task < last)) last = task;
    return --absent[rendezvous.index()] == 0;
  }
  /// Returns when the last member so far arrived. Precondition: at least one member has arrived.
  [[nodiscard]] Time last_arrival(RendezvousId rendezvous) const noexcept {
    return timeline.start[timeline.last_arrival[rendezvous.index()].index()];
  }

  const Dag& dag;
  const Machine& machine;
  const EngineOptions& options;
  Timeline timeline;
  std::vector<TaskId> sources;        ///< tasks without predecessors, ascending
  std::vector<std::uint32_t> absent;  ///< indexed by rendezvous: members that have not started
  std::atomic<std::size_t> done{0};   ///< number of finished tasks, for progress
};

}  // namespace stepsim::sim

#endif
