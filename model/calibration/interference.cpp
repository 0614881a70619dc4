#include "model/calibration/interference.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "model/base/median.h"

namespace stepsim {
namespace {

/// What runs this share of its time beside communication counts as beside it.
constexpr double kBeside = 0.95;

/// Kernels that take less alone are left out: many captures have times in whole microseconds, and launches from
/// the host decide how they lie.
constexpr double kShortestNs = 10'000;

/// Fewer kernels than this are no evidence.
constexpr std::size_t kFewestKernels = 5;

Stretch stretch_of(const Capture& capture, TaskId task) {
  return {capture.recording.start[task.index()], capture.recording.finish[task.index()]};
}

/// The runs of one name on one stream, by step and in order.
using Runs = std::map<std::int32_t, std::vector<TaskId>>;

std::map<std::pair<LaneId, NameId>, Runs> runs_of(const Capture& capture) {
  std::map<std::pair<LaneId, NameId>, Runs> runs;
  for (std::size_t t = 0; t < capture.dag.task_count(); ++t) {
    const TaskId task{t};
    const std::int32_t step = capture.recording.step[t];
    if (step >= 0 && is_stream_kernel(capture.dag, task))
      runs[{capture.dag.lane_id(task), capture.dag.name_id(task)}][step].push_back(task);
  }
  const auto starts_first = [&](TaskId a, TaskId b) {
    return std::tuple{capture.recording.start[a.index()], a} < std::tuple{capture.recording.start[b.index()], b};
  };
  for (auto& [name, by_step] : runs) {
    for (auto& [step, tasks] : by_step) std::sort(tasks.begin(), tasks.end(), starts_first);
  }
  return runs;
}

bool as_often_in_each(const Runs& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [&](const auto& step) { return step.second.size() == runs.begin()->second.size(); });
}

/// Appends beside / alone of each kernel that was seen both ways.
void compare(const Capture& capture, const Runs& runs, const BusyTimes& communication, std::vector<double>& ratios) {
  for (std::size_t k = 0; k < runs.begin()->second.size(); ++k) {
    std::vector<double> alone;
    std::vector<double> beside;
    for (const auto& [step, tasks] : runs) {
      const Stretch stretch = stretch_of(capture, tasks[k]);
      const Duration shared = communication.within(stretch);
      const auto length = static_cast<double>((stretch.end - stretch.begin).count());
      if (length <= 0) continue;
      if (shared == Duration{}) alone.push_back(length);
      if (static_cast<double>(shared.count()) >= kBeside * length) beside.push_back(length);
    }
    if (!alone.empty() && !beside.empty() && median(alone) >= kShortestNs)
      ratios.push_back(median(beside) / median(alone));
  }
}

/// Of each rank and class.
std::map<std::pair<Rank, KernelClass>, std::vector<double>> ratios_in(const Capture& capture) {
  std::map<std::pair<Rank, KernelClass>, std::vector<double>> ratios;
  const Recording& recording = capture.recording;
  if (recording.start.empty()) return ratios;
  const std::map<Rank, BusyTimes> communication = device_communication(capture.dag, recording.start, recording.finish);
  if (communication.empty()) return ratios;
  for (const auto& [name, runs] : runs_of(capture)) {
    const Rank rank = capture.dag.lane(name.first).rank;
    const auto beside = communication.find(rank);
    if (beside == communication.end() || !as_often_in_each(runs)) continue;
    const KernelClass kernel_class = classify_kernel(TaskKind::kKernel, capture.dag.name(name.second));
    compare(capture, runs, beside->second, ratios[{rank, kernel_class}]);
  }
  return ratios;
}

/// Precondition: there are ratios.
Slowdown slowdown_of(KernelClass kernel_class, std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  const std::size_t tenth = ratios.size() / 10;
  return {kernel_class, ratios.size(), median(ratios), ratios[tenth], ratios[ratios.size() - 1 - tenth]};
}

}  // namespace

std::vector<Interference> interference_in(const Capture& capture) {
  std::vector<Interference> found;
  for (auto& [key, ratios] : ratios_in(capture)) {
    if (!ratios.empty()) found.push_back({slowdown_of(key.second, ratios), key.first});
  }
  return found;
}

std::vector<Slowdown> evident_slowdowns(const Capture& capture) {
  std::map<KernelClass, std::vector<double>> by_class;
  for (const auto& [key, ratios] : ratios_in(capture))
    by_class[key.second].insert(by_class[key.second].end(), ratios.begin(), ratios.end());
  std::vector<Slowdown> found;
  for (auto& [kernel_class, ratios] : by_class) {
    if (ratios.size() < kFewestKernels) continue;
    const Slowdown slowdown = slowdown_of(kernel_class, std::move(ratios));
    if (slowdown.low >= 1 && slowdown.factor > 1) found.push_back(slowdown);
  }
  return found;
}

}  // namespace stepsim
