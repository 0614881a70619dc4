#include "sim/analysis/iteration_path.h"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace stepsim::sim
