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
  /// Adds a task to step `step` (an index into Recording::steps, or -1). Its recorded times, which replays ignore, are
  /// derived from its hint. It has no events and no origin.
  TaskId add_task(const TaskSpec& task, std::int32_t step);
  /// Adds a task that repeats the work of task `of`: it gets the same events and origin (see Recording).
  TaskId add_copy(TaskId of, const TaskSpec& task, std::int32_t step);
  /// Appends a step. Returns its index into Recording::steps.
  std::int32_t add_step(const RecordedStep& step);
  /// Returns the step at an index into Recording::steps. Its first task can be changed.
  [[nodiscard]] RecordedStep& step(std::size_t index) noexcept { return capture_.recording.steps[index]; }
  /// Appends a gradient.
  void add_gradient(const Gradient& gradient) { capture_.gradients.push_back(gradient); }
  /// Assigns an operator's work to a task. An occurrence number above all others is a separate call.
  void add_operator_use(const OperatorTable::Use& use);
  /// Gives a task the launch parameters of another one.
  void add_launch_use(const LaunchTable::Use& use) { capture_.launches.uses.push_back(use); }
  /// Gives a copy of a captured task the task's entries in the tables of operators, launches and annotations. Its calls
  /// are `shift` occurrences later.
  void copy_uses(TaskId of, TaskId copy, std::uint32_t shift);
  void add_annotation_use(const AnnotationTable::Use& use) { capture_.annotations.uses.push_back(use); }
  /// Removes a task with its edges and its part in a rendezvous; nothing replaces the edges. A step whose first task is
  /// removed is dropped, so its other tasks must be removed, too.
  void remove(TaskId task) { removed_[task.index()] = true; }

  /// Returns the capture with the new graph. Throws CycleError.
  [[nodiscard]] Capture finish() &&;

 private:
  void drop_steps();

  Capture capture_;
  DagBuilder builder_;
  std::vector<bool> removed_;
  /// The number of captured entries of each table.
  std::size_t operator_uses_;
  std::size_t launch_uses_;
  std::size_t annotation_uses_;
};

}  // namespace stepsim

#endif
