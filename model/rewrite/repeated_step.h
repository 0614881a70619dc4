#ifndef STEPSIM_MODEL_REWRITE_REPEATED_STEP_H
#define STEPSIM_MODEL_REWRITE_REPEATED_STEP_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "model/job/recording.h"

/// The steps of a job, and which tasks of different steps correspond to each other.
namespace stepsim {

using JobStep = std::uint32_t;
inline constexpr JobStep kNoJobStep = std::numeric_limits<JobStep>::max();

/// Groups the whole steps of all ranks by number: each number is one step of the job. Ordered by number.
class JobSteps {
 public:
  explicit JobSteps(const Recording& recording);

  /// True if there are steps, all of them are marked in the traces, and every rank has a part of each.
  [[nodiscard]] bool are_alike() const noexcept { return count_ > 0 && marked_ && alike_; }
  [[nodiscard]] JobStep count() const noexcept { return count_; }
  [[nodiscard]] std::int64_t number(JobStep step) const { return recording_.steps[parts_[step].front()].number; }
  /// Returns the step of the job that a rank's step is part of, or kNoJobStep if it is not used.
  [[nodiscard]] JobStep of(std::int32_t step) const {
    return step < 0 ? kNoJobStep : of_step_[static_cast<std::size_t>(step)];
  }
  /// Returns the ranks' parts of a step of the job, as indices into Recording::steps.
  [[nodiscard]] const std::vector<std::size_t>& parts(JobStep step) const { return parts_[step]; }
  /// True if the next step of the job follows immediately on every rank.
  [[nodiscard]] bool next_follows(JobStep step) const;

 private:
  const Recording& recording_;
  std::vector<JobStep> of_step_;
  std::vector<std::vector<std::size_t>> parts_;
  JobStep count_ = 0;
  bool marked_ = true;
  bool alike_ = true;
};

/// Returns the step of the job that each task belongs to. A task that belongs to no step but lies between tasks of
/// steps is assigned to the step it follows. O(tasks + edges).
[[nodiscard]] std::vector<JobStep> steps_of_tasks(const Dag& dag, const Recording& recording, const JobSteps& steps);

/// Returns the tasks of each step, ascending. O(tasks).
[[nodiscard]] std::vector<std::vector<TaskId>> tasks_of_steps(const std::vector<JobStep>& step_of, JobStep count);

/// Finds corresponding tasks of two steps. Tasks correspond if they have the same lane and name, and the same position
/// among the tasks with this lane and name.
class Counterparts {
 public:
  Counterparts(const Dag& dag, const std::vector<TaskId>& step, const std::vector<TaskId>& other);

  /// Returns the task of `step` that corresponds to `task`, or an invalid id if there is none. Precondition: `task` is
  /// in `other`.
  [[nodiscard]] TaskId of(TaskId task) const;

 private:
  using Entry = std::tuple<LaneId, NameId, TaskId>;
  static Entry entry_of(const Dag& dag, TaskId like, TaskId task);
  static std::vector<Entry> in_order(const Dag& dag, const std::vector<TaskId>& tasks);

  const Dag& dag_;
  std::vector<Entry> step_;
  std::vector<Entry> other_;
};

/// The tasks of each step of a job, ascending, by step.
using TasksOfSteps = std::vector<std::vector<TaskId>>;

/// A step that is repeated round after round. Its tasks wait for tasks of the same round by the edges of the step, and
/// for tasks of the previous round by the edges between it and the next captured step, or else the one before, whose
/// tasks are matched by lane, name and position, and by the order of threads and streams.
class RepeatedStep {
 public:
  /// Keeps references to its arguments. `step_of` is steps_of_tasks(), and `tasks` the tasks of these steps. O(tasks of
  /// the step).
  RepeatedStep(const Dag& dag, const JobSteps& steps, const std::vector<JobStep>& step_of, const TasksOfSteps& tasks,
               JobStep step);

  /// A captured edge as a wait of the next round: `to` waits for `from` of the round before.
  struct Wait {
    TaskId from;
    TaskId to;
    EdgeId edge;
    TaskId source;  ///< the task at which `edge` begins: `from`, or its counterpart in the step before
  };
  /// Calls visit(wait) for each wait from a round to the next, in the order of Wait::source. O(edges of the steps),
  /// plus O(tasks log tasks).
  template <class Visit>
  void for_each_wait(Visit visit) {
    if (before_ == kNoJobStep) return;
    for (const TaskId source : tasks_[before_]) {
      for (const EdgeId edge : dag_.edges_from(source)) {
        const TaskId target = dag_.target(edge);
        if (step_of_[target.index()] != before_ + 1) continue;
        const auto [from, to] = counterparts(source, target);
        if (from.valid() && to.valid()) visit(Wait{from, to, edge, source});
      }
    }
  }

  /// Calls visit(kind, last, first) for each thread and stream with its last task of a round, which the first one of
  /// the next round follows.
  template <class Visit>
  void for_each_lane(Visit visit) const {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      const LaneKind kind = dag_.lanes()[lane].kind;
      const auto& [first, last] = lanes_[lane];
      if (first.valid() && (kind == LaneKind::kThread || kind == LaneKind::kStream)) visit(kind, last, first);
    }
  }

  /// True if a captured edge between two steps can tell what the next round waits for.
  [[nodiscard]] bool follows() const noexcept { return before_ != kNoJobStep; }

 private:
  /// Returns the tasks of the step that correspond to the ends of a captured edge between two steps. An id is invalid
  /// if there is none.
  [[nodiscard]] std::pair<TaskId, TaskId> counterparts(TaskId source, TaskId target);

  const Dag& dag_;
  const std::vector<JobStep>& step_of_;
  const TasksOfSteps& tasks_;
  JobStep step_;
  JobStep before_;  ///< the earlier one of the two neighbours, of which the step is one; kNoJobStep if there are none
  std::vector<std::pair<TaskId, TaskId>> lanes_;  ///< by lane, its first and last task; invalid if it has none
  std::optional<Counterparts> counterparts_;      ///< of tasks of the neighbour; made on first use
};

/// Returns the numbers of the steps that can be repeated, ascending: these are the steps followed by another captured
/// step, or all steps if there are none. Throws CannotAnswer if the capture has no marked steps or if its ranks have
/// different steps.
[[nodiscard]] std::vector<std::int64_t> repeatable_steps(const Capture& capture);

/// Returns a job of `count` iterations, numbered from 0, that each repeat the captured step `number`:
///
/// - Each task has its duration in that step.
/// - Within an iteration, the edges and rendezvous of the step apply.
/// - Between iterations, tasks wait as in a RepeatedStep. Without a next step, only the order of threads and streams
///   applies.
///
/// Iterations therefore overlap as the captured steps do: nothing waits for a complete iteration. Recorded times are
/// those of the step, moved by the length of the step for each iteration. A replay uses them only to place the start of
/// each rank.
///
/// Throws CannotAnswer if a collective spans several steps, and UsageError if `count` is 0 or the result has more than
/// 10 million tasks. Precondition: `number` is one of repeatable_steps(). O((tasks + edges) log tasks) of the result.
[[nodiscard]] Capture with_repeated_step(const Capture& capture, std::int64_t number, std::size_t count);

}  // namespace stepsim

#endif
