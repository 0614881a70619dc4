#include "sim/analysis/iteration_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace stepsim::sim {
namespace {

/// The whole steps of `rank`, the shortest first.
std::vector<StepReport> steps_of(const Summary& summary, Rank rank) {
  std::vector<StepReport> steps;
  std::copy_if(summary.steps.begin(), summary.steps.end(), std::back_inserter(steps),
               [rank](const StepReport& step) { return step.rank == rank; });
  std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.replayed < b.replayed; });
  return steps;
}

}  // namespace

IterationPath iteration_path(const Capture& capture, const Timeline& timeline, const Summary& summary) {
  const std::vector<StepReport> steps = steps_of(summary, slowest_rank(summary).rank);
  if (steps.empty()) return {critical_path(capture, timeline), "the replay"};
  const StepReport& median = steps[(steps.size() - 1) / 2];
  return {critical_path_of_step(capture, timeline, median.timed),
          fmt::format("rank {}'s step {}", median.rank, median.step)};
}

std::optional<std::int64_t> step_of_path(const Recording& recording, const CriticalPath& path) {
  std::map<std::int64_t, Duration> time;
  for (const PathTask& task : path.tasks) {
    const std::int32_t step = recording.step.empty() ? -1 : recording.step[task.task.index()];
    if (step >= 0) time[recording.steps[static_cast<std::size_t>(step)].number] += task.duration;
  }
  const auto most =
      std::max_element(time.begin(), time.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == time.end() ? std::nullopt : std::optional{most->first};
}

}  // namespace stepsim::sim
