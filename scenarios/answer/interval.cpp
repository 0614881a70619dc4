#include "scenarios/answer/interval.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

#include "model/base/side_by_side.h"
#include "scenarios/answer/factors.h"
#include "scenarios/answer/interval_basis.h"
#include "scenarios/answer/interval_sources.h"
#include "sim/analysis/intervals.h"

namespace stepsim::scenarios {
namespace {

using sim::ratio;

/// A source of uncertainty that applies to an answer, with the other answers that it makes possible.
struct Applied {
  const SourceRule* rule;
  std::vector<IntervalVariant> variants;
};

std::vector<Applied> applied_sources(const IntervalCase& of) {
  std::vector<Applied> applied;
  for (const SourceRule& rule : interval_sources()) {
    if (rule.applies(of)) applied.push_back({&rule, rule.variants(of)});
  }
  return applied;
}

/// Returns the factor of a variant by replaying it, or nothing if the capture contradicts the variant.
std::optional<double> factor_of(const IntervalVariant& variant, const IntervalCase& of) {
  if (!variant.name.empty() && of.basis.is_contradicted(variant.name, variant.change)) return std::nullopt;
  Plan plan = of.plan;
  variant.change(plan);
  return ratio(of.basis.iteration_of(plan), of.predicted());
}

/// Computes the factors of all variants that have none, in parallel. If several replays throw, throws the error of the
/// first variant.
void replay_variants(const IntervalCase& of, std::vector<Applied>& sources) {
  std::vector<IntervalVariant*> unknown;
  std::uint64_t tasks = 0;
  for (Applied& source : sources) {
    for (IntervalVariant& variant : source.variants) {
      if (variant.factor) continue;
      unknown.push_back(&variant);
      tasks +=
          of.scenario.graph->dag.task_count() + (!variant.name.empty() ? of.baseline().graph->dag.task_count() : 0);
    }
  }
  of.basis.meter().expect(tasks);
  std::vector<std::exception_ptr> errors(unknown.size());
  side_by_side(of.basis.meter().threads(), unknown.size(), [&](std::size_t i) {
    try {
      unknown[i]->factor = factor_of(*unknown[i], of);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// Returns the range over the variants that are not contradicted, or nothing if there are none.
std::optional<Factors> range_of(const std::vector<IntervalVariant>& variants) {
  std::optional<Factors> factors;
  for (const IntervalVariant& one : variants) {
    if (!one.factor) continue;
    if (!factors) factors.emplace();
    factors->include(*one.factor);
  }
  return factors;
}

/// Combines sources of uncertainty to the range of an answer. Sources count as independent, except those found from the
/// times of the captured steps: these may have the same error, so the union of their ranges is used. The result also
/// includes the range of the measured steps, scaled to the answer. If the prediction has the same error as the
/// prediction of the captured iteration, a typical step is then within the result, even if all other sources are small.
AnswerInterval combined(const IntervalCase& of, std::vector<IntervalSource> found) {
  const Duration predicted = of.predicted();
  std::vector<Factors> factors(1);  // the first entry is the union of the sources found from step times
  for (const IntervalSource& source : found) {
    const Factors range{ratio(source.low, predicted), ratio(source.high, predicted)};
    if (source.of_step_times) {
      factors.front().include(range.least);
      factors.front().include(range.most);
    } else {
      factors.push_back(range);
    }
  }
  Factors all = independent(factors);
  const Factors measured = on_top(of.basis.shift(), of.basis.steps());
  all.include(measured.least);
  all.include(measured.most);
  return {std::min(scaled(predicted, all.least), predicted), std::max(scaled(predicted, all.most), predicted),
          std::move(found)};
}

}  // namespace

std::string title_of(const IntervalSource& source) {
  return source.name == kUsualErrorSource ? "typical model error" : std::string(source.name);
}

IntervalFinder::IntervalFinder(Predictor& predictor, const Prediction& baseline, ReplayMeter& meter)
    : basis_(std::make_unique<const IntervalBasis>(predictor, baseline, meter)) {}
IntervalFinder::~IntervalFinder() = default;

AnswerInterval IntervalFinder::of(const Plan& plan, const Prediction& scenario) const {
  const IntervalCase of{*basis_, plan, scenario};
  std::vector<Applied> sources = applied_sources(of);
  replay_variants(of, sources);
  std::vector<IntervalSource> found;
  for (const Applied& source : sources) {
    const std::optional<Factors> factors = range_of(source.variants);
    const SourceRule& rule = *source.rule;
    const bool is_without_effect = factors && factors->least == 1 && factors->most == 1;
    if (!factors || (rule.name == kProfilerSource && is_without_effect)) continue;
    found.push_back({rule.name, rule.reason_of != nullptr ? rule.reason_of(of) : std::string(rule.reason),
                     scaled(scenario.iteration, factors->least), scaled(scenario.iteration, factors->most),
                     rule.of_capture, rule.of_step_times,
                     rule.captured_of != nullptr ? rule.captured_of(of) : Duration{}});
  }
  return combined(of, std::move(found));
}

AnswerInterval interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                           const Prediction& scenario, ReplayMeter& meter) {
  return IntervalFinder(predictor, baseline, meter).of(plan, scenario);
}

}  // namespace stepsim::scenarios
