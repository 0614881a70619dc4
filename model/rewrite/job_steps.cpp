#include "model/rewrite/repeated_step.h"

#include <algorithm>
#include <map>
#include <set>

namespace stepsim {
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
  return step + 1 < count_ && std::all_of(parts_[step].begin(), parts_[step].end(),
                                          [&](std::size_t part) { return recording_.steps[part].next_follows; });
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
