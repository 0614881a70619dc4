#ifndef STEPSIM_MODEL_REWRITE_TASK_COPIER_H
#define STEPSIM_MODEL_REWRITE_TASK_COPIER_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/job/recording.h"
#include "model/rewrite/capture_edit.h"

namespace stepsim {

/// True for a lane whose tasks a device does.
[[nodiscard]] bool is_of_device(const Lane& lane) noexcept;

/// The copies of some tasks. Refers to the list of these tasks.
class TaskCopies {
 public:
  TaskCopies() = default;
  /// `tasks` is ascending; the copy of the i-th is `first` + i.
  TaskCopies(std::span<const TaskId> tasks, TaskId first) : tasks_(tasks), first_(first) {}

  [[nodiscard]] bool empty() const noexcept { return tasks_.empty(); }
  /// Returns the copy of a task, or an invalid id if the task was not copied. O(log tasks).
  [[nodiscard]] TaskId find(TaskId task) const noexcept;
  /// Returns the copy of a task that was copied. O(log tasks).
  [[nodiscard]] TaskId at(TaskId task) const;
  /// Returns the copy of the i-th task.
  [[nodiscard]] TaskId operator[](std::size_t i) const noexcept { return TaskId{first_.index() + i}; }
  /// Returns the copy of the task with the smallest id. Precondition: not empty().
  [[nodiscard]] TaskId front() const noexcept { return first_; }

 private:
  std::span<const TaskId> tasks_;
  TaskId first_;
};

/// Where copies run, and how they differ from their tasks.
struct CopyTarget {
  std::int32_t step = -1;  ///< of all copies, an index into Recording::steps
  /// The step of the copy of a task of a captured step; if set, `step` is not used.
  std::function<std::int32_t(Rank rank, std::int32_t captured)> step_of{};
  std::optional<Rank> rank{};  ///< whose lanes are like those of the tasks; nothing if copies run on the tasks' lanes
  LaneId thread{};             ///< if valid, the lane of copies of all tasks that are on no device
  Duration later{};            ///< how much later than the tasks they were recorded
  std::int64_t parts = 1;      ///< a copy's work is one of so many equal parts of the task's
  /// The rendezvous of copies of members of a captured one. If not set, each call of copy() adds one like it.
  std::function<RendezvousId(RendezvousId captured)> rendezvous{};
  bool with_gradients = true;  ///< false if copies compute gradients that are not yet complete
};

/// Copies tasks of a capture within an edit of it, with all that belongs to them: the edges between them and the
/// credits that they return, their collectives, recorded times and events, operators, launch parameters, annotations,
/// gradients, what is known of their waits and pauses, and the device of their rank. Work that copies do is counted as
/// further calls of the same operators.
class TaskCopier {
 public:
  /// Keeps references to both. `capture` is the one that is edited, or has other recorded times. O(gradients log
  /// gradients).
  TaskCopier(const Capture& capture, CaptureEdit& edit);

  /// Adds copies of `tasks`, ascending ids of the capture, with consecutive ids. The result refers to `tasks`.
  /// O(tasks log tasks + edges).
  TaskCopies copy(std::span<const TaskId> tasks, const CopyTarget& target);

 private:
  void copy_tasks(std::span<const TaskId> tasks, const CopyTarget& target);
  void copy_edges(std::span<const TaskId> tasks, const CopyTarget& target);
  void copy_tables(std::span<const TaskId> tasks);
  void copy_gradients(std::span<const TaskId> tasks);
  [[nodiscard]] LaneId lane_of(LaneId captured, const CopyTarget& target);
  void copy_device(Rank from, Rank to);
  [[nodiscard]] TaskId copy_of(TaskId task) const { return copy_of_[task.index()]; }

  const Capture& capture_;
  CaptureEdit& edit_;
  std::map<Rank, std::vector<LaneId>> lanes_;                    ///< by rank and captured lane; invalid if not copied
  std::map<Rank, std::string> hosts_;                            ///< of the captured ranks
  std::vector<std::pair<TaskId, std::size_t>> gradient_places_;  ///< their indices, by task
  std::vector<TaskId> copy_of_;                                  ///< of each captured task, during copy()
  std::uint32_t copies_ = 0;                                     ///< number of calls of copy()
};

}  // namespace stepsim

#endif
