#ifndef STEPSIM_MODEL_REWRITE_REPEATED_STEP_H
#define STEPSIM_MODEL_REWRITE_REPEATED_STEP_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "model/job/recording.h"

/// The steps of a job, and what one of them does again that another one did.
namespace stepsim {

using JobStep = std::uint32_t;
inline constexpr JobStep kNoJobStep = std::numeric_limits<JobStep>::max();

/// The whole steps of all ranks with one number, as one step of the job, in the order of their numbers.
class JobSteps {
 public:
  explicit JobSteps(const Recording& recording);

  /// There are some, all marked, each with a part of every rank.
  [[nodiscard]] bool are_alike() const noexcept { return count_ > 0 && marked_ && alike_; }
  [[nodiscard]] JobStep count() const noexcept { return count_; }
  [[nodiscard]] std::int64_t number(JobStep step) const { return recording_.steps[parts_[step].front()].number; }
  /// The job's step that a rank's step is part of; kNoJobStep if it is not used.
  [[nodiscard]] JobStep of(std::int32_t step) const {
    return step < 0 ? kNoJobStep : of_step_[static_cast<std::size_t>(step)];
  }
  /// Indices into Recording::steps.
  [[nodiscard]] const std::vector<std::size_t>& parts(JobStep step) const { return parts_[step]; }
  /// Whether the next one follows at once on every rank.
  [[nodiscard]] bool next_follows(JobStep step) const;

 private:
  const Recording& recording_;
  std::vector<JobStep> of_step_;
  std::vector<std::vector<std::size_t>> parts_;
  JobStep count_ = 0;
  bool marked_ = true;
  bool alike_ = true;
};

/// Every task's step. One of no step that lies between tasks of steps is given to the one that it follows.
/// O(tasks + edges).
[[nodiscard]] std::vector<JobStep> steps_of_tasks(const Dag& dag, const Recording& recording, const JobSteps& steps);

/// Which task of one step does what a task of another one does: that of its lane and name which comes as late.
class Counterparts {
 public:
  Counterparts(const Dag& dag, const std::vector<TaskId>& step, const std::vector<TaskId>& other);

  /// Invalid if there is none. Precondition: `task` is of the other step.
  [[nodiscard]] TaskId of(TaskId task) const;

 private:
  using Entry = std::tuple<LaneId, NameId, TaskId>;
  static Entry entry_of(const Dag& dag, TaskId like, TaskId task);
  static std::vector<Entry> in_order(const Dag& dag, const std::vector<TaskId>& tasks);

  const Dag& dag_;
  std::vector<Entry> step_;
  std::vector<Entry> other_;
};

/// The numbers of the steps that can be repeated, ascending: those that another captured step follows, or, if none
/// does, all. Throws CannotAnswer for a capture without marked steps, or whose ranks have different steps.
[[nodiscard]] std::vector<std::int64_t> repeatable_steps(const Capture& capture);

/// The job of `count` iterations, numbered from 0, each of which does what the captured step `number` does:
///
/// * a task takes what it takes in that step;
/// * within an iteration hold the edges and rendezvous of the step;
/// * from one to the next hold the edges from the step to the captured one that follows it, whose tasks are found by
///   their lane, name and place; and threads and streams go on in order. Without a next step only the latter.
///
/// So iterations overlap as the captured ones do: nothing waits for all of the one before. Recorded times are those of
/// the step, each iteration a step's length behind the one before it; no replay uses them but for where ranks begin.
///
/// Throws CannotAnswer where a collective is in several steps, UsageError for a `count` of 0 or more than 10 million
/// tasks. Precondition: `number` is one of repeatable_steps(). O((tasks + edges) log tasks) of the result.
[[nodiscard]] Capture with_repeated_step(const Capture& capture, std::int64_t number, std::size_t count);

}  // namespace stepsim

#endif
