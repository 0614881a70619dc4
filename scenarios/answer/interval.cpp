#include "scenarios/answer/interval.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "model/base/side_by_side.h"
#include "scenarios/answer/evidence.h"
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
  if (variant.tested && of.basis.is_contradicted(variant.name, *variant.sides)) return;
  variant.iteration = of.basis.iteration_of(of.plan, *variant.sides);
  if (!variant.name.empty()) variant.captured = of.basis.captured_with(variant.name, *variant.sides);
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

/// The ranges over variants, as factors of the prediction and of its change against the captured job.
struct VariantRange {
  Factors step;
  Factors change;
};

/// Returns the ranges over the variants that are not contradicted, or nothing if there are none.
std::optional<VariantRange> range_of(const IntervalCase& of, const std::vector<IntervalVariant>& variants) {
  std::optional<VariantRange> range;
  for (const IntervalVariant& one : variants) {
    if (!one.factor && !one.iteration) continue;
    if (!range) range.emplace();
    const double factor = one.factor ? *one.factor : ratio(*one.iteration, of.predicted());
    range->step.include(factor);
    if (!one.captured) {
      range->change.include(factor);
    } else if (*one.captured > Duration{}) {
      range->change.include(factor / ratio(*one.captured, of.baseline().iteration));
    }
  }
  return range;
}

/// Returns the source of a rule, with the range over its variants.
RangeSource<Duration> source_of(const IntervalCase& of, const SourceRule& rule, const VariantRange& range) {
  RangeSource<Duration> source{.name = rule.name,
                               .reason = rule.reason_of != nullptr ? rule.reason_of(of) : std::string(rule.reason),
                               .low = scaled(of.predicted(), range.step.least),
                               .high = scaled(of.predicted(), range.step.most),
                               .of_step_times = rule.of_step_times};
  if (rule.of_difference && !of.settings_changed()) {
    source.change = widened(range.change, share_of_change(of.basis.change_to(of.predicted())));
  } else if (!rule.of_capture) {
    source.change = range.change;
  }
  return source;
}

Factors factors_of(const RangeSource<Duration>& source, Duration predicted) {
  return {ratio(source.low, predicted), ratio(source.high, predicted)};
}

/// Returns the range of typical captured steps, scaled to the answer. If the prediction has the same error as the
/// prediction of the captured iteration, a typical step is in it, even if all other sources are small, and also if the
/// profiler slowed it.
Factors by_capture(const Range<Duration>& step) {
  Factors captured;
  for (const RangeSource<Duration>& source : step.sources) {
    if (source.name == "model" || source.name == "steps" || source.name == kProfilerSource)
      captured = on_top(captured, factors_of(source, step.mid));
  }
  return captured;
}

/// Returns how many times as wide as its sources alone give it the range of an answer is. Changes of rates that change
/// little need little of it, so that a neutral one has the range of the captured step.
double factor_for(const IntervalCase& of) {
  if (!of.changes_anything()) return 1;
  const double whole = evidence_for(of.plan).factor;
  return of.settings_changed() ? whole : 1 + (whole - 1) * share_of_change(of.basis.change_to(of.predicted()));
}

/// Combines sources of uncertainty to the range of an answer.
Range<Duration> combined(const IntervalCase& of, std::vector<RangeSource<Duration>> found) {
  const Duration predicted = of.predicted();
  Range<Duration> step{.mid = predicted, .sources = std::move(found), .factor = factor_for(of)};
  Factors all = widened(by_sources(step), step.factor);
  all.include(by_capture(step));
  step.low = std::min(scaled(predicted, all.least), predicted);
  step.high = std::max(scaled(predicted, all.most), predicted);
  return step;
}

/// Returns the range of an answer. `variants` has those that only the plan decides; the replays that are missing are
/// made.
Range<Duration> range_of(const IntervalCase& of, RuleVariants variants) {
  add_variants(of, &SourceRule::applies, &SourceRule::variants, variants);
  expect_replays(of, variants, of.scenario.graph->dag.task_count(), 0);
  replay_all(of, variants);
  std::vector<RangeSource<Duration>> found;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (!variants[i]) continue;
    const SourceRule& rule = interval_sources()[i];
    const std::optional<VariantRange> range = range_of(of, *variants[i]);
    const bool is_without_effect = range && range->step.least == 1 && range->step.most == 1;
    if (range && !(rule.name == kProfilerSource && is_without_effect)) found.push_back(source_of(of, rule, *range));
  }
  return combined(of, std::move(found));
}

}  // namespace

std::string title_of(std::string_view source) {
  return std::string(source == kUsualErrorSource ? "typical model error" : source);
}

/// Sources count as independent, except those found from the times of the captured steps: these may have the same
/// error, so the union of their ranges is used.
Factors by_sources(const Range<Duration>& step) {
  std::vector<Factors> factors(1);  // the first entry is the union of the sources found from step times
  for (const RangeSource<Duration>& source : step.sources) {
    const Factors range = factors_of(source, step.mid);
    if (source.of_step_times) {
      factors.front().include(range);
    } else {
      factors.push_back(range);
    }
  }
  Factors all = independent(factors);
  all.include(by_capture(step));
  return all;
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
  Range<Duration> range = range_of({of, *scenario}, std::move(variants));
  return {std::move(*scenario), std::move(range)};
}

Range<Duration> IntervalFinder::of(const Plan& plan, const Prediction& scenario) const {
  const IntervalCase of{{*basis_, plan}, scenario};
  return range_of(of, variants_of_plan(of));
}

Range<Duration> interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                            const Prediction& scenario, ReplayMeter& meter) {
  return IntervalFinder(predictor, baseline, meter).of(plan, scenario);
}

}  // namespace stepsim::scenarios
