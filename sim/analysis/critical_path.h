#ifndef STEPSIM_SIM_ANALYSIS_CRITICAL_PATH_H
#define STEPSIM_SIM_ANALYSIS_CRITICAL_PATH_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/rank_steps.h"
#include "sim/analysis/summary.h"
#include "sim/engine/machine.h"
#include "sim/engine/timeline.h"

/// The chain of tasks that leads to the end of a replay, or of a step. The walk goes back from the task
/// that ends last: from each task to what released it, which is a predecessor, the task in front of it on
/// a FIFO or priority lane, or, for a member of a collective, whatever released the member that arrived
/// last. It ends at a task that nothing released, or at the begin that is asked for.
///
/// Every nanosecond from begin to end falls in one class:
///   compute, communication, copy, host  a task on the path runs and the next one is not ready yet
///   queueing  a task on the path runs while the next one stands ready for the same lane
///   loader    a task on the path waits for processes that load data
///   wait      before a task: a lag (launch latency, a message under way, waiting that nothing explains),
///             or the late start of the path's first rank
///
/// The path is exact: the engine notes what released each task. A shorter task on it may still leave the
/// length as it is, where another chain is as long.
namespace stepsim::sim {

using stepsim::to_text;  // that of units is meant beside the one below

enum class PathClass : std::uint8_t { kCompute, kCommunication, kCopy, kHost, kQueueing, kWait, kLoader };
inline constexpr std::size_t kPathClassCount = 7;
/// "compute", "communication", "copy", "host", "queueing", "wait", "loader".
[[nodiscard]] std::string_view to_text(PathClass path_class) noexcept;
/// The class of a task while it runs and the next one is not ready. A copy on a device's stream, or between host and
/// device on a copy engine, is not communication, because no network could make it faster: it is within the device, or
/// between it and its host. One from device to device is, and so are the copies of a parameter-server job, which are
/// stages of its communication.
[[nodiscard]] PathClass path_class_of(const Dag& dag, TaskId task);

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

/// The task that `release` is of.
[[nodiscard]] TaskId released_task(const PathTask& task) noexcept;

struct CriticalPath {
  std::vector<PathTask> tasks;                      ///< in order of time
  Time begin;                                       ///< where the path begins; its first task may start later
  Duration length{};                                ///< from `begin` to the end of the last task
  std::array<Duration, kPathClassCount> classes{};  ///< sum to `length`
  /// The next four are filled in for a capture. What they count is known from recorded times only.
  Duration unexplained{};      ///< the part of `wait` that the recording calls unexplained
  Duration silent{};           ///< the part of `host` in which no event tells what the host does
  std::size_t hand_overs = 0;  ///< tasks that were released by one of another lane
  std::size_t inferred = 0;    ///< those of which nothing but the recorded times tells that they waited for it
  [[nodiscard]] Duration operator[](PathClass c) const noexcept { return classes[static_cast<std::size_t>(c)]; }
};

/// The path to the end of `last`, back to `begin`; what lies before that is cut off.
/// O(tasks on the path + edges of the dag). Precondition: `timeline` is a replay of `dag` on
/// `machine`.
[[nodiscard]] CriticalPath critical_path(const Dag& dag, const Machine& machine, const Timeline& timeline, TaskId last,
                                         Time begin = {});

/// The path to the task that ends last of all, with what a recording tells filled in; empty for an
/// empty capture. Precondition: `timeline` is a replay on Machine::as_recorded(capture), whatever
/// its durations and network.
[[nodiscard]] CriticalPath critical_path(const Capture& capture, const Timeline& timeline);

/// The path through a step of the replay, from its begin to its end: as long as the step. It ends with
/// `step.last`, of which nothing is on it if the step ends with that one's start.
[[nodiscard]] CriticalPath critical_path_of_step(const Capture& capture, const Timeline& timeline,
                                                 const TimedStep& step);

/// The critical path of one iteration, and whose it is.
struct IterationPath {
  struct Step {
    Rank rank = 0;
    std::int64_t number = 0;
  };
  CriticalPath path;
  std::optional<Step> step;  ///< absent: the path of the whole replay
};

/// The path of one iteration: of the slowest rank's median step. Without steps, of the whole replay.
/// (The path of several steps may run through a thread that only ends last, such as a watchdog, and
/// would say nothing about a step.) Precondition: `summary` is that of `timeline`.
[[nodiscard]] IterationPath iteration_path(const Capture& capture, const Timeline& timeline, const Summary& summary);

/// The number of the step that most of the path's time is in, whatever ranks it runs through; of steps with equally
/// much the first; nothing if none of its tasks is in a step. Every output that shows "the step of the path" asks
/// this function.
[[nodiscard]] std::optional<std::int64_t> step_of_path(const Recording& recording, const CriticalPath& path);

}  // namespace stepsim::sim

#endif
