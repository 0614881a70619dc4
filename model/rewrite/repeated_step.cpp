#include "model/rewrite/repeated_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "model/base/error.h"
#include "model/job/dag_builder.h"
#include "model/rewrite/capture_edit.h"
#include "model/rewrite/task_copier.h"

namespace stepsim {
namespace {

void refuse_unalike(const JobSteps& steps) {
  if (steps.are_alike()) return;
  throw CannotAnswer({}, steps.count() == 0
                             ? "the capture has no whole step to repeat; expected a trace that marks steps"
                             : "the capture marks no steps, or its ranks have different ones; expected a trace of the "
                               "same marked steps of all ranks");
}

std::vector<JobStep> repeatable(const JobSteps& steps) {
  std::vector<JobStep> followed;
  std::vector<JobStep> all;
  for (JobStep step = 0; step < steps.count(); ++step) {
    all.push_back(step);
    if (steps.next_follows(step)) followed.push_back(step);
  }
  return followed.empty() ? all : followed;
}

class StepRepeater {
 public:
  StepRepeater(const Capture& capture, const JobSteps& steps, JobStep step, std::size_t count)
      : capture_(capture),
        dag_(capture.dag),
        recording_(capture.recording),
        steps_(steps),
        step_(step),
        count_(count),
        step_of_(steps_of_tasks(dag_, recording_, steps)),
        tasks_of_steps_(tasks_of_steps(step_of_, steps.count())),
        tasks_(tasks_of_steps_[step]),
        repeated_(dag_, steps, step_of_, tasks_of_steps_, step),
        edit_(capture) {}

  Capture run() && {
    check();
    find_span();
    add_steps();
    TaskCopier copier(capture_, edit_);
    for (std::size_t round = 0; round < count_; ++round) add_round(round, copier);
    for (std::size_t round = 0; round + 1 < count_; ++round) let_next_round_wait(round);
    edit_.remove_captured();
    Capture result = std::move(edit_).finish();
    if (!repeated_.follows() && count_ > 1) {
      result.assumptions.push_back({"no_next_step",
                                    "No two consecutive steps were captured: a step waits for the previous one only on "
                                    "its threads and streams."});
    }
    return result;
  }

 private:
  void check() const {
    if (count_ == 0) throw UsageError("0 iterations found; expected at least 1");
    if (tasks_.size() > kMostCopiedTasks / count_) {
      throw UsageError(fmt::format("{} iterations of {} tasks are too many; expected at most {} tasks in all", count_,
                                   tasks_.size(), kMostCopiedTasks));
    }
    for (const TaskId task : tasks_) {
      const RendezvousId rendezvous = dag_.rendezvous(task);
      if (!rendezvous.valid()) continue;
      for (const TaskId member : dag_.members(rendezvous)) {
        if (step_of_[member.index()] == step_) continue;
        throw CannotAnswer({}, fmt::format("ranks take part in {} in different steps, so no single step can be "
                                           "repeated; expected collectives within steps",
                                           dag_.name(task)));
      }
    }
  }

  void find_span() {
    Time begin = Time::max();
    Time end = Time::min();
    for (const TaskId task : tasks_) {
      begin = std::min(begin, recording_.start[task.index()]);
      end = std::max(end, recording_.finish[task.index()]);
    }
    span_ = end - begin;
  }

  /// Adds the ranks' steps of all rounds, ordered by rank.
  void add_steps() {
    for (const std::size_t part : steps_.parts(step_)) {
      RecordedStep step = recording_.steps[part];
      for (std::size_t round = 0; round < count_; ++round) {
        step.number = static_cast<std::int64_t>(round);
        step.next_follows = round + 1 < count_;
        first_steps_.try_emplace(step.rank, edit_.add_step(step));
      }
    }
  }

  [[nodiscard]] std::int32_t step_of(Rank rank, std::size_t round) const {
    const auto first = first_steps_.find(rank);
    return first == first_steps_.end() ? -1 : first->second + static_cast<std::int32_t>(round);
  }

  void add_round(std::size_t round, TaskCopier& copier) {
    const TaskCopies copies =
        copier.copy(tasks_, {.step_of = [&](Rank rank, std::int32_t) { return step_of(rank, round); },
                             .later = span_ * static_cast<std::int64_t>(round)});
    for (const auto& [rank, index] : first_steps_) {
      TaskId& first = edit_.step(static_cast<std::size_t>(step_of(rank, round))).first;
      first = copies.find(first);
    }
    rounds_.push_back(copies);
  }

  void let_next_round_wait(std::size_t round) {
    DagBuilder& builder = edit_.builder();
    const TaskCopies& from = rounds_[round];
    const TaskCopies& to = rounds_[round + 1];
    repeated_.for_each_wait([&](const RepeatedStep::Wait& wait) {
      builder.add_edge(from.at(wait.from), to.at(wait.to), dag_.edge_kind(wait.edge), dag_.lag(wait.edge));
    });
    repeated_.for_each_lane([&](LaneKind kind, TaskId last, TaskId first) {
      builder.add_edge(from.at(last), to.at(first), kind == LaneKind::kThread ? EdgeKind::kProgram : EdgeKind::kStream);
    });
  }

  const Capture& capture_;
  const Dag& dag_;
  const Recording& recording_;
  const JobSteps& steps_;
  JobStep step_;
  std::size_t count_;
  std::vector<JobStep> step_of_;
  TasksOfSteps tasks_of_steps_;
  const std::vector<TaskId>& tasks_;  ///< tasks of the step
  RepeatedStep repeated_;
  Duration span_{};
  CaptureEdit edit_;
  std::map<Rank, std::int32_t> first_steps_;  ///< the index of each rank's step of the first round
  std::vector<TaskCopies> rounds_;
};

}  // namespace

std::vector<std::int64_t> repeatable_steps(const Capture& capture) {
  const JobSteps steps(capture.recording);
  refuse_unalike(steps);
  std::vector<std::int64_t> numbers;
  for (const JobStep step : repeatable(steps)) numbers.push_back(steps.number(step));
  return numbers;
}

Capture with_repeated_step(const Capture& capture, std::int64_t number, std::size_t count) {
  const JobSteps steps(capture.recording);
  refuse_unalike(steps);
  const std::vector<JobStep> known = repeatable(steps);
  const auto step = std::find_if(known.begin(), known.end(), [&](JobStep one) { return steps.number(one) == number; });
  STEPSIM_ASSERT(step != known.end(), "the step is one that can be repeated");
  return StepRepeater(capture, steps, *step, count).run();
}

namespace {

/// True if the step is whole and was requested.
bool is_used(const RecordedStep& step) { return step.asked && step.whole && step.first.valid(); }

}  // namespace

JobSteps::JobSteps(const Recording& recording) : recording_(recording), of_step_(recording.steps.size(), kNoJobStep) {
  std::map<std::int64_t, JobStep> numbers;
  std::set<Rank> ranks;
  for (const RecordedStep& step : recording.steps) {
    if (!is_used(step)) continue;
    numbers.try_emplace(step.number, 0);
    ranks.insert(step.rank);
    marked_ = marked_ && step.marked;
  }
  for (auto& [number, index] : numbers) index = count_++;
  parts_.resize(count_);
  for (std::size_t i = 0; i < of_step_.size(); ++i) {
    if (!is_used(recording.steps[i])) continue;
    of_step_[i] = numbers[recording.steps[i].number];
    parts_[of_step_[i]].push_back(i);
  }
  alike_ = std::all_of(parts_.begin(), parts_.end(), [&](const auto& part) {
    std::set<Rank> here;
    for (const std::size_t one : part) here.insert(recording.steps[one].rank);
    return part.size() == ranks.size() && here == ranks;
  });
}

bool JobSteps::next_follows(JobStep step) const {
  return step + 1 < count_ && std::all_of(parts_[step].begin(), parts_[step].end(), [&](std::size_t part) {
           return recording_.steps[part].next_follows && part + 1 < of_step_.size() && of_step_[part + 1] == step + 1;
         });
}

std::vector<JobStep> steps_of_tasks(const Dag& dag, const Recording& recording, const JobSteps& steps) {
  std::vector<JobStep> follower(dag.task_count(), kNoJobStep);  // the earliest step after a task
  std::vector<JobStep> step_of(dag.task_count());
  for (std::size_t i = dag.task_count(); i-- > 0;) {
    step_of[i] = steps.of(recording.step[i]);
    follower[i] = step_of[i];
    if (recording.step[i] >= 0) continue;
    for (const TaskId after : dag.successors(TaskId{i})) follower[i] = std::min(follower[i], follower[after.index()]);
  }
  std::vector<JobStep> before(dag.task_count(), kNoJobStep);  // the latest step before a task
  for (const TaskId task : dag.tasks()) {
    const std::size_t i = task.index();
    if (recording.step[i] < 0 && before[i] != kNoJobStep && follower[i] != kNoJobStep) step_of[i] = before[i];
    if (step_of[i] == kNoJobStep) continue;
    for (const TaskId after : dag.successors(task)) {
      JobStep& latest = before[after.index()];
      if (latest == kNoJobStep || latest < step_of[i]) latest = step_of[i];
    }
  }
  return step_of;
}

std::vector<std::vector<TaskId>> tasks_of_steps(const std::vector<JobStep>& step_of, JobStep count) {
  std::vector<std::vector<TaskId>> tasks(count);
  for (std::size_t i = 0; i < step_of.size(); ++i) {
    if (step_of[i] != kNoJobStep) tasks[step_of[i]].emplace_back(i);
  }
  return tasks;
}

RepeatedStep::RepeatedStep(const Dag& dag, const JobSteps& steps, const std::vector<JobStep>& step_of,
                           const TasksOfSteps& tasks, JobStep step)
    : dag_(dag),
      step_of_(step_of),
      tasks_(tasks),
      step_(step),
      before_(steps.next_follows(step)                   ? step
              : step > 0 && steps.next_follows(step - 1) ? step - 1
                                                         : kNoJobStep),
      lanes_(dag.lanes().size()) {
  for (const TaskId task : tasks[step]) {
    auto& [first, last] = lanes_[dag.lane_id(task).index()];
    if (!first.valid()) first = task;
    last = task;
  }
}

std::pair<TaskId, TaskId> RepeatedStep::counterparts(TaskId source, TaskId target) {
  const bool to_next = before_ == step_;
  if (dag_.lane_id(source) == dag_.lane_id(target)) {
    const auto& [first, last] = lanes_[dag_.lane_id(source).index()];
    return {to_next ? source : last, to_next ? first : target};
  }
  if (!counterparts_) counterparts_.emplace(dag_, tasks_[step_], tasks_[to_next ? step_ + 1 : step_ - 1]);
  return to_next ? std::pair{source, counterparts_->of(target)} : std::pair{counterparts_->of(source), target};
}

Counterparts::Counterparts(const Dag& dag, const std::vector<TaskId>& step, const std::vector<TaskId>& other)
    : dag_(dag), step_(in_order(dag, step)), other_(in_order(dag, other)) {}

TaskId Counterparts::of(TaskId task) const {
  const Entry first = entry_of(dag_, task, TaskId{0U});
  const auto place = std::lower_bound(other_.begin(), other_.end(), entry_of(dag_, task, task)) -
                     std::lower_bound(other_.begin(), other_.end(), first);
  const auto here = std::lower_bound(step_.begin(), step_.end(), first);
  if (step_.end() - here <= place) return {};
  const TaskId same = std::get<TaskId>(here[place]);
  return entry_of(dag_, same, task) == entry_of(dag_, task, task) ? same : TaskId{};
}

Counterparts::Entry Counterparts::entry_of(const Dag& dag, TaskId like, TaskId task) {
  return {dag.lane_id(like), dag.name_id(like), task};
}

std::vector<Counterparts::Entry> Counterparts::in_order(const Dag& dag, const std::vector<TaskId>& tasks) {
  std::vector<Entry> entries;
  entries.reserve(tasks.size());
  for (const TaskId task : tasks) entries.push_back(entry_of(dag, task, task));
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace stepsim
