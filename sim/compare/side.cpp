#include "sim/compare/side.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/job/group.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/task_list.h"
#include "sim/analysis/task_names.h"
#include "sim/report/headline.h"

namespace stepsim::sim {
namespace {

/// The tasks that count for the figures of an iteration, the number of iterations in which they ran, over all ranks,
/// and the number of tasks that do not count.
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

/// Returns the time per iteration, rounded to the nearest nanosecond.
Duration per_iteration(Duration total, std::size_t iterations) {
  return Duration{std::llround(static_cast<double>(total.count()) / static_cast<double>(iterations))};
}

/// Returns the groups with their times per iteration. Groups of step marks are merged, because the profiler gives each
/// mark a new number.
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

/// Returns the name and the kind of the group that `group` is merged into.
using Named = std::function<std::pair<std::string, std::string>(const WorkGroup& group)>;

std::vector<WorkGroup> merged(const std::vector<WorkGroup>& work, const Named& named) {
  std::map<std::pair<std::string, std::string>, WorkGroup> groups;
  for (const WorkGroup& group : work) {
    const auto [name, kind] = named(group);
    WorkGroup& sum = groups[{name, kind}];
    if (sum.name.empty()) sum.kernel_class = kind.empty() ? std::string() : group.kernel_class;
    sum.name = name;
    sum.kind = kind;
    sum.count += group.count;
    sum.time = saturated_sum(sum.time, group.time);
  }
  std::vector<WorkGroup> result;
  result.reserve(groups.size());
  for (auto& [name, group] : groups) result.push_back(std::move(group));
  return result;
}

const std::string& class_or_kind(const WorkGroup& group) {
  return group.kernel_class.empty() ? group.kind : group.kernel_class;
}

std::string category_or_class(const WorkGroup& group) {
  const std::string_view category = category_of(group.name);
  return category.empty() ? class_or_kind(group) : std::string(category);
}

const std::vector<WorkGroup>& operators_of(const Side& side) {
  if (!side.operators.empty()) return side.operators;
  throw UsageError(fmt::format(
      "--by operator: {} does not say which operators launched its kernels; expected captures with record_shapes=True",
      shown(side.name)));
}

/// What happens in each of a rank's steps, in the replay.
class GaugedSteps {
 public:
  GaugedSteps(const Capture& capture, const Timeline& timeline, const Summary& summary, Rank rank)
      : dag_(capture.dag), timeline_(timeline) {
    for (const StepReport& step : summary.steps) {
      if (step.rank != rank) continue;
      windows_.push_back(step.timed.replayed());
      of_step_.try_emplace(static_cast<std::int32_t>(step.timed.step), launches_.size());
      launches_.push_back(0);
    }
    for (const TaskId task : dag_.tasks()) {
      if (dag_.lane(task).rank == rank) add(capture.recording, task);
    }
    std::vector<Interval> either = compute_;
    either.insert(either.end(), communication_.begin(), communication_.end());
    compute_or_communication_ = disjoint(std::move(either));
    compute_ = disjoint(std::move(compute_));
    device_ = disjoint(std::move(device_));
  }

  [[nodiscard]] std::map<Gauge, std::vector<Duration>> run() const {
    std::map<Gauge, std::vector<Duration>> gauges;
    if (device_.empty()) return gauges;
    for (std::size_t step = 0; step < windows_.size(); ++step) {
      const Interval window = windows_[step];
      gauges[Gauge::kGpuIdle].push_back(window.end - window.begin - within(window, device_));
      gauges[Gauge::kExposed].push_back(within(window, compute_or_communication_) - within(window, compute_));
      gauges[Gauge::kLaunches].emplace_back(launches_[step]);
    }
    return gauges;
  }

 private:
  void add(const Recording& recording, TaskId task) {
    const Interval whole{timeline_.start[task.index()], timeline_.finish[task.index()]};
    if (dag_.lane(task).kind == LaneKind::kStream) device_.push_back(whole);
    const PathClass of = path_class_of(dag_, task);
    if (dag_.rendezvous(task).valid() || of == PathClass::kCommunication) {
      communication_.push_back(whole);
    } else if (of == PathClass::kCompute) {
      compute_.push_back(whole);
    }
    const auto step = of_step_.find(recording.step[task.index()]);
    const auto edges = dag_.edges_from(task);
    const auto launches = [this](EdgeId edge) { return dag_.edge_kind(edge) == EdgeKind::kLaunch; };
    if (step != of_step_.end() && std::any_of(edges.begin(), edges.end(), launches)) ++launches_[step->second];
  }

  /// Returns how much of `window` the disjoint intervals cover.
  static Duration within(Interval window, const std::vector<Interval>& intervals) {
    Duration covered{};
    for (auto one = std::ranges::upper_bound(intervals, window.begin, {}, &Interval::end);
         one != intervals.end() && one->begin < window.end; ++one) {
      const Interval inside = clipped(*one, window);
      covered += inside.end - inside.begin;
    }
    return covered;
  }

  const Dag& dag_;
  const Timeline& timeline_;
  std::vector<Interval> windows_;                ///< of the rank's whole steps
  std::map<std::int32_t, std::size_t> of_step_;  ///< from the index into Recording::steps to the one into windows_
  std::vector<std::int64_t> launches_;           ///< by window
  std::vector<Interval> communication_;
  // Disjoint, by begin, once the constructor has ended:
  std::vector<Interval> device_;
  std::vector<Interval> compute_;
  std::vector<Interval> compute_or_communication_;
};

}  // namespace

std::vector<Part> named(const IterationParts& parts) {
  return {{"compute", parts.compute},
          {"communication without compute", parts.communication},
          {"copies alone", parts.copies},
          {"waiting for other ranks", parts.collective_wait},
          {"waiting for data", parts.loader},
          {"host alone", parts.host},
          {"work of other steps", parts.other_steps},
          {"idle", parts.idle}};
}

Side side_of(const Capture& capture, const Timeline& timeline, const Summary& summary, const CriticalPath& path) {
  Side side;
  side.warning = warning_of(capture);
  side.caution = caution_of(capture.diagnostics);
  side.loss = essential_loss(capture);
  side.job = job_kind(capture);
  side.iteration = summary.measured ? summary.iteration.measured : summary.iteration.replayed;
  for (const StepReport& step : summary.steps) {
    if (step.rank == summary.parts.rank) side.steps.push_back(summary.measured ? step.measured : step.replayed);
  }
  if (!capture.recording.step.empty()) side.gauges = GaugedSteps(capture, timeline, summary, summary.parts.rank).run();
  side.ranks = has_copies(capture.dag) ? known_ranks(capture).size() : rank_count(summary);
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

std::string_view to_text(By by) noexcept {
  static constexpr std::array<std::string_view, 5> kWords{"name", "class", "kind", "operator", "category"};
  return kWords[static_cast<std::size_t>(by)];
}

std::string_view category_of(std::string_view name) noexcept {
  if (const std::string_view stage = staged_task(name).stage; !stage.empty()) return stage;
  for (const std::string_view known : {"FW", "BW", "UPDATE", "OUTPUT", "STEP"}) {
    const std::string_view rest = name.substr(0, known.size()) == known ? name.substr(known.size()) : "x";
    if (rest.empty() || rest.front() == '.' || rest.front() == '_') return known;
  }
  return {};
}

std::vector<WorkGroup> without_partitions(const std::vector<WorkGroup>& work) {
  return merged(work, [](const WorkGroup& group) {
    const std::size_t partition = staged_task(group.name).partition.size();
    return std::pair{group.name.substr(0, group.name.size() - (partition == 0 ? 0 : partition + 1)), group.kind};
  });
}

std::vector<WorkGroup> groups_by(By by, const Side& side) {
  using Name = std::pair<std::string, std::string>;
  switch (by) {
    case By::kName: return side.work;
    case By::kClass: return merged(side.work, [](const WorkGroup& group) { return Name{class_or_kind(group), {}}; });
    case By::kKind: return merged(side.work, [](const WorkGroup& group) { return Name{group.kind, {}}; });
    case By::kCategory:
      return merged(side.work, [](const WorkGroup& group) { return Name{category_or_class(group), {}}; });
    case By::kOperator: break;
  }
  return operators_of(side);
}

}  // namespace stepsim::sim
