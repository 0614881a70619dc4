#ifndef STEPSIM_SIM_REPORT_CRITICAL_PATH_H
#define STEPSIM_SIM_REPORT_CRITICAL_PATH_H

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/job/recording.h"
#include "sim/engine/machine.h"
#include "sim/engine/timeline.h"
#include "sim/report/table.h"

/// The chain of tasks that sets the length of a replay: each started the instant the one
/// before let it (plus a lag), so that shortening any of them could shorten the whole.
///
///        start    duration  class          rank  lane      task           released by
///     0.000 us  1.000 ms    compute           1  operators FW.a           the start of the replay
///     9.000 ms  1.000 ms    communication     1  Comm      SEND 0.0       Comm.0.Sync (data)
///    10.000 ms  1.500 ms    queueing          1  Comm      SEND 1.1       its lane: SEND 0.0 was in front
///
/// The walk goes back from a task's end: over the predecessor that released it, over the task
/// in front of it on a FIFO lane, and, for a collective, over the member that arrived last.
/// Every nanosecond of the length falls in one class:
///   compute, communication, host  the task on the path runs and the next one is not ready
///   queueing  the task on the path runs, and the next one stands ready for the same lane
///   wait      a lag (launch latency, a message under way, waiting that nothing explains), or a
///             rank's start later than the path's
/// A replay's path is exact because each task's release was recorded.
namespace stepsim::sim {

using stepsim::to_text;  // that of units is meant beside the one below

enum class PathClass : std::uint8_t { kCompute, kCommunication, kHost, kQueueing, kWait };
inline constexpr std::size_t kPathClassCount = 5;
/// "compute", "communication", "host", "queueing", "wait".
[[nodiscard]] std::string_view to_text(PathClass path_class) noexcept;

/// One task on the path, from `start` for `duration`.
struct PathTask {
  TaskId task;
  Time start;  ///< on the path: for a collective, the arrival of its last member
  Duration duration{};
  Duration wait{};      ///< before `start`: a lag, or for the first task its rank's late start
  Duration queueing{};  ///< the last part of `duration`: the next task on the path stood ready
  Release release;      ///< of the task, or of the collective's last member
  TaskId last_arrival;  ///< the collective's last member, if that is another task; else invalid
};

struct CriticalPath {
  std::vector<PathTask> tasks;                      ///< in order of time
  Time begin;                                       ///< where the path begins; its first task may start later
  Duration length{};                                ///< from `begin` to the end of the last task
  std::array<Duration, kPathClassCount> classes{};  ///< sum to `length`
  Duration unexplained{};                           ///< the part of `wait` that the recording calls unexplained
  [[nodiscard]] Duration operator[](PathClass c) const noexcept { return classes[static_cast<std::size_t>(c)]; }
};

/// The path to the end of `last`, back to `begin` (what lies before it is cut off).
/// O(tasks on the path + edges of the dag). Precondition: `timeline` is a replay of `dag` on
/// `machine`.
[[nodiscard]] CriticalPath critical_path(const Dag& dag, const Machine& machine, const Timeline& timeline, TaskId last,
                                         Time begin = {});

/// The path to the task that ends last of all, with `unexplained` filled in; empty for an
/// empty capture. Precondition: `timeline` is a replay on Machine::as_recorded(capture), whatever
/// its durations and network.
[[nodiscard]] CriticalPath critical_path(const Capture& capture, const Timeline& timeline);

/// The path to the end of recording.steps[step], back to its start.
[[nodiscard]] CriticalPath critical_path_of_step(const Capture& capture, const Timeline& timeline, std::size_t step);

/// "launch of aten::mm", "its lane: PUSH 3 was in front", "rank 3, the last to arrive".
/// Names are as the trace has them.
[[nodiscard]] std::string released_by_text(const Dag& dag, const PathTask& task);
/// What let `task` itself start; a collective's other members are left out.
[[nodiscard]] std::string released_by_text(const Dag& dag, const Timeline& timeline, TaskId task);

/// What a rank cost the others: for each collective in which it arrived last, how long the
/// others had waited for it.
struct Straggler {
  Rank rank = 0;
  Duration each{};              ///< waiting of one of the others, on average, summed over collectives
  std::size_t last_in = 0;      ///< collectives of several ranks in which it was last
  std::size_t collectives = 0;  ///< collectives of several ranks it took part in
};
/// Every rank that takes part in a collective of several ranks, the costliest first.
[[nodiscard]] std::vector<Straggler> stragglers(const Dag& dag, const Timeline& timeline);

/// One row a task of the path, at most `rows`, the longest kept, in order of time.
[[nodiscard]] Table path_table(const Dag& dag, const CriticalPath& path, std::size_t rows);
/// One row a class.
[[nodiscard]] Table class_table(const CriticalPath& path);
/// One row a rank the path passes through, the longest first.
[[nodiscard]] Table rank_table(const Dag& dag, const CriticalPath& path);
[[nodiscard]] Table straggler_table(const std::vector<Straggler>& stragglers);

}  // namespace stepsim::sim

#endif
