#include "sim/report/slowing.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/text.h"
#include "sim/analysis/intervals.h"
#include "sim/report/table.h"

namespace stepsim::sim {

double Slowing::share() const noexcept { return ratio(recorded - free, free); }

std::optional<Slowing> slowing_of(const Capture& capture, const Summary& summary) {
  if (!capture.job.measured_step || !summary.measured) return std::nullopt;
  Slowing slowing{.recorded = summary.iteration.measured,
                  .free = *capture.job.measured_step,
                  .shortest = summary.iteration.measured};
  for (const StepReport& step : summary.steps) slowing.shortest = std::min(slowing.shortest, step.measured);
  return slowing;
}

std::string to_text(const Slowing& slowing) {
  return fmt::format(
      "recorded, an iteration takes {}; a step takes {} when nobody records it (measured_step of job.yaml): {}",
      stepsim::to_text(slowing.recorded), stepsim::to_text(slowing.free),
      slowing.is_seen() ? fmt::format("the profiler slows this job by {}", percent(slowing.share()))
                        : fmt::format("{}, no more than recorded steps differ (the shortest takes {})",
                                      signed_percent(slowing.share()), stepsim::to_text(slowing.shortest)));
}

}  // namespace stepsim::sim
