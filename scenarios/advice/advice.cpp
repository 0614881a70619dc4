#include "scenarios/advice/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "model/base/error.h"
#include "model/cost/collective/nccl_times.h"
#include "scenarios/advice/proposals.h"
#include "scenarios/answer/caution.h"
#include "scenarios/change/selection.h"
#include "sim/analysis/intervals.h"
#include "sim/report/headline.h"

namespace stepsim::scenarios {
namespace {

/// Maximum number of changes to combine, because users are unlikely to make more changes at the same time.
constexpr std::size_t kMostTogether = 3;

/// The outcome of a point and its effect on the captured job.
struct Compared {
  Outcome outcome;
  Effect effect;           ///< 0 if the point has no iteration
  Range<Duration> step{};  ///< has sources, which the outcome has not
};

/// Turns a prediction of a job that does not fit in memory into a refusal.
void refuse_unfit(Outcome& outcome) {
  if (!outcome.iteration || !outcome.does_not_fit()) return;
  outcome.iteration.reset();
  outcome.problem = doubt_text(*outcome.memory);
}

/// The captured job that changes are compared with.
struct Captured {
  Predictor& predictor;
  const Prediction& prediction;
  const IntervalFinder& ranges;
};

/// Predicts each of `points` as a point of a sweep, and returns the outcomes in the same order.
std::vector<Compared> outcomes_of(const Captured& captured, const std::vector<std::vector<Setting>>& points,
                                  const AdviceOptions& options) {
  std::vector<Compared> outcomes(points.size());
  if (points.empty()) return outcomes;
  const Scenario scenario = scenario_of(points);
  Sweep sweep(captured.predictor, scenario);
  std::vector<std::size_t> all(points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::uint64_t done = 0;
  const auto take = [&](std::size_t point, const Outcome& outcome) {
    outcomes[point].outcome = outcome;
    outcomes[point].outcome.problem = without_place(outcome.problem);
    refuse_unfit(outcomes[point].outcome);
    if (options.progress) options.progress(++done, points.size());
  };
  const auto compare = [&](std::size_t point, const Prediction& predicted, const Range<Duration>& range) {
    outcomes[point].effect = effect_of(captured.prediction, predicted, range);
    outcomes[point].step = range;
  };
  sweep.run(
      all,
      {.threads = options.threads, .finder = &captured.ranges, .stop = options.stop, .done = take, .look = compare});
  return outcomes;
}

Verdict verdict_of(const Range<double>& change) {
  if (std::abs(change.mid) < sim::kLeastShown) return Verdict::kNothing;
  if (change.high < 0) return Verdict::kGain;
  return change.low > 0 ? Verdict::kWorse : Verdict::kUnsure;
}

/// Returns "compute" for "compute{class=gemm}.scale".
std::string_view what_if_of(std::string_view key) { return key.substr(0, key.find_first_of(".{")); }

/// Adds the sentence that states which effects the what-if of `key` ignores, unless it is already listed.
void add_left_out(std::string_view key, std::vector<std::string>& sentences) {
  for (const WhatIf* const what_if : what_ifs()) {
    if (what_if->name != what_if_of(key)) continue;
    const auto known = std::find(sentences.begin(), sentences.end(), what_if->ignores);
    if (known == sentences.end()) sentences.emplace_back(what_if->ignores);
  }
}

/// Fills in the members of `tried` that come from its what-ifs and not from the prediction: selected tasks, assumptions
/// and ignored effects. Precondition: the candidate could be predicted.
void describe(const Plan& captured, Tried& tried) {
  Plan plan = captured;
  const Scenario scenario = scenario_of({tried.candidate.settings});
  std::vector<std::shared_ptr<const YamlText>> documents;
  std::vector<Change> changes;
  for (const PointValue& value : scenario.points.front()) {
    changes.push_back(change_at(value.key, value.value, documents.emplace_back()));
    if (const auto selection = selection_of(changes.back(), *captured.captured))
      tried.applies_to.push_back(text_of(*selection));
    add_left_out(value.key, tried.leaves_out);
  }
  apply_all(changes, plan);
  tried.assumptions.assign(plan.assumptions.begin() + static_cast<std::ptrdiff_t>(captured.assumptions.size()),
                           plan.assumptions.end());
}

/// Returns the name of a refused candidate: its settings, or only its key if all tried values of the key are refused.
std::string refused_as(const std::vector<Candidate>& candidates, const std::vector<Compared>& outcomes,
                       std::size_t refused) {
  std::size_t values = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].family != candidates[refused].family) continue;
    if (outcomes[i].outcome.iteration) return to_text(candidates[refused].settings);
    ++values;
  }
  return values > 1 ? candidates[refused].settings.front().key : to_text(candidates[refused].settings);
}

/// Returns the reason why a candidate was refused, without the key at the beginning of some reasons.
std::string reason_of(const Candidate& candidate, const Outcome& outcome) {
  const std::string key = candidate.settings.front().key + ": ";
  return outcome.problem.starts_with(key) ? outcome.problem.substr(key.size()) : outcome.problem;
}

/// Stores the predicted candidates in advice.tried, in its order. Stores the refused candidates and the
/// reasons in advice.left_out.
void take(const std::vector<Candidate>& candidates, const std::vector<Compared>& outcomes, const Plan& plan,
          Advice& advice) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Outcome& outcome = outcomes[i].outcome;
    if (!outcome.iteration) {
      leave_out(refused_as(candidates, outcomes, i), reason_of(candidates[i], outcome), advice.left_out);
      continue;
    }
    Tried& tried = advice.tried.emplace_back();
    tried.candidate = candidates[i];
    tried.iteration = *outcome.iteration;
    tried.note = outcome.note;
    tried.change = outcomes[i].effect.typical;
    if (advice.mean) tried.mean_change = outcomes[i].effect.mean;
    tried.verdict = verdict_of(tried.leading());
    describe(plan, tried);
  }
  std::stable_sort(advice.tried.begin(), advice.tried.end(), [](const Tried& a, const Tried& b) {
    const auto mean = [](const Tried& tried) { return tried.mean_change ? tried.mean_change->mid : 0; };
    return std::pair{mean(a), a.iteration.mid} < std::pair{mean(b), b.iteration.mid};
  });
  std::vector<std::size_t> seen;
  for (Tried& tried : advice.tried) {
    tried.best = std::find(seen.begin(), seen.end(), tried.candidate.family) == seen.end();
    if (tried.best) seen.push_back(tried.candidate.family);
  }
}

/// Returns the tasks that a setting selects, in ascending order.
std::vector<TaskId> tasks_of(const Setting& setting, const Capture& capture) {
  const Scenario scenario = scenario_of({{setting}});
  std::shared_ptr<const YamlText> document;
  const PointValue& value = scenario.points.front().front();
  return change_at(value.key, value.value, document).selector().select(capture);
}

/// True if both settings scale some of the same links, tasks or waits, so that both together would scale these twice.
bool collide(const Setting& a, const Setting& b, const Capture& capture) {
  if (a.key == b.key) return true;
  const std::string_view what_if = what_if_of(a.key);
  if (what_if_of(b.key) != what_if) return false;
  if (what_if == "loader") return true;
  const auto sets = [&](std::string_view parameter) {
    return a.key.ends_with(parameter) ? &b.key : b.key.ends_with(parameter) ? &a.key : nullptr;
  };
  if (what_if == "network") {
    const std::string* const other = sets(".bandwidth");
    return other != nullptr && (other->ends_with(".inside") || other->ends_with(".between"));
  }
  if (what_if != "compute") return false;
  const std::vector<TaskId> of_a = tasks_of(a, capture);
  const std::vector<TaskId> of_b = tasks_of(b, capture);
  std::vector<TaskId> both;
  std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(both));
  return !both.empty();
}

bool collide(const Candidate& a, const Candidate& b, const Capture& capture) {
  return std::any_of(a.settings.begin(), a.settings.end(), [&](const Setting& one) {
    return std::any_of(b.settings.begin(), b.settings.end(),
                       [&](const Setting& other) { return collide(one, other, capture); });
  });
}

/// Returns the indices of the largest gains that can be combined, because no two of them collide(). At most
/// kMostTogether; empty if there are fewer than two.
std::vector<std::size_t> largest_gains(const Advice& advice, bool with_hardware, const Capture& capture) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < advice.tried.size() && chosen.size() < kMostTogether; ++i) {
    const Tried& tried = advice.tried[i];
    const Effort effort = tried.candidate.effort;
    if (!tried.best || tried.verdict != Verdict::kGain || effort == Effort::kLimit) continue;
    if (!with_hardware && effort == Effort::kHardware) continue;
    const bool collides = std::any_of(chosen.begin(), chosen.end(), [&](std::size_t other) {
      return collide(tried.candidate, advice.tried[other].candidate, capture);
    });
    if (!collides) chosen.push_back(i);
  }
  if (chosen.size() < 2) chosen.clear();
  return chosen;
}

void predict_together(const Captured& captured, const AdviceOptions& options, Advice& advice) {
  std::vector<std::vector<std::size_t>> sets;
  for (const bool with_hardware : {false, true}) {
    std::vector<std::size_t> set = largest_gains(advice, with_hardware, *captured.predictor.plan().captured);
    if (!set.empty() && std::find(sets.begin(), sets.end(), set) == sets.end()) sets.push_back(std::move(set));
  }
  std::vector<std::vector<Setting>> points;
  for (const std::vector<std::size_t>& set : sets) {
    std::vector<Setting>& point = points.emplace_back();
    for (const std::size_t i : set) {
      const std::vector<Setting>& settings = advice.tried[i].candidate.settings;
      point.insert(point.end(), settings.begin(), settings.end());
    }
  }
  std::vector<Compared> outcomes = outcomes_of(captured, points, options);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    Together& together = advice.together.emplace_back();
    together.tried = std::move(sets[i]);
    together.outcome = std::move(outcomes[i].outcome);
    together.change = outcomes[i].effect.typical;
    for (const std::size_t one : together.tried) together.sum += advice.tried[one].change.mid;
  }
}

/// Returns the assumptions that all predictions have in common.
Assumptions common_assumptions(const Prediction& baseline, const Calibration* calibration, const Plan& plan) {
  Assumptions assumptions = baseline.graph->assumptions;
  if (calibration != nullptr) append(assumptions, calibration->assumptions);
  append(assumptions, plan.assumptions);
  if (plan.network->make != nullptr && !plan.recorded_collectives)
    append(assumptions, nccl_assumptions(plan.captured->dag, plan.cluster));
  return assumptions;
}

std::vector<std::vector<Setting>> settings_of(const std::vector<Candidate>& candidates) {
  std::vector<std::vector<Setting>> points;
  points.reserve(candidates.size());
  for (const Candidate& candidate : candidates) points.push_back(candidate.settings);
  return points;
}

std::string remedy_of(std::string_view call) {
  const auto has = [call](std::string_view word) { return call.find(word) != std::string_view::npos; };
  if (has("Free")) {
    return "a free waits for the device: keep the memory (no empty_cache(), and fewer different sizes, because the "
           "allocator frees blocks when no other fits)";
  }
  if (has("Alloc")) return "the allocator still grows: record later steps, or replay them alone (--steps)";
  return "the driver starts or waits: record later steps, or replay them alone (--steps)";
}

std::vector<LongCalls> named_calls(const sim::TaskList& tasks) {
  std::vector<LongCalls> calls;
  for (const sim::TaskGroup& group : long_calls(tasks))
    calls.push_back({group.name, group.tasks, group.total, group.longest, group.share, remedy_of(group.name)});
  return calls;
}

/// Returns the changes worth trying for the captured job, whose prediction is `baseline`. Also fills in the members of
/// `advice` that do not depend on a change: baseline and assumptions.
Candidates look_at_job(const Predictor& predictor, const Prediction& baseline, const Calibration* calibration,
                       const Plan& plan, Advice& advice) {
  const sim::Summary summary = sim::summarize(*baseline.graph, baseline.timeline);
  advice.network = plan.network->name;
  if (sim::steps_differ(summary)) advice.mean = summary.iteration.mean;
  advice.baseline = baseline_of(predictor, baseline);
  advice.assumptions = common_assumptions(baseline, calibration, plan);
  const IdRange<TaskId> tasks = plan.captured->dag.tasks();
  const sim::TaskList list = sim::list_tasks(*plan.captured, {tasks.begin(), tasks.end()});
  advice.long_calls = named_calls(list);
  return candidates_for({plan, summary, list});
}

}  // namespace

std::string_view to_text(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"gain", "unsure", "nothing", "worse"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Advice advise(Predictor& predictor, const Calibration* calibration, const AdviceOptions& options) {
  Advice advice;
  const Plan plan = predictor.plan();
  const Prediction baseline = predictor.predict(plan, {.threads = options.threads, .stop = options.stop});
  if (baseline.iteration <= Duration{}) {
    throw CannotAnswer({},
                       "the captured step takes no time, so no change can save any; expected a capture with durations");
  }
  Candidates candidates = look_at_job(predictor, baseline, calibration, plan, advice);
  advice.left_out = std::move(candidates.left_out);
  ReplayMeter meter({.threads = 1, .stop = options.stop});  // points are predicted in parallel
  const IntervalFinder ranges(predictor, baseline, meter);
  const Captured captured{predictor, baseline, ranges};
  const auto outcomes = outcomes_of(captured, settings_of(candidates.tried), options);
  Caution caution(*plan.captured, predictor.settings().checkup);
  caution.add_all();
  for (const Compared& outcome : outcomes) caution.add(outcome.step);
  advice.trust = caution.trust();
  take(candidates.tried, outcomes, plan, advice);
  if (advice.tried.empty()) {
    throw CannotAnswer({}, fmt::format("none of the changes that advise tries can be predicted; the first, {}: {}",
                                       advice.left_out.front().changes.front(), advice.left_out.front().reason));
  }
  predict_together(captured, options, advice);
  return advice;
}

}  // namespace stepsim::scenarios
