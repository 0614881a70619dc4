#include "scenarios/advice/change_range.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/analysis/intervals.h"
#include "sim/analysis/rank_steps.h"

namespace stepsim::scenarios {
namespace {

using sim::ratio;

/// The replayed steps of a rank, by the number that the trace gives them.
std::map<std::int64_t, Duration> steps_of(const Prediction& prediction, const sim::RankSteps& rank) {
  std::map<std::int64_t, Duration> steps;
  for (const sim::TimedStep& step : rank.steps)
    steps.emplace(prediction.graph->recording.steps[step.step].number, step.time.replayed);
  return steps;
}

std::map<Rank, sim::RankSteps> rank_steps_of(const Prediction& prediction) {
  return sim::rank_steps(prediction.graph->dag, prediction.graph->recording, prediction.timeline);
}

/// What a change does to each step, relative to what it does to the iteration.
Factors by_step(const Prediction& captured, const Prediction& changed, double change) {
  Factors factors;
  const auto before = rank_steps_of(captured);
  const auto after = rank_steps_of(changed);
  const std::pair<const Rank, sim::RankSteps>* slowest = nullptr;
  for (const auto& rank : before) {
    if (slowest == nullptr || rank.second.iteration.replayed > slowest->second.iteration.replayed) slowest = &rank;
  }
  if (slowest == nullptr || change <= 0) return factors;
  const auto same = after.find(slowest->first);
  if (same == after.end()) return factors;
  const auto steps = steps_of(changed, same->second);
  for (const auto& [number, time] : steps_of(captured, slowest->second)) {
    const auto step = steps.find(number);
    if (step != steps.end() && time > Duration{}) factors.include(ratio(step->second, time) / change);
  }
  return factors;
}

/// If the change were that of these two instead.
Factors instead(Duration changed, Duration captured, double change) {
  Factors factors;
  if (changed > Duration{} && captured > Duration{}) factors.include(ratio(changed, captured) / change);
  return factors;
}

}  // namespace

Factors change_range(const Prediction& captured, const Prediction& changed, const AnswerInterval& changed_range) {
  const double change = ratio(changed.iteration, captured.iteration);
  std::vector<Factors> sources{by_step(captured, changed, change)};
  if (change <= 0) return {};
  sources.push_back(instead(changed.in_the_long_run, captured.in_the_long_run, change));
  for (const IntervalSource& source : changed_range.sources) {
    const Duration less = changed.iteration - source.low;
    if (source.name == kProfilerSource) sources.push_back(instead(source.low, captured.iteration - less, change));
    if (!source.of_capture)
      sources.push_back({ratio(source.low, changed.iteration), ratio(source.high, changed.iteration)});
  }
  return independent(sources);
}

}  // namespace stepsim::scenarios
