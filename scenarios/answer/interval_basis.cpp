#include "scenarios/answer/interval_basis.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <vector>

#include "scenarios/answer/learn_from_capture.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/rank_steps.h"
#include "sim/analysis/step_spread.h"

namespace stepsim::scenarios {
namespace {

using sim::ratio;

/// Returns the rank with the longest measured iteration.
const sim::RankSteps* slowest_of(const std::map<Rank, sim::RankSteps>& ranks) {
  const sim::RankSteps* slowest = nullptr;
  for (const auto& [rank, steps] : ranks) {
    if (slowest == nullptr || steps.iteration.measured > slowest->iteration.measured) slowest = &steps;
  }
  return slowest;
}

}  // namespace

IntervalBasis::IntervalBasis(Predictor& predictor, const Prediction& baseline, ReplayMeter& meter)
    : predictor_(predictor),
      baseline_(baseline),
      meter_(meter),
      summary_(sim::summarize(*baseline.graph, baseline.timeline)),
      plan_(predictor.plan()),
      key_(plan_.graph_key()) {
  if (summary_.measured) read_steps();
}

void IntervalBasis::read_steps() {
  const auto ranks = sim::rank_steps(baseline_.graph->dag, baseline_.graph->recording, baseline_.timeline);
  steps_ = sim::step_factors(ranks);
  const sim::RankSteps* const slowest = slowest_of(ranks);
  if (slowest == nullptr) return;
  std::vector<Duration> times;
  for (const sim::TimedStep& step : slowest->steps) times.push_back(step.time.measured);
  step_count_ = times.size();
  trend_ = sim::trend_of(times, slowest->iteration.measured);
}

Duration IntervalBasis::measured() const {
  const auto& profiler = predictor_.settings().profiler;
  return profiler && profiler->by_measured_step ? *captured().job.measured_step : summary_.iteration.measured;
}

Duration IntervalBasis::comparable() const {
  const PredictorSettings& settings = predictor_.settings();
  if (settings.on_own_cluster) return *settings.on_own_cluster;
  return settings.as_captured.value_or(baseline_.of_captured_steps);
}

Factors IntervalBasis::shift() const {
  Factors shift;
  if (!summary_.measured || comparable() <= Duration{}) return shift;
  shift.include(ratio(measured(), comparable()));
  if (const auto said = captured().job.measured_step) shift.include(ratio(*said, comparable()));
  return shift;
}

double IntervalBasis::change_to(Duration predicted) const {
  const Duration captured = predictor_.settings().on_own_cluster.value_or(baseline_.iteration);
  return captured > Duration{} ? ratio(predicted, captured) : 1;
}

bool IntervalBasis::is_contradicted(const std::string& name, const Sides& sides) const {
  return contradicts(replayed_with(name, sides).of_captured_steps);
}

Duration IntervalBasis::captured_with(const std::string& name, const Sides& sides) const {
  return replayed_with(name, sides).iteration;
}

IntervalBasis::Replayed IntervalBasis::replayed_with(const std::string& name, const Sides& sides) const {
  return replayed_.of(name, [&] {
    const Prediction found = meter_.predict(predictor_, plan_, sides);
    return Replayed{found.iteration, found.of_captured_steps};
  });
}

bool IntervalBasis::loader_sets_pace() const { return sim::waiting_for_data(summary_) >= sim::kLoaderSetsPace; }

bool IntervalBasis::contradicts(Duration of_captured_steps) const {
  if (!summary_.measured || predictor_.settings().on_own_cluster) return false;
  const double usual = std::max({sim::kUsualError, 1 - steps_.least, steps_.most - 1});
  const double error = ratio(comparable() - measured(), measured());
  const double there = (1 + error) * ratio(of_captured_steps, baseline_.of_captured_steps) - 1;
  return std::abs(there) > std::abs(error) + usual;
}

}  // namespace stepsim::scenarios
