#include "model/calibration/interference.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/base/median.h"

namespace stepsim {
namespace {

/// A kernel counts as overlapping communication if it does so for at least this share of its time.
constexpr double kBeside = 0.95;

/// Minimum number of kernels of a class for a prediction of its slowdown.
constexpr std::size_t kFewestKernels = 5;

/// Minimum number of kernels per class for a comparison within one step.
constexpr std::size_t kFewestAlike = 2;

Stretch stretch_of(const Capture& capture, TaskId task) {
  return {capture.recording.start[task.index()], capture.recording.finish[task.index()]};
}

/// The runs of one kernel name on one stream, by step.
using Runs = std::map<std::int32_t, std::vector<TaskId>>;

bool as_often_in_each(const Runs& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [&](const auto& step) { return step.second.size() == runs.begin()->second.size(); });
}

enum class Overlap : std::uint8_t { kNone, kPart, kWhole };

Overlap overlap_of(Stretch stretch, const BusyTimes& communication) {
  const Duration shared = communication.within(stretch);
  if (shared == Duration{}) return Overlap::kNone;
  const Duration length = stretch.end - stretch.begin;
  const bool whole = static_cast<double>(shared.count()) >= kBeside * static_cast<double>(length.count());
  return whole ? Overlap::kWhole : Overlap::kPart;
}

/// Returns the ratio of the kernel's time during communication to its time alone, or nothing if it did not run both
/// ways.
std::optional<double> ratio_of(const Capture& capture, const std::vector<TaskId>& kernel,
                               const BusyTimes& communication) {
  std::vector<double> alone;
  std::vector<double> beside;
  for (const TaskId task : kernel) {
    const Stretch stretch = stretch_of(capture, task);
    const auto length = static_cast<double>((stretch.end - stretch.begin).count());
    if (length <= 0) continue;
    const Overlap overlap = overlap_of(stretch, communication);
    if (overlap == Overlap::kNone) alone.push_back(length);
    if (overlap == Overlap::kWhole) beside.push_back(length);
  }
  if (alone.empty() || beside.empty()) return std::nullopt;
  if (median(alone) < static_cast<double>(kShortestCompared.count())) return std::nullopt;
  return median(beside) / median(alone);
}

/// The ratios of time during communication to time alone, for each rank and class.
using Ratios = std::map<std::pair<Rank, KernelClass>, std::vector<double>>;
using Communication = std::map<Rank, BusyTimes>;

Ratios ratios_between_steps(const Capture& capture, const Communication& communication) {
  Ratios ratios;
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

/// Runs of kernels that do the same work, as far as the capture shows.
struct AlikeRuns {
  std::vector<double> alone;  ///< durations in nanoseconds; so is `beside`
  std::vector<double> beside;
};

/// Returns the index of a kernel's operator if its shapes are known, or -1.
std::int64_t sized_operator_of(const OperatorTable& operators, TaskId task) {
  const auto use = std::lower_bound(operators.uses.begin(), operators.uses.end(), task,
                                    [](const OperatorTable::Use& one, TaskId id) { return one.task < id; });
  const bool known =
      use != operators.uses.end() && use->task == task && !operators.operators[use->which].shapes.empty();
  return known ? static_cast<std::int64_t>(use->which) : -1;
}

/// The name and launch parameters of a kernel whose launch was recorded.
using LaunchedAs = std::tuple<NameId, KernelLaunch>;

/// Returns the kernels with known launches, ordered by rank, stream and recorded start.
std::vector<LaunchTable::Use> launches_in_order(const Capture& capture) {
  std::vector<LaunchTable::Use> uses = capture.launches.uses;
  std::erase_if(uses, [&](const LaunchTable::Use& use) { return !is_stream_kernel(capture.dag, use.task); });
  std::sort(uses.begin(), uses.end(), [&](const LaunchTable::Use& a, const LaunchTable::Use& b) {
    const auto key = [&](TaskId task) {
      return std::tuple{capture.dag.lane(task).rank, capture.dag.lane_id(task), capture.recording.start[task.index()],
                        task};
    };
    return key(a.task) < key(b.task);
  });
  return uses;
}

/// What two runs have in common if they do the same work: rank, kernel, the previous kernel on the stream, and the
/// index of the operator (-1 if its shapes are unknown).
using Alike = std::tuple<Rank, LaunchedAs, LaunchedAs, std::int64_t>;

std::map<Alike, AlikeRuns> alike_runs(const Capture& capture, const Communication& communication) {
  const Dag& dag = capture.dag;
  std::map<Alike, AlikeRuns> alike;
  LaneId lane;
  LaunchedAs before;
  for (const LaunchTable::Use& use : launches_in_order(capture)) {
    if (std::exchange(lane, dag.lane_id(use.task)) != dag.lane_id(use.task)) before = {};
    const LaunchedAs kernel{dag.name_id(use.task), capture.launches.launches[use.which]};
    const LaunchedAs after = std::exchange(before, kernel);
    const auto beside = communication.find(dag.lane(use.task).rank);
    if (beside == communication.end()) continue;
    const Stretch stretch = stretch_of(capture, use.task);
    const Overlap overlap = overlap_of(stretch, beside->second);
    if (overlap == Overlap::kPart) continue;
    AlikeRuns& runs = alike[{beside->first, kernel, after, sized_operator_of(capture.operators, use.task)}];
    (overlap == Overlap::kNone ? runs.alone : runs.beside)
        .push_back(static_cast<double>((stretch.end - stretch.begin).count()));
  }
  return alike;
}

Ratios ratios_inside_a_step(const Capture& capture, const Communication& communication) {
  constexpr std::size_t kFewestRuns = 3;
  constexpr double kShortestAlone = 5'000;
  Ratios ratios;
  std::map<std::pair<Rank, KernelClass>, std::size_t> kernels;
  for (const auto& [key, runs] : alike_runs(capture, communication)) {
    if (runs.alone.size() < kFewestRuns || runs.beside.size() < kFewestRuns) continue;
    const double alone = median(runs.alone);
    const std::string_view name = capture.dag.name(std::get<NameId>(std::get<1>(key)));
    const std::pair of{std::get<Rank>(key), classify_kernel(TaskKind::kKernel, name)};
    const bool is_sized = std::get<3>(key) >= 0;
    if (alone < kShortestAlone || (!is_sized && limit_of(of.second) == Limit::kFlops)) continue;
    ++kernels[of];
    for (const double beside : runs.beside) ratios[of].push_back(beside / alone);
  }
  std::erase_if(ratios, [&kernels](const auto& of) { return kernels[of.first] < kFewestAlike; });
  return ratios;
}

bool has_several_steps(const Capture& capture) {
  std::int32_t first = -1;
  for (const std::int32_t step : capture.recording.step) {
    if (step < 0 || step == first) continue;
    if (first >= 0) return true;
    first = step;
  }
  return false;
}

Ratios ratios_in(const Capture& capture) {
  const Recording& recording = capture.recording;
  if (recording.start.empty()) return {};
  const Communication communication = device_communication(capture.dag, recording.start, recording.finish);
  if (communication.empty()) return {};
  return has_several_steps(capture) ? ratios_between_steps(capture, communication)
                                    : ratios_inside_a_step(capture, communication);
}

/// Returns the number, median and 10th and 90th percentile of the ratios. Precondition: `ratios` is not empty.
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
