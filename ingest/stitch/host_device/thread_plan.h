#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_THREAD_PLAN_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_THREAD_PLAN_H

#include <cstdint>
#include <utility>
#include <vector>

#include "ingest/stitch/assembly.h"
#include "ingest/stitch/host_device/thread_cut.h"

namespace stepsim::ingest {

/// A stretch of time during which a thread only waits; it becomes no task, because the
/// replay finds the waiting again.
struct Wait {
  Time begin;  ///< the thread has done what it does before waiting
  Time end;    ///< what it waited for has happened
};

/// What is to become of one host thread: its segments, the points where others depend on it
/// (cuts), the stretches where it waits, and, once placed, its tasks.
struct ThreadPlan {
  struct Placed {
    Time begin;
    Time end;
    TaskId task;
    std::uint32_t event = kNoIndex;  ///< of a collective
  };

  std::vector<Segment> segments;
  std::vector<Time> cuts;
  std::vector<Wait> waits;
  /// Quiet stretches inside these are the thread's own work, whatever their length.
  std::vector<std::pair<Time, Time>> busy;
  bool quiet_is_work = false;  ///< the main thread: quiet time that nothing explains is Python's
  bool background = false;     ///< nothing depends on it: its pauses are its own timer's, not waits
  std::vector<Placed> placed;  ///< by begin

  /// The last task that ends by `time`; invalid if there is none.
  [[nodiscard]] TaskId task_ending_by(Time time) const noexcept;
  /// The first task that begins at `time` or later; invalid if there is none.
  [[nodiscard]] TaskId task_starting_from(Time time) const noexcept;
};

/// Quiet time of a thread up to this long is the thread's own work between two events;
/// longer, and it may be waiting.
inline constexpr Duration kShortQuiet{100'000};

/// The names of one trace's texts in an Assembly, each interned once.
class NameCache {
 public:
  NameCache(const HostDeviceTrace& trace, Assembly& assembly)
      : trace_(trace), assembly_(assembly), names_(trace.texts.size()) {}
  [[nodiscard]] NameId of_event(std::uint32_t event);

 private:
  const HostDeviceTrace& trace_;
  Assembly& assembly_;
  std::vector<NameId> names_;  // by TextId
};

/// Neighbouring pieces of host work become one task, named after the longest of them, if one is
/// shorter than this and nothing depends on the instant between them: a task for each operator of
/// a microsecond would double the graph and tell nobody anything.
inline constexpr Duration kHostGrain{20'000};

/// Makes the tasks of a thread in program order, with the edges between them; the segments are
/// used up. Waits may overlap and come in any order; so may cuts. O((segments + cuts + waits) log).
void place(ThreadPlan& plan, const RankEvents& events, LaneId lane, NameCache& names, Assembly& assembly);

}  // namespace stepsim::ingest

#endif
