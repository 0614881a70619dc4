#include "model/calibration/interference.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "model/base/median.h"

namespace stepsim {
namespace {

/// What runs this share of its time beside communication counts as beside it.
constexpr double kBeside = 0.95;

/// Fewer kernels than this are no evidence.
constexpr std::size_t kFewestKernels = 5;

Stretch stretch_of(const Capture& capture, TaskId task) {
  return {capture.recording.start[task.index()], capture.recording.finish[task.index()]};
}

/// The runs of one name on one stream, by step.
using Runs = std::map<std::int32_t, std::vector<TaskId>>;

bool as_often_in_each(const Runs& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [&](const auto& step) { return step.second.size() == runs.begin()->second.size(); });
}

/// beside / alone of a kernel that was seen both ways.
std::optional<double> ratio_of(const Capture& capture, const std::vector<TaskId>& kernel,
                               const BusyTimes& communication) {
  std::vector<double> alone;
  std::vector<double> beside;
  for (const TaskId task : kernel) {
    const Stretch stretch = stretch_of(capture, task);
    const Duration shared = communication.within(stretch);
    const auto length = static_cast<double>((stretch.end - stretch.begin).count());
    if (length <= 0) continue;
    if (shared == Duration{}) alone.push_back(length);
    if (static_cast<double>(shared.count()) >= kBeside * length) beside.push_back(length);
  }
  if (alone.empty() || beside.empty()) return std::nullopt;
  if (median(alone) < static_cast<double>(kShortestCompared.count())) return std::nullopt;
  return median(beside) / median(alone);
}

/// Of each rank and class.
std::map<std::pair<Rank, KernelClass>, std::vector<double>> ratios_in(const Capture& capture) {
  std::map<std::pair<Rank, KernelClass>, std::vector<double>> ratios;
  const Recording& recording = capture.recording;
  if (recording.start.empty()) return ratios;
  const std::map<Rank, BusyTimes> communication = device_communication(capture.dag, recording.start, recording.finish);
  if (communication.empty()) return ratios;
  for (const std::vector<TaskId>& kernel : same_kernels(capture)) {
    const Rank rank = capture.dag.lane(kernel.front()).rank;
    const auto beside = communication.find(rank);
    if (beside == communication.end()) continue;
    const std::optional<double> ratio = ratio_of(capture, kernel, beside->second);
    if (!ratio) continue;
    ratios[{rank, classify_kernel(TaskKind::kKernel, capture.dag.name(kernel.front()))}].push_back(*ratio);
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

std::vector<std::vector<TaskId>> same_kernels(const Capture& capture) {
  std::map<std::pair<LaneId, NameId>, Runs> by_name;
  const Recording& recording = capture.recording;
  for (std::size_t i = 0; i < recording.step.size(); ++i) {
    const TaskId task{i};
    if (recording.step[i] >= 0 && is_stream_kernel(capture.dag, task))
      by_name[{capture.dag.lane_id(task), capture.dag.name_id(task)}][recording.step[i]].push_back(task);
  }
  const auto starts_first = [&](TaskId a, TaskId b) {
    return std::tuple{recording.start[a.index()], a} < std::tuple{recording.start[b.index()], b};
  };
  std::vector<std::vector<TaskId>> kernels;
  for (auto& [name, runs] : by_name) {
    if (!as_often_in_each(runs)) continue;
    const std::size_t first = kernels.size();
    kernels.resize(first + runs.begin()->second.size());
    for (auto& [step, tasks] : runs) {
      std::sort(tasks.begin(), tasks.end(), starts_first);
      for (std::size_t k = 0; k < tasks.size(); ++k) kernels[first + k].push_back(tasks[k]);
    }
  }
  return kernels;
}

std::vector<Interference> interference_in(const Capture& capture) {
  std::vector<Interference> found;
  for (const auto& [key, ratios] : ratios_in(capture)) found.push_back({slowdown_of(key.second, ratios), key.first});
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
