#include "scenarios/answer/interval.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "model/base/side_by_side.h"
#include "scenarios/answer/factors.h"
#include "scenarios/answer/interval_basis.h"
#include "scenarios/answer/interval_sources.h"
#include "sim/analysis/intervals.h"

namespace stepsim::scenarios {
namespace {

using sim::ratio;

/// The variants of each rule of interval_sources() that applies, in the same order; nothing for the others.
using RuleVariants = std::vector<std::optional<std::vector<IntervalVariant>>>;

/// Adds the variants of the rules that have the functions `applies` and `variants_of`: those of a plan, or those of an
/// answer.
template <class Case>
void add_variants(const Case& of, bool (*SourceRule::*applies)(const Case&),
                  std::vector<IntervalVariant> (*SourceRule::*variants_of)(const Case&), RuleVariants& variants) {
  const std::span<const SourceRule> rules = interval_sources();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].*applies != nullptr && (rules[i].*applies)(of)) variants[i] = (rules[i].*variants_of)(of);
  }
}

/// Returns the variants of the rules that only the plan decides.
RuleVariants variants_of_plan(const PlanCase& of) {
  RuleVariants variants(interval_sources().size());
  add_variants(of, &SourceRule::applies_to_plan, &SourceRule::variants_of_plan, variants);
  return variants;
}

/// Returns the variants that need a replay and have had none.
std::vector<IntervalVariant*> without_replay(RuleVariants& variants) {
  std::vector<IntervalVariant*> found;
  for (auto& of_rule : variants) {
    if (!of_rule) continue;
    for (IntervalVariant& variant : *of_rule) {
      if (variant.sides && !variant.replayed) found.push_back(&variant);
    }
  }
  return found;
}

/// Replays a variant, unless the capture contradicts it.
void replay(const PlanCase& of, IntervalVariant& variant) {
  variant.replayed = true;
  if (!variant.name.empty() && of.basis.is_contradicted(variant.name, *variant.sides)) return;
  variant.iteration = of.basis.iteration_of(of.plan, *variant.sides);
}

/// Makes `first`, if it is not empty, and the replays that are missing, in parallel. If several throw, throws the error
/// of the first.
void replay_all(const PlanCase& of, RuleVariants& variants, const std::function<void()>& first = {}) {
  std::vector<std::function<void()>> works;
  if (first) works.push_back(first);
  for (IntervalVariant* const variant : without_replay(variants))
    works.emplace_back([&of, variant] { replay(of, *variant); });
  std::vector<std::exception_ptr> errors(works.size());
  side_by_side(of.basis.meter().threads(), works.size(), [&](std::size_t i) {
    try {
      works[i]();
    } catch (...) {
      errors[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// Announces the replays that are missing, and `more` tasks. `tasks` is the number of tasks of the plan's graph.
void expect_replays(const PlanCase& of, RuleVariants& variants, std::uint64_t tasks, std::uint64_t more) {
  for (const IntervalVariant* const variant : without_replay(variants))
    more += tasks + (variant->name.empty() ? 0 : of.baseline().graph->dag.task_count());
  of.basis.meter().expect(more);
}

/// Returns the range over the variants that are not contradicted, as factors of the prediction, or nothing if there are
/// none.
std::optional<Factors> range_of(const std::vector<IntervalVariant>& variants, Duration predicted) {
  std::optional<Factors> factors;
  for (const IntervalVariant& one : variants) {
    if (!one.factor && !one.iteration) continue;
    if (!factors) factors.emplace();
    factors->include(one.factor ? *one.factor : ratio(*one.iteration, predicted));
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

/// Returns the range of an answer. `variants` has those that only the plan decides; the replays that are missing are
/// made.
AnswerInterval range_of(const IntervalCase& of, RuleVariants variants) {
  add_variants(of, &SourceRule::applies, &SourceRule::variants, variants);
  expect_replays(of, variants, of.scenario.graph->dag.task_count(), 0);
  replay_all(of, variants);
  std::vector<IntervalSource> found;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (!variants[i]) continue;
    const SourceRule& rule = interval_sources()[i];
    const std::optional<Factors> factors = range_of(*variants[i], of.predicted());
    const bool is_without_effect = factors && factors->least == 1 && factors->most == 1;
    if (!factors || (rule.name == kProfilerSource && is_without_effect)) continue;
    found.push_back({rule.name, rule.reason_of != nullptr ? rule.reason_of(of) : std::string(rule.reason),
                     scaled(of.predicted(), factors->least), scaled(of.predicted(), factors->most), rule.of_capture,
                     rule.of_step_times, rule.captured_of != nullptr ? rule.captured_of(of) : Duration{}});
  }
  return combined(of, std::move(found));
}

}  // namespace

std::string title_of(const IntervalSource& source) {
  return source.name == kUsualErrorSource ? "typical model error" : std::string(source.name);
}

IntervalFinder::IntervalFinder(Predictor& predictor, const Prediction& baseline, ReplayMeter& meter)
    : basis_(std::make_unique<const IntervalBasis>(predictor, baseline, meter)) {}
IntervalFinder::~IntervalFinder() = default;

RangedPrediction IntervalFinder::predict(const Plan& plan) const {
  const PlanCase of{*basis_, plan};
  RuleVariants variants = variants_of_plan(of);
  const std::uint64_t tasks = basis_->predictor().tasks_of(plan);
  expect_replays(of, variants, tasks, tasks);
  std::optional<Prediction> scenario;
  replay_all(of, variants, [&] { scenario = basis_->meter().predict(basis_->predictor(), plan); });
  AnswerInterval interval = range_of({of, *scenario}, std::move(variants));
  return {std::move(*scenario), std::move(interval)};
}

AnswerInterval IntervalFinder::of(const Plan& plan, const Prediction& scenario) const {
  const IntervalCase of{{*basis_, plan}, scenario};
  return range_of(of, variants_of_plan(of));
}

AnswerInterval interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                           const Prediction& scenario, ReplayMeter& meter) {
  return IntervalFinder(predictor, baseline, meter).of(plan, scenario);
}

}  // namespace stepsim::scenarios
