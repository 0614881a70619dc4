#include "sim/compare/side.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/analysis/task_list.h"
#include "sim/analysis/task_names.h"
#include "sim/report/cautions.h"

namespace stepsim::sim {
namespace {

/// The tasks that the figures of an iteration are made of, and in how many iterations of ranks they ran.
struct Counted {
  std::vector<TaskId> tasks;
  std::size_t iterations = 1;
  std::size_t left_out = 0;
};

Counted counted_tasks(const Capture& capture) {
  const Recording& recording = capture.recording;
  std::set<Rank> with_steps;
  std::size_t steps = 0;
  for (const RecordedStep& step : recording.steps) {
    with_steps.insert(step.rank);
    if (is_used(step)) ++steps;
  }
  Counted counted;
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
    const std::int32_t step = recording.step.empty() ? -1 : recording.step[i];
    const bool in_step = step >= 0 && is_used(recording.steps[static_cast<std::size_t>(step)]);
    if (in_step || !with_steps.contains(capture.dag.lane(TaskId{i}).rank)) {
      counted.tasks.emplace_back(i);
    } else {
      ++counted.left_out;
    }
  }
  counted.iterations = std::max<std::size_t>(1, steps > 0 ? steps : recording.ranks.size());
  return counted;
}

/// A length of several iterations as that of one, to the nearest nanosecond.
Duration per_iteration(Duration total, std::size_t iterations) {
  return Duration{std::llround(static_cast<double>(total.count()) / static_cast<double>(iterations))};
}

/// The profiler names each step's mark anew.
std::vector<WorkGroup> work_of(const std::vector<TaskGroup>& groups, std::size_t iterations) {
  std::map<std::pair<std::string, TaskKind>, TaskGroup> by_name;
  for (const TaskGroup& group : groups) {
    TaskGroup& merged =
        by_name.try_emplace({std::string(without_step_number(group.name)), group.kind}, TaskGroup{}).first->second;
    merged.kernel_class = group.kernel_class;
    merged.tasks += group.tasks;
    merged.total += group.total;
  }
  std::vector<WorkGroup> work;
  for (const auto& [key, group] : by_name) {
    const auto& [name, kind] = key;
    const bool device_work = group.kernel_class != KernelClass::kUnknown || kind == TaskKind::kKernel;
    work.push_back({.name = name,
                    .kind = std::string(to_text(kind)),
                    .kernel_class = device_work ? std::string(to_text(group.kernel_class)) : std::string(),
                    .count = static_cast<double>(group.tasks) / static_cast<double>(iterations),
                    .time = per_iteration(group.total, iterations)});
  }
  return work;
}

std::size_t rank_count(const Summary& summary) {
  std::set<Rank> with_steps;
  for (const StepReport& step : summary.steps) with_steps.insert(step.rank);
  return with_steps.empty() ? summary.ranks.size() : with_steps.size();
}

}  // namespace

std::vector<Part> named(const IterationParts& parts) {
  return {{"compute", parts.compute},     {"communication without compute", parts.communication},
          {"copies alone", parts.copies}, {"waiting for other ranks", parts.collective_wait},
          {"host alone", parts.host},     {"idle", parts.idle}};
}

Side side_of(const Capture& capture, const Timeline& timeline, const Summary& summary, const CriticalPath& path) {
  Side side;
  side.warning = warning_of(capture);
  side.iteration = summary.measured ? summary.iteration.measured : summary.iteration.replayed;
  for (const StepReport& step : summary.steps) {
    if (step.rank == summary.parts.rank) side.steps.push_back(summary.measured ? step.measured : step.replayed);
  }
  side.ranks = rank_count(summary);
  side.parts = named(summary.parts);
  for (std::size_t i = 0; i < kPathClassCount; ++i) {
    const auto path_class = static_cast<PathClass>(i);
    side.path.push_back({std::string(to_text(path_class)), path[path_class]});
  }
  const Counted counted = counted_tasks(capture);
  const TaskList list = list_tasks(capture, counted.tasks, timeline);
  side.work = work_of(list.names, counted.iterations);
  side.operators = work_of(list.operators, counted.iterations);
  side.outside_steps = counted.left_out;
  return side;
}

}  // namespace stepsim::sim
