#include "scenarios/answer/effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "scenarios/answer/factors.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/rank_steps.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {
namespace {

using sim::ratio;

/// Returns the replayed durations of a rank's steps, by step number in the trace.
std::map<std::int64_t, Duration> steps_of(const Prediction& prediction, const sim::RankSteps& rank) {
  std::map<std::int64_t, Duration> steps;
  for (const sim::TimedStep& step : rank.steps)
    steps.emplace(prediction.graph->recording.steps[step.step].number, step.time.replayed);
  return steps;
}

/// The steps of the slowest captured rank before and after a change.
struct Pairs {
  std::vector<std::pair<Duration, Duration>> steps;  ///< those that are whole in both replays
  double of_mean = 0;  ///< ratio of the means, after to before; 0 if the replays have different numbers of whole steps
};

Pairs paired_steps(const Prediction& captured, const Prediction& changed) {
  const auto& before = captured.rank_steps;
  const auto& after = changed.rank_steps;
  const std::pair<const Rank, sim::RankSteps>* slowest = nullptr;
  for (const auto& rank : before) {
    if (slowest == nullptr || rank.second.iteration.replayed > slowest->second.iteration.replayed) slowest = &rank;
  }
  Pairs pairs;
  const auto same = slowest == nullptr ? after.end() : after.find(slowest->first);
  if (same == after.end()) return pairs;
  const auto steps = steps_of(changed, same->second);
  for (const auto& [number, time] : steps_of(captured, slowest->second)) {
    const auto step = steps.find(number);
    if (step != steps.end() && time > Duration{}) pairs.steps.emplace_back(time, step->second);
  }
  // All steps together: single steps may be timed from start to start in one replay and by completions in the other.
  const auto length = [](const sim::RankSteps& rank) { return rank.window.end - rank.window.begin; };
  if (slowest->second.whole > 0 && same->second.whole == slowest->second.whole)
    pairs.of_mean = ratio(length(same->second), length(slowest->second));
  return pairs;
}

/// A source of a change's range. Its ends are those of the ratio of the two iterations, divided by `change`.
RangeSource<double> source_of(Factors factors, std::string reason) {
  return {.name = {}, .reason = std::move(reason), .low = factors.least, .high = factors.most};
}

/// Returns the range from `change` to changed / captured, which is the change `where`.
RangeSource<double> instead(Duration changed, Duration captured, double change, std::string_view where) {
  if (changed <= Duration{} || captured <= Duration{}) return source_of({}, {});
  Factors factors;
  factors.include(ratio(changed, captured) / change);
  return source_of(factors, fmt::format("{}, it is {}", where, sim::signed_percent(ratio(changed, captured) - 1)));
}

/// Returns the change by `factor`, whose range is that of independent sources, `times` as wide.
Range<double> changed_by(double factor, std::vector<RangeSource<double>> sources, double times) {
  std::vector<Factors> factors;
  factors.reserve(sources.size());
  for (const RangeSource<double>& source : sources) factors.push_back({source.low, source.high});
  const Factors all = widened(independent(factors), times);
  for (RangeSource<double>& source : sources) {
    source.low = factor * source.low - 1;
    source.high = factor * source.high - 1;
  }
  return {factor * all.least - 1, factor - 1, factor * all.most - 1, std::move(sources), times};
}

}  // namespace

Effect effect_of(const Prediction& captured, const Prediction& changed, const Range<Duration>& changed_range) {
  const double change = ratio(changed.iteration, captured.iteration);
  const Pairs pairs = paired_steps(captured, changed);
  const double change_of_mean = pairs.of_mean > 0 ? pairs.of_mean : change;
  Factors by_step;
  for (const auto& [before, after] : pairs.steps) {
    if (change > 0) by_step.include(ratio(after, before) / change);
  }
  const double times = changed_range.factor;
  if (change <= 0) return {changed_by(change, {}, times), changed_by(change_of_mean, {}, times)};
  std::vector<RangeSource<double>> sources{
      instead(changed.in_the_long_run, captured.in_the_long_run, change, "in the long run")};
  for (const RangeSource<Duration>& source : changed_range.sources)
    sources.push_back(source_of(source.change, fmt::format("'{}': {}", title_of(source.name), source.reason)));
  Effect effect;
  effect.mean = changed_by(change_of_mean, sources, times);
  sources.push_back(source_of(by_step, "the captured steps change by different amounts"));
  effect.typical = changed_by(change, std::move(sources), times);
  return effect;
}

std::string widest_source(const Range<double>& change) {
  const auto width = [](const RangeSource<double>& source) {
    return std::log((1 + source.high) / std::max(1 + source.low, 1e-6));
  };
  const auto widest = std::max_element(
      change.sources.begin(), change.sources.end(),
      [&width](const RangeSource<double>& a, const RangeSource<double>& b) { return width(a) < width(b); });
  return widest != change.sources.end() && width(*widest) > 0 ? widest->reason : std::string();
}

}  // namespace stepsim::scenarios
