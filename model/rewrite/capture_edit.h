#ifndef STEPSIM_MODEL_REWRITE_CAPTURE_EDIT_H
#define STEPSIM_MODEL_REWRITE_CAPTURE_EDIT_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/job/dag_builder.h"
#include "model/job/recording.h"

namespace stepsim {

/// A job that is made by copying tasks may have so many. They take some 2 GB.
inline constexpr std::size_t kMostCopiedTasks = 10'000'000;

/// Returns the inputs and the job of `capture`, without its tasks and everything that refers to them. A rebuilt graph
/// starts from it.
[[nodiscard]] Capture without_tasks(const Capture& capture);

/// Returns the capture with each task as its own origin (Recording::origin). O(tasks).
[[nodiscard]] Capture with_origins(Capture capture);

/// Returns the capture without the lags that nothing explains (Recording::unexplained). Its replay shows what the known
/// work and dependencies take. O(tasks log tasks + edges).
[[nodiscard]] Capture without_unexplained_waits(const Capture& capture);

/// Edits the graph of a capture, to simulate a change of the job. Until finish(), all ids are those of the capture;
/// added items get the ids after those. Contains a copy of the capture. O(tasks log tasks + edges) in all.
class CaptureEdit {
 public:
  explicit CaptureEdit(const Capture& capture);

  /// Returns the builder of the graph. Edges and durations can be changed, and edges and rendezvous can be added.
  [[nodiscard]] DagBuilder& builder() noexcept { return builder_; }
  /// Reserves memory for so many more tasks and edges, and for a few besides.
  void reserve(std::size_t tasks, std::size_t edges);
  /// Adds a task to step `step` (an index into Recording::steps, or -1). Its recorded times, which replays ignore, are
  /// derived from its hint. It has no events and no origin.
  TaskId add_task(const TaskSpec& task, std::int32_t step);
  /// Appends a step. Returns its index into Recording::steps.
  std::int32_t add_step(const RecordedStep& step);
  /// Returns the step at an index into Recording::steps. Its first task can be changed.
  [[nodiscard]] RecordedStep& step(std::size_t index) noexcept { return capture_.recording.steps[index]; }
  /// Removes a task with its edges and its part in a rendezvous; nothing replaces the edges. A step whose first task is
  /// removed is dropped, so its other tasks must be removed, too.
  void remove(TaskId task) { removed_[task.index()] = true; }
  /// Removes the captured tasks and steps, so that only what was added is left.
  void remove_captured();

  /// Returns the capture with the new graph. Throws CycleError.
  [[nodiscard]] Capture finish() &&;

 private:
  friend class TaskCopier;  // adds to each table what belongs to a copy
  void drop_steps();

  Capture capture_;  ///< without its graph, which the builder has
  DagBuilder builder_;
  std::vector<bool> removed_;
  std::size_t captured_tasks_;
  std::size_t captured_steps_;
  std::size_t dropped_steps_ = 0;  ///< the number of steps from the first on that are dropped
};

}  // namespace stepsim

#endif
