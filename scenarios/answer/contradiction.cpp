#include "scenarios/answer/contradiction.h"

#include <algorithm>
#include <vector>

#include "scenarios/answer/step_spread.h"

namespace stepsim::scenarios {

Factors step_factors(const std::map<Rank, sim::RankSteps>& ranks) {
  Factors widest;
  for (const auto& [rank, times] : ranks) {
    std::vector<Duration> steps;
    for (const sim::TimedStep& step : times.steps) steps.push_back(step.time.measured);
    const Factors factors = spread_of(std::move(steps), times.iteration.measured);
    widest.include(factors.least);
    widest.include(factors.most);
  }
  return widest;
}

double usual_error_of_capture(const Capture& capture, const sim::Timeline& timeline) {
  if (capture.recording.start.size() != timeline.size()) return kUsualError;
  const Factors steps = step_factors(sim::rank_steps(capture.dag, capture.recording, timeline));
  return std::max({kUsualError, 1 - steps.least, steps.most - 1});
}

}  // namespace stepsim::scenarios
