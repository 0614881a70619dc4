#ifndef STEPSIM_MODEL_REWRITE_CAPTURE_EDIT_H
#define STEPSIM_MODEL_REWRITE_CAPTURE_EDIT_H

#include <cstdint>
#include <vector>

#include "model/job/dag_builder.h"
#include "model/job/recording.h"

namespace stepsim {

/// The inputs and the job of `capture`, without its tasks and what refers to them: a rebuilt graph starts from it.
[[nodiscard]] Capture without_tasks(const Capture& capture);

/// A capture's graph taken apart, to make another one of it, as a change of the job would have.
/// Until finish() every id is the capture's; what is added has the ids after those.
/// Holds a copy of the capture. O(tasks log tasks + edges) in all.
class CaptureEdit {
 public:
  explicit CaptureEdit(const Capture& capture);

  /// The graph: edges and durations may be changed, edges and rendezvous added.
  [[nodiscard]] DagBuilder& builder() noexcept { return builder_; }
  /// A task of step `step` (an index into Recording::steps, or -1). Its recorded times, which no
  /// replay uses, are its hint and what follows from that. It has no events and no origin.
  TaskId add_task(const TaskSpec& task, std::int32_t step);
  /// The same for a task that does what one of the capture does: it has the same events and origin (Recording).
  TaskId add_copy(TaskId of, const TaskSpec& task, std::int32_t step);
  /// A step behind all others. Returns its index into Recording::steps.
  std::int32_t add_step(const RecordedStep& step);
  /// The step at an index into Recording::steps: another task may begin it.
  [[nodiscard]] RecordedStep& step(std::size_t index) noexcept { return capture_.recording.steps[index]; }
  /// A gradient behind all others.
  void add_gradient(const Gradient& gradient) { capture_.gradients.push_back(gradient); }
  /// A task that does an operator's work; an occurrence beyond all others is a call of its own.
  void add_operator_use(const OperatorTable::Use& use);
  /// A task that is launched as another one is.
  void add_launch_use(const LaunchTable::Use& use) { capture_.launches.uses.push_back(use); }
  void add_annotation_use(const AnnotationTable::Use& use) { capture_.annotations.uses.push_back(use); }
  /// Takes a task out, with its edges and its part in a rendezvous; no edges replace them. A step
  /// whose first task is removed goes too: then remove its other tasks as well.
  void remove(TaskId task) { removed_[task.index()] = true; }

  /// The capture with the new graph. Throws CycleError.
  [[nodiscard]] Capture finish() &&;

 private:
  void drop_steps();

  Capture capture_;
  DagBuilder builder_;
  std::vector<bool> removed_;
};

}  // namespace stepsim

#endif
