#include "scenarios/answer/interval_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "model/base/text.h"
#include "model/cost/collective/nccl_times.h"
#include "model/cost/device/device_work.h"
#include "model/cost/network/maxmin.h"
#include "model/cost/network/network.h"
#include "scenarios/answer/interval.h"
#include "scenarios/answer/learn_from_capture.h"
#include "scenarios/change/on_machine.h"
#include "scenarios/change/selection.h"
#include "sim/analysis/activity.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/pauses.h"
#include "sim/analysis/step_spread.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {
namespace {

using sim::ratio;
using Case = IntervalCase;
using Variants = std::vector<IntervalVariant>;

Variants known(const Factors& factors) { return {{.factor = factors.least}, {.factor = factors.most}}; }

Variants replayed(Sides sides) { return {{.sides = std::move(sides)}}; }

/// Returns two variants to replay, for the lower and the upper end of the range of a value. `name` is empty if the
/// value is of the change only.
Variants both_sides(double Sides::*value, std::string_view name = {}) {
  Variants variants;
  for (const double side : {-1.0, 1.0}) {
    Sides sides;
    sides.*value = side;
    variants.push_back({.sides = std::move(sides), .name = name.empty() ? "" : fmt::format("{} {}", name, side)});
  }
  return variants;
}

/// Returns a variant for each factor, in which rule(factor) changes the durations. `name` is empty if they are of the
/// change only.
template <class Rule>
Variants with_factors(const std::array<double, 2>& factors, Rule rule, std::string_view name = {}) {
  Variants variants;
  for (const double factor : factors) {
    variants.push_back(
        {.sides = Sides{.durations = rule(factor)}, .name = name.empty() ? "" : fmt::format("{} {}", name, factor)});
  }
  return variants;
}

bool is_measured(const Case& of) { return of.summary().measured; }

/// True if the captured job is a step that `stepsim model` wrote. The two sources of such steps include all errors of
/// models.
bool is_modelled(const PlanCase& of) { return is_modelled_step(of.captured()); }

// ---- model

bool misses_the_capture(const Case& of) {
  const Factors shift = of.basis.shift();
  return is_measured(of) && (shift.least != 1 || shift.most != 1);
}

std::string error_of_the_capture(const Case& of) {
  const Duration measured = of.basis.measured();
  return fmt::format(
      "the {} of {} is predicted with an error of {}",
      of.basis.measured() == of.summary().iteration.measured ? "captured step" : "step without the profiler",
      to_text(measured), sim::signed_percent(ratio(of.basis.comparable() - measured, measured)));
}

// ---- steps, transient, repetition

std::string steps_that_differ(const Case& of) {
  const std::size_t count = of.basis.step_count();
  if (count < 2) return "a single captured step does not show how steps vary";
  return fmt::format("the {} captured steps vary, and other steps may vary more", count);
}

std::string how_steps_go_on(const Case& of) {
  return fmt::format(
      "the captured steps get {} from first to last: the job was not in a steady state, and the "
      "prediction is for its middle",
      *of.basis.trend() < 1 ? "shorter" : "longer");
}

/// True if the captured steps alone took another time than in the long run, which they do not contradict.
bool captured_steps_differ(const Case& of) {
  const Prediction& captured = of.baseline();
  return of.basis.step_count() > 1 && of.basis.predictor().settings().trusts_repetition &&
         std::abs(ratio(captured.of_captured_steps - captured.iteration, captured.iteration)) > sim::kUsualError;
}

/// True if the range must include the time of repeated steps, or of the captured steps alone. This is so if the two
/// differ, or if only one step was captured and repeated steps would take less time than predicted.
bool may_repeat_otherwise(const Case& of) {
  if (!of.basis.predictor().settings().trusts_repetition || captured_steps_differ(of)) return true;
  return of.basis.step_count() < 2 && of.scenario.in_the_long_run < of.predicted();
}

Variants repeated_otherwise(const Case& of) {
  const bool by_captured_steps = captured_steps_differ(of);
  return {{.factor =
               ratio(by_captured_steps ? of.scenario.of_captured_steps : of.scenario.in_the_long_run, of.predicted())}};
}

/// Returns why the time of repeated steps, or of the captured steps alone, is in the range. Precondition:
/// may_repeat_otherwise().
std::string reason_for_repetition(const Case& of) {
  if (captured_steps_differ(of)) {
    return fmt::format("the captured steps alone take {}: what limits the job in the long run did not limit them",
                       to_text(of.scenario.of_captured_steps));
  }
  const std::string repeated = to_text(of.scenario.in_the_long_run);
  if (of.basis.predictor().settings().trusts_repetition) {
    return fmt::format(
        "only one step was captured: the next may start when all of it is done, as predicted, or as soon as its "
        "threads and streams are free, after {}",
        repeated);
  }
  return fmt::format(
      "simulated back to back until they are steady, the steps take {}, which the captured steps contradict", repeated);
}

// ---- usual error, extrapolation

/// True if a model of the network times the collectives, also of the captured job.
bool times_links(const Case& of) { return of.links_apply() && !of.plan.recorded_collectives; }

ModelCase model_case(const Case& of) {
  return {of.basis.change_to(of.predicted()), of.settings_changed(), times_links(of),
          of.links_apply() ? of.basis.predictor().settings().link_rate_error : 0};
}

/// True if the prediction depends on a model, which may be wrong. False for a replay of recorded times without changes.
bool rests_on_models(const Case& of) { return !is_modelled(of) && (times_links(of) || of.changes_anything()); }

std::string distance_from_the_capture(const Case& of) {
  const ModelCase model = model_case(of);
  if (!is_worse_for_links(model)) return "additional model error for a change this large";
  return fmt::format("the fitted link bandwidth may be off by {:.1f} %, which matters for this change",
                     100 * model.link_rate_error);
}

// ---- profiler

bool may_be_profiled(const PlanCase& of) {
  const auto& profiler = of.basis.predictor().settings().profiler;
  return profiler && !profiler->known();
}

std::string cost_of_the_profiler(const Case& of) {
  const ProfilerCosts& costs = *of.basis.predictor().settings().profiler;
  return fmt::format(
      "the profiler may have added nothing, or up to {} of CPU time per event; set measured_step or profiler_cost in "
      "job.yaml if you know it",
      to_text(costs.most.per_event));
}

// ---- sharing

/// The values of the parameter kSharing to try: 1 if senders share a link equally, 0 if it serves one at a time.
constexpr std::array kSharings{0.0, 0.5, 1.0};

bool shares_unknown(const PlanCase& of) {
  return !of.plan.sharing_known && of.links_are_shared() && uses_links(of.captured());
}

/// True if a replay with this sharing would equal the prediction: the network model has no such parameter, or links are
/// shared equally both in the plan and with `sharing`.
bool is_as_predicted(const Plan& plan, double sharing) {
  const auto& parameters = plan.network->parameters;
  if (std::find(parameters.begin(), parameters.end(), &kSharing) == parameters.end()) return true;
  return sharing == 1 && plan.cluster.network[kSharing] == 1;
}

/// Returns variants in which senders share links differently. With the values in kSharings, a sender also keeps its
/// turn until it has no more messages, as TCP may do; in the prediction, each message waits for a separate turn.
/// Further variants have the values of kSharing that fit the capture.
Variants other_sharings(const PlanCase& of) {
  Variants variants;
  for (const double sharing : kSharings) {
    if (is_as_predicted(of.plan, sharing)) {
      variants.push_back({.factor = 1});
      continue;
    }
    variants.push_back({.sides = Sides{.sharing = sharing, .senders_keep_turn = true},
                        .name = fmt::format("sharing {}, turns", sharing),
                        .tested = true});
  }
  for (const double sharing : of.basis.predictor().settings().fitting_sharings()) {
    if (sharing == of.plan.cluster.network[kSharing]) continue;
    variants.push_back({.sides = Sides{.sharing = sharing}, .name = fmt::format("sharing {}", sharing)});
  }
  return variants;
}

// ---- concurrency, drift, nccl

/// How the collectives on thread pools overlap in time. Libraries such as gloo run several collectives concurrently.
struct PooledCollectives {
  Duration busy{};        ///< time in which at least one runs, summed over all pools
  Duration concurrent{};  ///< additional time of concurrent collectives: each second in which two run adds one
};

/// Measures how the collectives on thread pools overlap in a replay. O(tasks log tasks).
PooledCollectives pooled_collectives(const Dag& dag, const sim::Timeline& timeline) {
  std::map<LaneId, std::vector<sim::Interval>> pools;
  Duration together{};
  for (const TaskId task : dag.tasks()) {
    if (!dag.rendezvous(task).valid() || dag.lane(task).order != LaneOrder::kFifo) continue;
    pools[dag.lane_id(task)].push_back(sim::own_work(dag, timeline, task));
    together = sim::saturated_sum(together, sim::own_time(dag, timeline, task));
  }
  PooledCollectives pooled;
  for (auto& [lane, runs] : pools) pooled.busy = sim::saturated_sum(pooled.busy, sim::union_length(runs));
  pooled.concurrent = together - pooled.busy;
  return pooled;
}

/// True if the changed job runs collectives of a rank concurrently and the captured job does not. The capture then does
/// not show how concurrent collectives slow each other.
bool begins_concurrency(const Case& of) {
  if (!of.links_apply() || of.plan.recorded_collectives) return false;
  constexpr int kLeastShare = 20;  // concurrency below 1/20 of the collectives' time does not count
  const PooledCollectives before = pooled_collectives(of.baseline().graph->dag, of.baseline().timeline);
  const PooledCollectives after = pooled_collectives(of.scenario.graph->dag, of.scenario.timeline);
  return before.concurrent * kLeastShare < before.busy && after.concurrent * kLeastShare > after.busy;
}

bool may_drift(const PlanCase& of) {
  return of.captured().parameter_server != nullptr && of.links_are_shared() && of.plan.job.workers >= 2U;
}

bool rests_on_nccl_model(const Case& of) {
  if (!of.links_apply() || of.plan.recorded_collectives || (is_measured(of) && !of.changes_anything())) return false;
  return nccl_sources(of.scenario.graph->dag, of.plan.cluster).total() > 0;
}

std::string sources_of_collectives(const Case& of) {
  return fmt::format("collectives may take less or more time: {}",
                     to_text(nccl_sources(of.scenario.graph->dag, of.plan.cluster)));
}

// ---- copies

/// Returns the ranks that were captured. Ranks that are copies of captured ones have higher numbers.
std::span<const Rank> captured_ranks(const PlanCase& of) {
  const std::vector<Rank>& ranks = of.baseline().graph->recording.ranks;
  const std::size_t count = std::size_t{captured_workers(of.captured())} * of.captured().job.local_size.value_or(1);
  return std::span(ranks).first(std::min(ranks.size(), count));
}

bool has_copies(const PlanCase& of) {
  return !captured_ranks(of).empty() && *of.plan.job.workers > captured_workers(of.captured());
}

/// Returns the range of the values as factors of their median; 1 to 1 for fewer than two values.
Factors about_median(std::vector<Duration> values) {
  Factors factors;
  std::sort(values.begin(), values.end());
  if (values.size() < 2) return factors;
  const Duration middle = values[values.size() / 2];
  if (middle <= Duration{}) return factors;
  factors.include(ratio(values.front(), middle));
  factors.include(ratio(values.back(), middle));
  return factors;
}

Sides with_copies(Rank last_captured, double factor) {
  Sides sides{.ungrouped = RankSet({{0, last_captured}})};
  sides.durations = [last_captured, factor](const Capture& capture, std::vector<Duration>& durations) {
    for (const TaskId task : capture.dag.tasks()) {
      const bool is_copy = capture.dag.lane(task).rank > last_captured;
      const TaskClass of = class_of(capture.dag.kind(task));
      if (is_copy && of != TaskClass::kCommunication && of != TaskClass::kLoader)
        durations[task.index()] = scaled(durations[task.index()], factor);
    }
  };
  return sides;
}

/// Returns variants for ranks that are copies of captured ones: the prediction itself, and replays in which the copies
/// compute as fast as the fastest and as slowly as the slowest captured rank, if these differ from the median.
Variants other_copies(const PlanCase& of) {
  const std::span<const Rank> ranks = captured_ranks(of);
  std::vector<Duration> compute;
  for (const sim::RankBreakdown& rank : of.summary().ranks) {
    if (std::find(ranks.begin(), ranks.end(), rank.rank) == ranks.end()) continue;
    compute.push_back(rank.compute == Duration{} ? rank.host : rank.compute);
  }
  const Factors speeds = about_median(compute);
  Variants variants{{.factor = 1}};
  for (const double speed : {speeds.least, speeds.most}) {
    if (speed == 1) continue;
    variants.push_back({.sides = with_copies(ranks.back(), speed)});
  }
  return variants;
}

std::string who_was_captured(const Case& of) {
  return captured_ranks(of).size() == 1
             ? "only one worker was captured; how others differ is unknown"
             : "workers that were not captured may be as fast as the fastest captured one or as slow as the slowest";
}

// ---- device, host, interference

/// True if the roofline model changed the duration of any device work.
bool scales_by_roofline(const Case& of) {
  const std::vector<DeviceShare>& shares = of.scenario.shares;
  return std::any_of(shares.begin(), shares.end(), [](const DeviceShare& found) {
    return std::any_of(found.share.by.begin(), found.share.by.begin() + static_cast<std::size_t>(ScaledBy::kFactor),
                       [](const ScaledShare::Part& part) { return part.before != part.after; });
  });
}

Variants with_host_work(const std::array<double, 2>& factors, std::string_view name = {}) {
  const auto rule = [](double factor) {
    return [factor](const Capture& capture, std::vector<Duration>& durations) {
      scale_host_work(capture.dag, factor, durations);
    };
  };
  return with_factors(factors, rule, name);
}

// ---- pauses

bool pauses_often(const PlanCase& of) {
  return !of.plan.pauses_known && sim::worst_share_of_pauses(of.captured()) >= sim::kManyPauses;
}

Variants without_pauses(const PlanCase& /*of*/) {
  const auto rule = [](const Capture& capture, std::vector<Duration>& durations) {
    scale_pauses(capture, nullptr, 0, durations);
  };
  return {{.sides = Sides{.durations = rule}, .name = "pauses"}};
}

// ---- modelled

/// Returns the range of the factor of modelled kernels: kModelledKernels, or on a machine what its measured steps
/// leave. The squares of both errors are averaged, by the number of steps and as if kModelledKernels came from five,
/// because the error of a few steps says little. Of normal errors, nine tenths are within 2.06 times their mean size.
std::array<double, 2> range_of_kernels(const Plan& plan) {
  constexpr double kNineTenths = 2.06;
  constexpr double kWorthOfUsual = 5;  // in measured steps
  if (!is_on_machine(plan) || plan.machine->left_out <= 0) return kModelledKernels;
  const auto runs = static_cast<double>(plan.machine->runs);
  const double usual = (kModelledKernels[1] - kModelledKernels[0]) / 2;
  const double error =
      std::sqrt((runs * std::pow(kNineTenths * plan.machine->left_out, 2) + kWorthOfUsual * usual * usual) /
                (runs + kWorthOfUsual));
  return {1 / (1 + error), 1 + error};
}

std::string how_kernels_are_known(const Case& of) {
  const auto [low, high] = range_of_kernels(of.plan);
  if (!is_on_machine(of.plan)) {
    return fmt::format("no kernel was measured: all may take {:.2f} to {:.2f} times as long as their shapes say", low,
                       high);
  }
  return fmt::format("after {} on {}, kernels may still take {:.2f} to {:.2f} times as long",
                     counted(of.plan.machine->runs, "measured step"), of.plan.machine->device, low, high);
}

Variants other_kernels(const PlanCase& of) {
  const auto rule = [](double factor) {
    return [factor](const Capture& capture, std::vector<Duration>& durations) {
      for (const TaskId task : capture.dag.tasks()) {
        if (capture.dag.kind(task) == TaskKind::kKernel)
          durations[task.index()] = scaled(durations[task.index()], factor);
      }
    };
  };
  return with_factors(range_of_kernels(of.plan), rule, "modelled kernels");
}

// ---- added calls

/// True if the plan divides the job of one device, which then has no collectives but added ones.
bool adds_collectives(const PlanCase& of) { return of.links_apply() && of.plan.parallelism.ranks() > 1; }

bool launches_collective(const Dag& dag, TaskId task) {
  if (dag.kind(task) != TaskKind::kHost) return false;
  const auto edges = dag.edges_from(task);
  return std::any_of(edges.begin(), edges.end(), [&dag](EdgeId edge) {
    return dag.edge_kind(edge) == EdgeKind::kLaunch && dag.kind(dag.target(edge)) == TaskKind::kCollective;
  });
}

Variants with_added_calls(const PlanCase& /*of*/) {
  return with_factors(kAddedCalls, [](double factor) {
    return [factor](const Capture& capture, std::vector<Duration>& durations) {
      for (const TaskId task : capture.dag.tasks()) {
        if (launches_collective(capture.dag, task)) durations[task.index()] = scaled(durations[task.index()], factor);
      }
    };
  });
}

// ---- loader

/// True if a changed job may wait longer or shorter for its data loader. False if the loader does not limit the
/// captured job, because its speed is then unknown, or if the user sets how long the waits take.
bool may_wait_otherwise(const Case& of) {
  if (!of.changes_anything() || (of.plan.other_loader && !of.plan.other_loader_workers)) return false;
  return of.basis.loader_sets_pace();
}

/// Returns a variant in which the loader makes batches at the captured rate. If the predicted step is shorter than the
/// captured one, it waits for its batch until both are equally long. If it is longer, it loses its waits for data, but
/// does not become shorter than the captured one.
Variants at_pace_of_loader(const Case& of) {
  const Duration before = of.baseline().iteration;
  const Duration shortest = std::max(before, of.predicted() - of.summary().parts.loader);
  return {{.factor = ratio(of.predicted() < before ? before : shortest, of.predicted())}};
}

std::string what_loader_does(const Case& of) {
  if (of.plan.other_loader_workers)
    return "more loader processes save at most this much, and nothing if they share a bottleneck";
  return fmt::format(
      "{:.1f} % of the captured step time is waiting for data: if the loader keeps its pace, a faster step waits "
      "longer "
      "and a slower one less",
      100 * sim::waiting_for_data(of.summary()));
}

/// True if the scenario changes how much kernels overlap communication, and thereby their durations.
std::string how_much_kernels_are_slowed(const Case& of) {
  return of.plan.slows_beside_added ? "communication may slow kernels as little or as much as in captures of other jobs"
                                    : "communication may slow kernels as little as the 10th percentile of those "
                                      "compared, or as much as the 90th";
}

bool is_slowed_otherwise(const Case& of) {
  const std::vector<SlowedClass>& slowed = of.scenario.slowed;
  return std::any_of(slowed.begin(), slowed.end(), [](const SlowedClass& each) { return each.before != each.after; });
}

// ---- missing ranks, unexplained waits: cannot be replayed, because it is not known what is waited for

/// Returns a variant in which `kept`, a part of the iteration that the prediction keeps as recorded, scales like the
/// rest of the iteration.
Variants as_the_rest(const Case& of, Duration kept) {
  const Duration before = of.baseline().of_captured_steps;
  const Duration after = of.scenario.of_captured_steps;
  if (before <= kept || after <= kept) return {{.factor = 1}};
  return {{.factor = ratio(after - kept, before - kept) / ratio(after, before)}};
}

std::string collectives_alone(const Case& of) {
  return fmt::format("{} captured on one rank only: recorded times include waits for other ranks, which may change",
                     counted(lone_collectives(of.captured()), "collective"));
}

std::string share_of_waits(const Case& of) {
  return fmt::format("unexplained waits ({:.1f} % of the captured step) are kept as recorded, but may change",
                     100 * ratio(of.summary().unexplained_wait, of.baseline().of_captured_steps));
}

constexpr std::array kSources{
    SourceRule{.name = "model",
               .applies = misses_the_capture,
               .variants = [](const Case& of) { return known(of.basis.shift()); },
               .reason_of = error_of_the_capture,
               .of_difference = true,
               .of_step_times = true},
    SourceRule{.name = "steps",
               .applies = is_measured,
               .variants = [](const Case& of) { return known(of.basis.steps()); },
               .reason_of = steps_that_differ,
               .of_capture = true,
               .of_step_times = true},
    SourceRule{.name = "transient",
               .applies = [](const Case& of) { return of.basis.trend().has_value(); },
               .variants = [](const Case& of) { return Variants{{.factor = of.basis.trend()}}; },
               .reason_of = how_steps_go_on,
               .of_capture = true,
               .of_step_times = true},
    SourceRule{.name = "repetition",
               .applies = may_repeat_otherwise,
               .variants = repeated_otherwise,
               .reason_of = reason_for_repetition,
               .of_capture = true},
    SourceRule{.name = kUsualErrorSource,
               .applies = rests_on_models,
               .variants = [](const Case& of) { return known(usual_error(model_case(of))); },
               .reason = "usual error of the models in comparisons with measured runs",
               .of_difference = true},
    SourceRule{.name = "extrapolation",
               .applies = [](const Case& of) { return rests_on_models(of) && model_case(of).change != 1; },
               .variants = [](const Case& of) { return known(extrapolation_error(model_case(of))); },
               .reason_of = distance_from_the_capture},
    SourceRule{.name = kProfilerSource,
               .applies_to_plan = may_be_profiled,
               .variants_of_plan = [](const PlanCase&) { return both_sides(&Sides::profiler, kProfilerSource); },
               .reason_of = cost_of_the_profiler},
    SourceRule{.name = "sharing",
               .applies_to_plan = shares_unknown,
               .variants_of_plan = other_sharings,
               .reason = "senders on one link may share its bandwidth equally or be served one at a time"},
    SourceRule{
        .name = "concurrency",
        .applies = begins_concurrency,
        .variants = [](const Case&) { return replayed({.collectives_in_turn = true}); },
        .reason = "no concurrent collectives of one rank were captured: they may share its links or run one at a time"},
    SourceRule{.name = "drift",
               .applies_to_plan = may_drift,
               .variants_of_plan =
                   [](const PlanCase&) {
                     return Variants{{.sides = Sides{.begins_together = true}, .name = "drift", .tested = true}};
                   },
               .reason = "workers may stay synchronized or drift apart"},
    SourceRule{
        .name = "transfers",
        .applies_to_plan = [](const PlanCase& of) { return of.plan.recorded_transfers != 1; },
        .variants_of_plan = [](const PlanCase&) { return replayed({.transfers_stay = true}); },
        .reason =
            "it is unknown how much of the recorded transfer times depends on bandwidth (anything from all to none)"},
    SourceRule{
        .name = "collectives",
        .applies = [](const Case& of) { return of.plan.recorded_collectives && of.changes_anything(); },
        .variants = [](const Case&) { return replayed({.unexplained_scales = true}); },
        .reason =
            "the part of recorded collective times that the network model does not explain is kept, but may change"},
    SourceRule{.name = "nccl",
               .applies = rests_on_nccl_model,
               .variants = [](const Case&) { return both_sides(&Sides::collectives, "nccl"); },
               .reason_of = sources_of_collectives},
    SourceRule{.name = "copies",
               .applies_to_plan = has_copies,
               .variants_of_plan = other_copies,
               .reason_of = who_was_captured},
    SourceRule{.name = "device",
               .applies = scales_by_roofline,
               .variants = [](const Case&) { return both_sides(&Sides::device); },
               .reason =
                   "kernels with other work or on another device may take less or more time than the roofline model "
                   "predicts"},
    SourceRule{.name = "host",
               .applies_to_plan = [](const PlanCase& of) { return of.plan.other_machine && !of.plan.host_known; },
               .variants_of_plan = [](const PlanCase&) { return with_host_work(kOtherHosts); },
               .reason =
                   "the CPU of the other machine may be faster or slower (0.7 to 1.4 times the captured times); set "
                   "host.scale if you know it"},
    SourceRule{.name = "pauses",
               .applies_to_plan = pauses_often,
               .variants_of_plan = without_pauses,
               .reason = "threads did not run for a while in the captured steps, as other steps may not; set "
                         "host.pauses if you know it"},
    SourceRule{.name = "modelled kernels",
               .applies_to_plan = is_modelled,
               .variants_of_plan = other_kernels,
               .reason_of = how_kernels_are_known},
    SourceRule{.name = "modelled calls",
               .applies_to_plan = is_modelled,
               .variants_of_plan = [](const PlanCase&) { return with_host_work(kModelledCalls, "modelled calls"); },
               .reason = "no call was measured: the CPU may take 0.87 to 1.12 times as long for each (--host-call)"},
    SourceRule{
        .name = "added calls",
        .applies_to_plan = adds_collectives,
        .variants_of_plan = with_added_calls,
        .reason = "the CPU takes 42 to 101 us to call a collective, in most captures of other jobs; 80 are assumed"},
    SourceRule{
        .name = "loader", .applies = may_wait_otherwise, .variants = at_pace_of_loader, .reason_of = what_loader_does},
    SourceRule{.name = "interference",
               .applies = is_slowed_otherwise,
               .variants = [](const Case&) { return both_sides(&Sides::interference, "interference"); },
               .reason_of = how_much_kernels_are_slowed},
    SourceRule{
        .name = "missing ranks",
        .applies = [](const Case& of) { return lone_collectives(of.captured()) > 0; },
        .variants =
            [](const Case& of) { return as_the_rest(of, sim::slowest_rank(of.summary()).exposed_communication); },
        .reason_of = collectives_alone},
    SourceRule{.name = "unexplained waits",
               .applies = [](const Case& of) { return of.summary().unexplained_wait != Duration{}; },
               .variants = [](const Case& of) { return as_the_rest(of, of.summary().unexplained_wait); },
               .reason_of = share_of_waits},
};

}  // namespace

bool IntervalCase::changes_anything() const {
  if (predicted() != baseline().iteration || settings_changed()) return true;
  if (plan.rules.size() == basis.plan().rules.size()) return false;
  const sim::Timeline& before = baseline().timeline;
  return scenario.timeline.start != before.start || scenario.timeline.finish != before.finish;
}

std::span<const SourceRule> interval_sources() noexcept { return kSources; }

}  // namespace stepsim::scenarios
