#include "model/job/parameter_server/workload.h"

#include <utility>

namespace stepsim {

void keep_steps(PsWorkload& workload, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> kept;
  std::vector<std::optional<std::uint32_t>> place;
  for (const std::int64_t number : workload.steps) {
    const bool wanted = first <= number && number <= last;
    place.push_back(wanted ? std::optional{static_cast<std::uint32_t>(kept.size())} : std::nullopt);
    if (wanted) kept.push_back(number);
  }
  for (PsGpu& gpu : workload.gpus) {
    for (PsOperator& op : gpu.operators) {
      std::vector<PsRun> runs;
      for (std::size_t step = 0; step < place.size(); ++step) {
        if (place[step].has_value()) runs.push_back(op.runs[step]);
      }
      op.runs = std::move(runs);
    }
  }
  std::erase_if(workload.stages, [&](const PsStageRun& stage) { return !place[stage.step].has_value(); });
  for (PsStageRun& stage : workload.stages) stage.step = *place[stage.step];
  workload.steps = std::move(kept);
  if (workload.steps.empty() && workload.cannot_build.empty())
    workload.cannot_build = "the job cannot be built anew: none of the chosen steps was recorded whole by every GPU";
}

}  // namespace stepsim
