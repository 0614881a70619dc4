#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_THREAD_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_HOST_THREAD_H

#include <cstdint>
#include <utility>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/event_names.h"
#include "ingest/stitch/host_device/thread_cut.h"

namespace stepsim::ingest {

/// A stretch of time in which a thread only waits. It becomes no task, because the replay finds
/// the waiting again.
struct ThreadWait {
  Time begin;  ///< the thread has done what it does before waiting
  Time end;    ///< what it waited for has happened
};

/// A host collective: one segment of a thread.
struct HostCollective {
  std::uint32_t event = kNoIndex;
  Time begin;
  Time end;  ///< may be before that of its segment, if its annotation was closed late
};

/// One host thread on its way to tasks: its collectives, the instants at which others depend on it,
/// the stretches in which it waits and, after add_tasks(), its tasks.
struct HostThread {
  struct Task {
    Time begin;
    Time end;
    TaskId task;
    std::uint32_t collective = kNoIndex;  ///< the event, if the task is a host collective
  };

  const RankEvents::Thread* recorded = nullptr;  ///< never null but in an empty one
  std::vector<HostCollective> collectives;       ///< in order of time
  /// Instants that must lie between two tasks, because something depends on what came before. Any order.
  std::vector<Time> cuts;
  std::vector<ThreadWait> waits;  ///< any order; may overlap
  /// Quiet stretches within these are the thread's own work, however long they are.
  std::vector<std::pair<Time, Time>> busy;
  bool quiet_is_work = false;  ///< the main thread: where nothing explains quiet time, Python works
  bool background = false;     ///< nothing depends on it: its pauses come from its own timer
  std::vector<Task> tasks;     ///< by begin

  /// `waits` by begin, those that touch as one. O(waits log waits).
  [[nodiscard]] std::vector<std::pair<Time, Time>> merged_waits() const;
  /// The last task that ends at `time` or earlier; invalid if there is none.
  [[nodiscard]] TaskId task_ending_by(Time time) const noexcept;
  /// The first task that begins at `time` or later; invalid if there is none.
  [[nodiscard]] TaskId task_starting_from(Time time) const noexcept;
};

/// Quiet time of a thread up to this long is its own work between two events. Longer quiet time may
/// be waiting.
inline constexpr Duration kShortQuiet{100'000};

/// Two neighbouring pieces of host work become one task, named after the longest piece, if one of
/// them is shorter than this and there is no cut between them. A task for each operator of a
/// microsecond would double the graph and explain nothing more.
inline constexpr Duration kHostGrain{20'000};

/// The threads of `events`, which must outlive them. O(events), on as many threads of the machine as `threads_at_once`
/// says.
[[nodiscard]] std::vector<HostThread> host_threads(const RankEvents& events, int threads_at_once);

/// Adds the tasks of `thread` to `assembly` in program order, with edges from each to the next, and
/// enters them in thread.tasks.
/// O(n log n) in segments, cuts and waits.
void add_tasks(HostThread& thread, const RankEvents& events, LaneId lane, EventNames& names, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
