#include "scenarios/answer/slowed_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include "model/calibration/interference.h"
#include "sim/analysis/intervals.h"

namespace stepsim::scenarios {
namespace {

/// The durations of kernels are final if a further replay changes them, in total, by less than this share of their sum.
constexpr double kSettled = 1e-5;

double nanoseconds(Duration duration) { return static_cast<double>(duration.count()); }

/// Finds the slowdown that applies to kernels with a given name. Classifies each name only once.
class SlowdownOfName {
 public:
  SlowdownOfName(const Dag& dag, const std::vector<Slowdown>& slowdowns)
      : dag_(dag), slowdowns_(slowdowns), found_(dag.name_count()) {}

  /// Returns the index of the slowdown, or the number of slowdowns if none applies.
  std::size_t operator()(NameId name) {
    std::optional<std::size_t>& found = found_[name.index()];
    if (!found) {
      const KernelClass kernel_class = classify_kernel(TaskKind::kKernel, dag_.name(name));
      const auto slowdown = std::find_if(slowdowns_.begin(), slowdowns_.end(), [kernel_class](const Slowdown& each) {
        return each.kernel_class == kernel_class;
      });
      found = static_cast<std::size_t>(slowdown - slowdowns_.begin());
    }
    return *found;
  }

 private:
  const Dag& dag_;
  const std::vector<Slowdown>& slowdowns_;
  std::vector<std::optional<std::size_t>> found_;  ///< indexed by NameId
};

}  // namespace

std::vector<double> shares_beside(const Capture& graph, const sim::Timeline& timeline, std::size_t tasks) {
  std::vector<double> shares(tasks, 0.0);
  const std::vector<TaskId>& origin = graph.recording.origin;
  const std::map<Rank, BusyTimes> communication = device_communication(graph.dag, timeline.start, timeline.finish);
  for (std::size_t i = 0; i < origin.size(); ++i) {
    const TaskId task{i};
    const auto busy = communication.find(graph.dag.lane(task).rank);
    const Stretch stretch{timeline.start[i], timeline.finish[i]};
    if (!origin[i].valid() || !is_stream_kernel(graph.dag, task) || busy == communication.end()) continue;
    if (stretch.end > stretch.begin)
      shares[origin[i].index()] = nanoseconds(busy->second.within(stretch)) / nanoseconds(stretch.end - stretch.begin);
  }
  return shares;
}

SlowedKernels::SlowedKernels(const CapturedInterference& interference, const Capture& graph,
                             const std::vector<Duration>& durations, double side)
    : interference_(interference), graph_(graph), captured_(durations), side_(side), durations_(durations) {
  SlowdownOfName slowdown_of(graph.dag, interference.slowdowns);
  for (std::size_t i = 0; i < graph.recording.origin.size(); ++i) {
    if (!graph.recording.origin[i].valid() || !is_stream_kernel(graph.dag, TaskId{i})) continue;
    if (graph.dag.duration(TaskId{i}) < kShortestCompared) continue;
    const std::size_t slowdown = slowdown_of(graph.dag.name_id(TaskId{i}));
    if (slowdown < interference.slowdowns.size()) add(TaskId{i}, slowdown);
  }
}

void SlowedKernels::add(TaskId task, std::size_t slowdown) {
  const double duration = nanoseconds(captured_[task.index()]);
  const std::size_t origin = graph_.recording.origin[task.index()].index();
  const double beside = interference_.beside.empty() ? 0 : interference_.beside[origin] * duration;
  kernels_.push_back({task, slowdown, alone_in(duration, beside, factor(slowdown))});
}

double SlowedKernels::factor(std::size_t slowdown) const {
  const Slowdown& each = interference_.slowdowns[slowdown];
  return side_ == 0 ? each.factor : side_ < 0 ? each.low : each.high;
}

double SlowedKernels::Difference::share() const noexcept { return changed <= kSettled * all ? 0 : changed / all; }

SlowedKernels::Difference SlowedKernels::compare(const sim::Timeline& timeline) {
  const std::map<Rank, BusyTimes> communication = device_communication(graph_.dag, timeline.start, timeline.finish);
  const BusyTimes none;
  next_ = durations_;
  Difference difference;
  for (const Kernel& kernel : kernels_) {
    const auto busy = communication.find(graph_.dag.lane(kernel.task).rank);
    const std::size_t i = kernel.task.index();
    next_[i] = (busy == communication.end() ? none : busy->second)
                   .duration_of(timeline.start[i], kernel.alone, factor(kernel.slowdown));
    difference.changed += std::abs(nanoseconds(next_[i] - durations_[i]));
    difference.all += nanoseconds(next_[i]);
  }
  return difference;
}

double SlowedKernels::follow(const sim::Timeline& timeline) {
  const double share = compare(timeline).share();
  if (share > 0) take();
  return share;
}

std::vector<SlowedClass> SlowedKernels::classes() const {
  std::vector<SlowedClass> classes;
  for (const Slowdown& slowdown : interference_.slowdowns) classes.push_back({.slowdown = slowdown});
  for (const Kernel& kernel : kernels_) {
    SlowedClass& of = classes[kernel.slowdown];
    ++of.kernels;
    of.before = sim::saturated_sum(of.before, captured_[kernel.task.index()]);
    of.after = sim::saturated_sum(of.after, durations_[kernel.task.index()]);
  }
  std::erase_if(classes, [](const SlowedClass& each) { return each.kernels == 0; });
  return classes;
}

}  // namespace stepsim::scenarios
