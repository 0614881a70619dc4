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

/// The chain of tasks that leads to the end of a replay, or of a step. The walk goes back from the task that ends last:
/// from each task to the task that released it. A task is released by a predecessor or by the task before it on a FIFO
/// or priority lane. A member of a collective is released by the task that released the last member to arrive. The walk
/// ends at a task that nothing released, or at the requested begin.
///
/// Every nanosecond from begin to end belongs to one class:
///   compute, communication, copy, host  a task on the path runs and the next one is not ready yet
///   queueing  a task on the path runs while the next one is ready and waits for the same lane
///   loader    a task on the path waits for processes that load data
///   wait      before a task: a lag (launch latency, a message in flight, an unexplained wait), or the late
///             start of the path's first rank
///
/// The path is exact, because the engine records what released each task. Shortening a task on it may still not shorten
/// the replay if another chain is equally long.
namespace stepsim::sim {

// Makes to_text() for units visible here, although the to_text() below would hide it.
using stepsim::to_text;

enum class PathClass : std::uint8_t { kCompute, kCommunication, kCopy, kHost, kQueueing, kWait, kLoader };
inline constexpr std::size_t kPathClassCount = 7;
/// Returns "compute", "communication", "copy", "host", "queueing", "wait", "loader".
[[nodiscard]] std::string_view to_text(PathClass path_class) noexcept;
/// Returns the class of a task while it runs and the next one is not ready. Copies on a device's stream, or between
/// host and device on a copy engine, are not communication: they stay within one device, or between it and its host, so
/// no network could make them faster. Copies from device to device are communication, and so are the copies of a
/// parameter-server job, which are stages of its communication.
[[nodiscard]] PathClass path_class_of(const Dag& dag, TaskId task);

/// One task on the path, from `start` for `duration`.
struct PathTask {
  TaskId task;
  Time start;  ///< start of its part of the path; for a collective, the arrival of its last member
  Duration duration{};
  Duration wait{};      ///< wait before `start`: a lag, or for the first task its rank's late start
  Duration queueing{};  ///< the last part of `duration`, while the next task on the path was ready
  Release release;      ///< what released the task, or the collective's last member
  TaskId last_arrival;  ///< the collective's last member if that is another task; else invalid
};

/// Returns the task that `task.release` released: for a member of a collective, the member that arrived last; otherwise
/// the task itself.
[[nodiscard]] TaskId released_task(const PathTask& task) noexcept;

struct CriticalPath {
  std::vector<PathTask> tasks;                      ///< tasks of the path, ordered by time
  Time begin;                                       ///< time at which the path begins; its first task may start later
  Duration length{};                                ///< time from `begin` to the end of the last task
  std::array<Duration, kPathClassCount> classes{};  ///< time by class; the times sum to `length`
  /// The next five fields need recorded times. They are zero unless the path was computed from a Capture.
  Duration unexplained{};      ///< the part of `wait` that the recording marks as unexplained
  Duration silent{};           ///< the part of `host` in which no event shows what the host does
  Duration paused{};           ///< the part of its tasks that is pauses (Recording::pauses)
  std::size_t hand_overs = 0;  ///< tasks that a task of another lane released
  std::size_t inferred = 0;    ///< those of `hand_overs` whose dependency was inferred from recorded times alone
  [[nodiscard]] Duration operator[](PathClass c) const noexcept { return classes[static_cast<std::size_t>(c)]; }
};

/// Returns the path to the end of `last`, cut off at `begin`. O(tasks on the path + edges of the dag). Precondition:
/// `timeline` is a replay of `dag` on `machine`.
[[nodiscard]] CriticalPath critical_path(const Dag& dag, const Machine& machine, const Timeline& timeline, TaskId last,
                                         Time begin = {});

/// Returns the path to the task that ends last, including the fields of CriticalPath that need recorded times; empty
/// for an empty capture. Precondition: `timeline` is a replay on Machine::as_recorded(capture), with any durations and
/// network.
[[nodiscard]] CriticalPath critical_path(const Capture& capture, const Timeline& timeline);

/// Returns the path through a step of the replay, from its begin to its end; it is as long as the step. The path ends
/// with `step.last`, which contributes no time if the step ends when that task starts.
[[nodiscard]] CriticalPath critical_path_of_step(const Capture& capture, const Timeline& timeline,
                                                 const TimedStep& step);

/// The critical path of one iteration, and the step it belongs to.
struct IterationPath {
  struct Step {
    Rank rank = 0;
    std::int64_t number = 0;
    TimedStep timed;
  };
  CriticalPath path;
  std::optional<Step> step;  ///< the step; absent if the path is that of the whole replay
};

/// Returns the path of the slowest rank's typical step: the one whose time is nearest to the iteration's, the shorter
/// one of two. If `like` is a step of that rank and whole in this replay too, takes that step, so that the paths of a
/// job before and after a change are of the same work. Without steps, returns the path of the whole replay. A path over
/// several steps would be less useful: it may run through a thread that merely ends last, such as a watchdog.
/// Precondition: `summary` was computed from `timeline`.
[[nodiscard]] IterationPath iteration_path(const Capture& capture, const Timeline& timeline, const Summary& summary,
                                           const std::optional<IterationPath::Step>& like = std::nullopt);

/// Returns the number of the step that contains most of the path's time, over all ranks; the first one for ties;
/// nothing if none of its tasks is in a step. Every output that shows "the step of the path" uses this function.
[[nodiscard]] std::optional<std::int64_t> step_of_path(const Recording& recording, const CriticalPath& path);

}  // namespace stepsim::sim

#endif
