#ifndef STEPSIM_MODEL_REWRITE_JOB_STEPS_H
#define STEPSIM_MODEL_REWRITE_JOB_STEPS_H

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

}  // namespace stepsim

#endif
