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

std::map<Rank, sim::RankSteps> rank_steps_of(const Prediction& prediction) {
  return sim::rank_steps(prediction.graph->dag, prediction.graph->recording, prediction.timeline);
}

/// The steps of the slowest captured rank before and after a change.
struct Pairs {
  std::vector<std::pair<Duration, Duration>> steps;  ///< those that are whole in both replays
  double of_mean = 0;  ///< ratio of the means, after to before; 0 if the replays have different numbers of whole steps
};

Pairs paired_steps(const Prediction& captured, const Prediction& changed) {
  const auto before = rank_steps_of(captured);
  const auto after = rank_steps_of(changed);
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

/// Possible other values of the ratio of two iterations, as factors of it.
struct Source {
  Factors factors;
  std::string reason;
  [[nodiscard]] double width() const { return std::log(factors.most / std::max(factors.least, 1e-6)); }
};

/// Returns the range from `change` to changed / captured, which is the change `where`.
Source instead(Duration changed, Duration captured, double change, std::string_view where) {
  Source source;
  if (changed <= Duration{} || captured <= Duration{}) return source;
  source.factors.include(ratio(changed, captured) / change);
  source.reason = fmt::format("{}, it is {}", where, sim::signed_percent(ratio(changed, captured) - 1));
  return source;
}

/// Returns the change by `factor`, whose range is that of independent sources.
RelativeChange changed_by(double factor, const std::vector<Source>& sources) {
  std::vector<Factors> factors;
  factors.reserve(sources.size());
  for (const Source& source : sources) factors.push_back(source.factors);
  const Factors all = independent(factors);
  RelativeChange change{factor - 1, factor * all.least - 1, factor * all.most - 1};
  const auto widest = std::max_element(sources.begin(), sources.end(),
                                       [](const Source& a, const Source& b) { return a.width() < b.width(); });
  if (widest != sources.end() && widest->width() > 0) change.widest = widest->reason;
  return change;
}

}  // namespace

Effect effect_of(const Prediction& captured, const Prediction& changed, const AnswerInterval& changed_range) {
  const double change = ratio(changed.iteration, captured.iteration);
  const Pairs pairs = paired_steps(captured, changed);
  const double change_of_mean = pairs.of_mean > 0 ? pairs.of_mean : change;
  Source by_step{{}, "the captured steps change by different amounts"};
  for (const auto& [before, after] : pairs.steps) {
    if (change > 0) by_step.factors.include(ratio(after, before) / change);
  }
  if (change <= 0) return {changed_by(change, {}), changed_by(change_of_mean, {})};
  std::vector<Source> sources{instead(changed.in_the_long_run, captured.in_the_long_run, change, "in the long run")};
  for (const IntervalSource& source : changed_range.sources) {
    if (source.name == kProfilerSource)
      sources.push_back(instead(source.low, source.captured, change, "without what the profiler may cost"));
    if (!source.of_capture) {
      sources.push_back({{ratio(source.low, changed.iteration), ratio(source.high, changed.iteration)},
                         fmt::format("'{}': {}", title_of(source), source.reason)});
    }
  }
  Effect effect;
  effect.mean = changed_by(change_of_mean, sources);
  sources.push_back(std::move(by_step));
  effect.typical = changed_by(change, sources);
  return effect;
}

}  // namespace stepsim::scenarios
