#include "scenarios/answer/interval_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "model/cost/collective/nccl_times.h"
#include "model/cost/network/maxmin.h"
#include "model/cost/network/network.h"
#include "scenarios/answer/interval.h"
#include "scenarios/answer/learn_from_capture.h"
#include "scenarios/change/selection.h"
#include "sim/analysis/activity.h"
#include "sim/analysis/intervals.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {
namespace {

using sim::ratio;
using Case = IntervalCase;
using Variants = std::vector<IntervalVariant>;

Variants known(const Factors& factors) { return {{.factor = factors.least}, {.factor = factors.most}}; }

Variants replayed(std::function<void(Plan& plan)> change, std::string name = {}) {
  return {{.change = std::move(change), .name = std::move(name)}};
}

/// Replays in which something is as small, and as large, as it may be.
template <class Change>
Variants both_sides(Change change) {
  Variants variants;
  for (const double side : {-1.0, 1.0}) {
    variants.push_back({.change = [change, side](Plan& plan) { change(plan, side); }});
  }
  return variants;
}

bool is_measured(const Case& of) { return of.summary().measured; }

// model

bool misses_the_capture(const Case& of) {
  const Factors shift = of.basis.shift();
  return is_measured(of) && (shift.least != 1 || shift.most != 1);
}

std::string error_of_the_capture(const Case& of) {
  const Duration measured = of.basis.measured();
  return fmt::format("the {} iteration of {} is predicted with an error of {}",
                     of.basis.predictor().profiler() ? "unprofiled" : "captured", to_text(measured),
                     sim::signed_percent(ratio(of.basis.comparable() - measured, measured), 1));
}

// steps, transient, repetition

std::string steps_that_differ(const Case& of) {
  const std::size_t count = of.basis.step_count();
  if (count < 2) return "one captured step does not show how steps differ";
  return fmt::format("the {} captured steps differ, and so few may differ from others", count);
}

std::string how_steps_go_on(const Case& of) {
  return fmt::format("the captured steps {} throughout: the job was not steady, and the answer is about its middle",
                     *of.basis.trend() < 1 ? "shorten" : "lengthen");
}

/// Whether a job goes on at once after its one captured step is not known; nor why repeated steps take something else
/// than captured ones.
bool may_repeat_otherwise(const Case& of) {
  if (!of.basis.predictor().trusts_repetition()) return true;
  return of.basis.step_count() < 2 && of.scenario.in_the_long_run < of.predicted();
}

Variants in_the_long_run(const Case& of) { return {{.factor = ratio(of.scenario.in_the_long_run, of.predicted())}}; }

std::string when_steps_begin(const Case& of) {
  if (!of.basis.predictor().trusts_repetition()) {
    return fmt::format("the same steps, repeated until they are steady, take {}, which the captured steps contradict",
                       to_text(of.scenario.in_the_long_run));
  }
  return fmt::format(
      "no captured step follows another: the next may begin once all of one is done, as predicted, or as soon as "
      "threads "
      "and streams are free, after {}",
      to_text(of.scenario.in_the_long_run));
}

// usual error, extrapolation

ModelCase model_case(const Case& of) {
  return {of.basis.change_to(of.predicted()), of.settings_changed(),
          of.links_apply() ? of.basis.predictor().link_rate_error() : 0};
}

/// A replay of recorded times that changes nothing has no model to be wrong.
bool rests_on_models(const Case& of) {
  return (of.links_apply() && !of.plan.recorded_collectives) || of.changes_anything();
}

std::string distance_from_the_capture(const Case& of) {
  const ModelCase model = model_case(of);
  if (!is_worse_for_links(model)) return "models were off by this much more so far from what was captured";
  return fmt::format("the links' rate was fitted and may be off by {:.1f} %, which the change makes visible",
                     100 * model.link_rate_error);
}

// profiler

bool may_be_profiled(const Case& of) { return of.basis.profiled() > Duration{} && of.predicted() > Duration{}; }

Variants without_the_profiler(const Case& of) {
  return {{.factor = std::max(1 - ratio(of.basis.profiled(), of.predicted()), 1 - kMostSlowed)}};
}

std::string cost_of_the_profiler(const Case& of) {
  return fmt::format("recording slows a job, here by up to {} a step; job.yaml's measured_step would say",
                     to_text(of.basis.profiled()));
}

// sharing

/// The ways of sharing links that are tried.
constexpr std::array kSharings{0.0, 0.5, 1.0};

bool shares_unknown(const Case& of) {
  return !of.plan.sharing_known && of.links_are_shared() && uses_links(of.captured());
}

/// Whether a replay with this sharing would be the one of the prediction: a model that does not know of sharing, or
/// senders that share fairly anyway, so that none has a turn to keep.
bool is_as_predicted(const Plan& plan, double sharing) {
  const auto& parameters = plan.network->parameters;
  if (std::find(parameters.begin(), parameters.end(), &kSharing) == parameters.end()) return true;
  return sharing == 1 && plan.cluster.network[kSharing] == 1;
}

/// Senders are predicted to take turns message by message, but TCP may serve one sender until it has nothing left.
Variants other_sharings(const Case& of) {
  Variants variants;
  for (const double sharing : kSharings) {
    if (is_as_predicted(of.plan, sharing)) {
      variants.push_back({.factor = 1});
      continue;
    }
    variants.push_back({.change =
                            [sharing](Plan& plan) {
                              plan.cluster.network.set(kSharing, sharing);
                              plan.cluster.network.set(kSendersKeepTurn, true);
                            },
                        .name = fmt::format("sharing {}, turns", sharing)});
  }
  for (const double sharing : of.basis.predictor().fitting_sharings()) {
    if (sharing == of.plan.cluster.network[kSharing]) continue;
    variants.push_back({.change = [sharing](Plan& plan) { plan.cluster.network.set(kSharing, sharing); }});
  }
  return variants;
}

// concurrency, drift, nccl

/// How the collectives of ranks' pools of threads share their time: those that a library carries out several at once,
/// as gloo does.
struct PooledCollectives {
  Duration busy{};        ///< at least one runs, over all pools
  Duration concurrent{};  ///< what they take together beyond that: each second in which two run counts one
};

/// Of a replay. O(tasks log tasks).
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

/// The capture does not show what collectives do to each other that its changed job runs at once.
bool begins_concurrency(const Case& of) {
  if (!of.links_apply() || of.plan.recorded_collectives) return false;
  constexpr int kNoticed = 20;  // 5 % of the time
  const PooledCollectives before = pooled_collectives(of.baseline().graph->dag, of.baseline().timeline);
  const PooledCollectives after = pooled_collectives(of.scenario.graph->dag, of.scenario.timeline);
  return before.concurrent * kNoticed < before.busy && after.concurrent * kNoticed > after.busy;
}

bool may_drift(const Case& of) {
  return of.captured().parameter_server != nullptr && of.links_are_shared() && of.plan.job.workers >= 2U;
}

bool rests_on_nccl_model(const Case& of) {
  if (!of.links_apply() || of.plan.recorded_collectives || (is_measured(of) && !of.changes_anything())) return false;
  return !nccl_assumptions(of.scenario.graph->dag, of.plan.cluster).empty();
}

// copies

/// The ranks that are not copies. Copies follow them.
std::span<const Rank> captured_ranks(const Case& of) {
  const std::vector<Rank>& ranks = of.baseline().graph->recording.ranks;
  const std::size_t count = std::size_t{captured_workers(of.captured())} * of.captured().job.local_size.value_or(1);
  return std::span(ranks).first(std::min(ranks.size(), count));
}

bool has_copies(const Case& of) {
  return !captured_ranks(of).empty() && *of.plan.job.workers > captured_workers(of.captured());
}

/// The range of the values relative to their median; no range for fewer than two values.
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

void scale_copies(Plan& plan, Rank last_captured, double factor) {
  plan.rules.emplace_back([last_captured, factor](const Capture& capture, std::vector<Duration>& durations) {
    for (const TaskId task : capture.dag.tasks()) {
      const bool is_copy = capture.dag.lane(task).rank > last_captured;
      const TaskClass of = class_of(capture.dag.kind(task));
      if (is_copy && of != TaskClass::kCommunication && of != TaskClass::kLoader)
        durations[task.index()] = scaled(durations[task.index()], factor);
    }
  });
}

/// Copies that compute like the fastest and like the slowest captured rank; the prediction if there is no difference.
Variants other_copies(const Case& of) {
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
    variants.push_back({.change = [last = ranks.back(), speed](Plan& plan) { scale_copies(plan, last, speed); }});
  }
  return variants;
}

std::string who_was_captured(const Case& of) {
  return captured_ranks(of).size() == 1
             ? "one worker was captured, and how others differ is not known"
             : "workers that were not captured may compute like the fastest or the slowest captured";
}

// device, host, interference

/// Whether roofline changed anything of device work.
bool scales_by_roofline(const Case& of) {
  const std::vector<DeviceShare>& shares = of.scenario.shares;
  return std::any_of(shares.begin(), shares.end(), [](const DeviceShare& found) {
    return std::any_of(found.share.by.begin(), found.share.by.begin() + static_cast<std::size_t>(ScaledBy::kFactor),
                       [](const ScaledShare::Part& part) { return part.before != part.after; });
  });
}

/// What host work takes on another machine, relative to the captured one. Servers' processors of one time differ by
/// about that much in what one thread does (docs/fidelity.md, "Another device").
constexpr std::array kOtherHosts{0.7, 1.4};

Variants other_hosts(const Case& /*of*/) {
  Variants variants;
  for (const double factor : kOtherHosts) {
    variants.push_back({.change = [factor](Plan& plan) {
      plan.rules.emplace_back([factor](const Capture& capture, std::vector<Duration>& durations) {
        scale_host_work(capture.dag, factor, durations);
      });
    }});
  }
  return variants;
}

// loader

/// Waits for a data loader that take this share of an iteration show that it sets the pace. Taking a batch over alone,
/// without a wait, takes 0.1 to 1.4 ms in the captures at hand, about 1 % of their steps.
constexpr double kLoaderSetsPace = 0.05;

/// Nothing is known of a loader that is not waited for, and a user who scales the waits says what they are.
bool may_wait_otherwise(const Case& of) {
  if (!of.changes_anything() || (of.plan.other_loader && !of.plan.other_loader_workers)) return false;
  return ratio(of.summary().parts.loader, of.summary().parts.sum()) >= kLoaderSetsPace;
}

/// The loader makes batches as fast as before: a shorter step waits longer for them, up to the captured iteration, and
/// a longer one less.
Variants at_pace_of_loader(const Case& of) {
  const Duration before = of.baseline().iteration;
  const Duration shortest = std::max(before, of.predicted() - of.summary().parts.loader);
  return {{.factor = ratio(of.predicted() < before ? before : shortest, of.predicted())}};
}

std::string what_loader_does(const Case& of) {
  if (of.plan.other_loader_workers)
    return "more processes that load data save this much at most, and nothing where they share what limits them";
  return fmt::format(
      "{:.1f} % of the captured steps is waiting for data: processes that load it may go on as fast as before, so that "
      "another step waits longer or less",
      100 * ratio(of.summary().parts.loader, of.summary().parts.sum()));
}

/// Whether other communication than captured runs beside kernels that it slows.
bool is_slowed_otherwise(const Case& of) {
  const std::vector<SlowedClass>& slowed = of.scenario.slowed;
  return std::any_of(slowed.begin(), slowed.end(), [](const SlowedClass& each) { return each.before != each.after; });
}

// missing ranks, unexplained waits: they cannot be replayed, because nobody knows what is waited for

/// The prediction if `kept`, a part of the iteration, changes as the rest does instead of staying as recorded.
Variants as_the_rest(const Case& of, Duration kept) {
  const Duration before = of.baseline().of_captured_steps;
  const Duration after = of.scenario.of_captured_steps;
  if (before <= kept || after <= kept) return {{.factor = 1}};
  return {{.factor = ratio(after - kept, after) * ratio(before, before - kept)}};
}

std::string collectives_alone(const Case& of) {
  return fmt::format("{} collectives were captured on one rank only: their recorded times, including waits, may change",
                     lone_collectives(of.captured()));
}

std::string share_of_waits(const Case& of) {
  return fmt::format("unexplained waits, {:.1f} % of the captured iteration, are kept and may change",
                     100 * ratio(of.summary().unexplained_wait, of.baseline().of_captured_steps));
}

constexpr std::array kSources{
    SourceRule{.name = "model",
               .applies = misses_the_capture,
               .variants = [](const Case& of) { return known(of.basis.shift()); },
               .reason_of = error_of_the_capture,
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
               .variants = in_the_long_run,
               .reason_of = when_steps_begin,
               .of_capture = true},
    SourceRule{.name = "usual error",
               .applies = rests_on_models,
               .variants = [](const Case& of) { return known(usual_error(model_case(of))); },
               .reason = "models of measured runs were off by this much"},
    SourceRule{.name = "extrapolation",
               .applies = [](const Case& of) { return rests_on_models(of) && model_case(of).change != 1; },
               .variants = [](const Case& of) { return known(extrapolation_error(model_case(of))); },
               .reason_of = distance_from_the_capture},
    SourceRule{.name = kProfilerSource,
               .applies = may_be_profiled,
               .variants = without_the_profiler,
               .reason_of = cost_of_the_profiler,
               .of_capture = true},
    SourceRule{.name = "sharing",
               .applies = shares_unknown,
               .variants = other_sharings,
               .reason = "senders that meet on a link may share it fairly or be served one after the other"},
    SourceRule{
        .name = "concurrency",
        .applies = begins_concurrency,
        .variants = [](const Case&) { return replayed([](Plan& plan) { plan.collectives_in_turn = true; }); },
        .reason = "the capture shows no collectives of a rank at once: they may share its links, or go one at a time"},
    SourceRule{
        .name = "drift",
        .applies = may_drift,
        .variants = [](const Case&) { return replayed([](Plan& plan) { plan.begins_together = true; }, "drift"); },
        .reason = "workers may stay in step or drift apart"},
    SourceRule{
        .name = "transfers",
        .applies = [](const Case& of) { return of.plan.recorded_transfers != 1; },
        .variants = [](const Case&) { return replayed([](Plan& plan) { plan.recorded_transfers = 1; }); },
        .reason = "it is unknown how much of the recorded times of transfers was bandwidth: from all of it to none"},
    SourceRule{
        .name = "collectives",
        .applies = [](const Case& of) { return of.plan.recorded_collectives && of.changes_anything(); },
        .variants =
            [](const Case&) { return replayed([](Plan& plan) { plan.recorded_collectives = Excess::kScales; }); },
        .reason =
            "what recorded collectives took beyond the network model's times is kept, and may change as those do"},
    SourceRule{.name = "nccl",
               .applies = rests_on_nccl_model,
               .variants =
                   [](const Case&) {
                     return both_sides(
                         [](Plan& plan, double side) { plan.cluster.network.set(kCollectiveSide, side); });
                   },
               .reason = "collectives that were not measured so may take less or more than NCCL's cost model says"},
    SourceRule{.name = "copies", .applies = has_copies, .variants = other_copies, .reason_of = who_was_captured},
    SourceRule{
        .name = "device",
        .applies = scales_by_roofline,
        .variants = [](const Case&) { return both_sides([](Plan& plan, double side) { plan.device_side = side; }); },
        .reason = "kernels with other work or on another device may take less or more than roofline says"},
    SourceRule{.name = "host",
               .applies = [](const Case& of) { return of.plan.other_machine && !of.plan.host_known; },
               .variants = other_hosts,
               .reason = "another machine's processor may be faster or slower, from 0.7 to 1.4 of the captured times; "
                         "host.scale says how much"},
    SourceRule{
        .name = "loader", .applies = may_wait_otherwise, .variants = at_pace_of_loader, .reason_of = what_loader_does},
    SourceRule{
        .name = "interference",
        .applies = is_slowed_otherwise,
        .variants =
            [](const Case&) { return both_sides([](Plan& plan, double side) { plan.interference_side = side; }); },
        .reason = "communication beside them may slow kernels as little as a tenth of those compared, or as much"},
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
  return plan.rules.size() != basis.plan().rules.size() || predicted() != baseline().iteration || settings_changed();
}

std::span<const SourceRule> interval_sources() noexcept { return kSources; }

}  // namespace stepsim::scenarios
