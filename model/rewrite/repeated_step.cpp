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

namespace stepsim {
namespace {

constexpr std::size_t kMostRepeatedTasks = 10'000'000;

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

class RepeatingStep {
 public:
  RepeatingStep(const Capture& capture, const JobSteps& steps, JobStep step, std::size_t count)
      : capture_(capture),
        dag_(capture.dag),
        recording_(capture.recording),
        steps_(steps),
        step_(step),
        count_(count),
        step_of_(steps_of_tasks(dag_, recording_, steps)) {}

  Capture run() && {
    for (std::size_t i = 0; i < step_of_.size(); ++i) {
      if (step_of_[i] == step_) tasks_.emplace_back(i);
      if (step_of_[i] == step_ + 1) next_.emplace_back(i);
    }
    check();
    find_span();
    repetition_.emplace(dag_, step_of_, step_, tasks_, next_);
    for (const Lane& lane : dag_.lanes()) (void)builder_.add_lane(lane);
    place_.resize(dag_.task_count());
    for (std::size_t i = 0; i < tasks_.size(); ++i) place_[tasks_[i].index()] = i;
    builder_.groups() = dag_.groups();
    for (std::size_t copy = 0; copy < count_; ++copy) add_tasks(copy);
    for (std::size_t copy = 0; copy < count_; ++copy) add_edges(copy);
    return finish();
  }

 private:
  void check() const {
    if (count_ == 0) throw UsageError("0 iterations found; expected at least 1");
    if (tasks_.size() > kMostRepeatedTasks / count_) {
      throw UsageError(fmt::format("{} iterations of {} tasks are too many; expected at most {} tasks in all", count_,
                                   tasks_.size(), kMostRepeatedTasks));
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

  [[nodiscard]] TaskId copy_of(TaskId task, std::size_t copy) const {
    return TaskId{copy * tasks_.size() + place_[task.index()]};
  }

  void add_tasks(std::size_t copy) {
    const Duration later = span_ * static_cast<std::int64_t>(copy);
    std::map<RendezvousId, RendezvousId> rendezvous;
    for (const TaskId task : tasks_) {
      const TaskId made =
          builder_.add_task({dag_.kind(task), builder_.intern(dag_.name(task)), dag_.lane_id(task), dag_.duration(task),
                             dag_.bytes(task), recording_.start[task.index()] + later, dag_.priority(task)});
      if (const RendezvousId of = dag_.rendezvous(task); of.valid()) {
        const auto [slot, added] = rendezvous.try_emplace(of);
        if (added) slot->second = builder_.add_rendezvous(dag_.collective(of));
        builder_.join(slot->second, made);
      }
    }
    for (const TaskId task : tasks_) {
      const TaskId taker = dag_.returns_credit_of(task);
      if (taker.valid() && step_of_[taker.index()] == step_)
        builder_.return_credit(copy_of(task, copy), copy_of(taker, copy));
    }
  }

  void add_edges(std::size_t copy) {
    const bool is_last = copy + 1 == count_;
    for (const TaskId from : tasks_) {
      repetition_->for_each_edge(from, [&](TaskId to, EdgeId edge, bool next_round) {
        if (!next_round || !is_last)
          builder_.add_edge(copy_of(from, copy), copy_of(to, copy + next_round), dag_.edge_kind(edge), dag_.lag(edge));
      });
    }
    if (is_last) return;
    repetition_->for_each_lane([&](LaneKind kind, TaskId last, TaskId first) {
      builder_.add_edge(copy_of(last, copy), copy_of(first, copy + 1),
                        kind == LaneKind::kThread ? EdgeKind::kProgram : EdgeKind::kStream);
    });
  }

  Capture finish() {
    std::vector<TaskSpec> specs;
    specs.reserve(builder_.task_count());
    for (const TaskId id : builder_.tasks()) specs.push_back(builder_.task(id));
    DagBuilder::Result built = std::move(builder_).build();
    Capture result = without_tasks(capture_);
    result.dag = std::move(built.dag);
    if (next_.empty() && count_ > 1) {
      result.assumptions.push_back({"no_next_step",
                                    "No two consecutive steps were captured: a step waits for the previous one only on "
                                    "its threads and streams."});
    }
    Recording& recording = result.recording;
    recording.ranks = recording_.ranks;
    recording.start.resize(specs.size());
    recording.finish.resize(specs.size());
    recording.step.resize(specs.size(), -1);
    const std::vector<std::size_t>& parts = steps_.parts(step_);
    std::map<std::pair<Rank, std::size_t>, std::int32_t> step_index;
    for (const std::size_t part : parts) {
      const RecordedStep& of = recording_.steps[part];
      const TaskId first = step_of_[of.first.index()] == step_ ? of.first : TaskId{};
      for (std::size_t copy = 0; copy < count_; ++copy) {
        step_index[{of.rank, copy}] = static_cast<std::int32_t>(recording.steps.size());
        recording.steps.push_back({of.rank, static_cast<std::int64_t>(copy),
                                   first.valid() ? built.new_id[copy_of(first, copy).index()] : TaskId{},
                                   copy + 1 < count_});
      }
    }
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const std::size_t task = built.new_id[i].index();
      recording.start[task] = specs[i].hint;
      recording.finish[task] = specs[i].hint + specs[i].duration;
      const auto step = step_index.find({result.dag.lane(TaskId{task}).rank, i / tasks_.size()});
      if (step != step_index.end()) recording.step[task] = step->second;
    }
    return result;
  }

  const Capture& capture_;
  const Dag& dag_;
  const Recording& recording_;
  const JobSteps& steps_;
  JobStep step_;
  std::size_t count_;
  std::vector<JobStep> step_of_;
  std::vector<TaskId> tasks_;       ///< tasks of the step, ascending
  std::vector<TaskId> next_;        ///< tasks of the following step
  std::vector<std::size_t> place_;  ///< for each task of the step, its index in tasks_
  Duration span_{};
  std::optional<Repetition> repetition_;
  DagBuilder builder_;
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
  return RepeatingStep(capture, steps, *step, count).run();
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

Repetition::Repetition(const Dag& dag, const std::vector<JobStep>& step_of, JobStep step,
                       const std::vector<TaskId>& tasks, const std::vector<TaskId>& next)
    : dag_(dag), step_of_(step_of), step_(step), tasks_(tasks), next_(next), lanes_(dag.lanes().size()) {
  for (const TaskId task : tasks) {
    auto& [first, last] = lanes_[dag.lane_id(task).index()];
    if (!first.valid()) first = task;
    last = task;
  }
}

/// Returns the task of this step that corresponds to `to`, a task of the next step that waits for `from`. Returns an
/// invalid id if there is none.
TaskId Repetition::counterpart(TaskId from, TaskId to) {
  if (dag_.lane_id(from) == dag_.lane_id(to)) return lanes_[dag_.lane_id(from).index()].first;
  if (!counterparts_) counterparts_.emplace(dag_, tasks_, next_);
  return counterparts_->of(to);
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
