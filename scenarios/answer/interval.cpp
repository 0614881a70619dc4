#include "scenarios/answer/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "model/base/side_by_side.h"
#include "model/cost/collective/nccl_assumption.h"
#include "model/cost/network/maxmin.h"
#include "model/cost/network/parameters.h"
#include "scenarios/answer/concurrent_collectives.h"
#include "scenarios/answer/contradiction.h"
#include "scenarios/answer/factors.h"
#include "scenarios/answer/model_error.h"
#include "scenarios/answer/profiler.h"
#include "scenarios/answer/step_spread.h"
#include "scenarios/change/host_work.h"
#include "sim/analysis/intervals.h"
#include "sim/analysis/rank_steps.h"
#include "sim/analysis/summary.h"
#include "sim/report/table.h"

namespace stepsim::scenarios {
namespace {

/// What host work takes on another machine, relative to the captured one. Servers' processors of one time differ by
/// about that much in what one thread does (docs/fidelity.md, "Another device").
constexpr std::array kOtherHosts{0.7, 1.4};

/// The ways of sharing links that are tried.
constexpr std::array kSharings{0.0, 0.5, 1.0};

using sim::RankBreakdown;
using sim::ratio;

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

/// Whether roofline changed anything of device work.
bool has_scaled_by_model(const std::vector<DeviceShare>& shares) {
  return std::any_of(shares.begin(), shares.end(), [](const DeviceShare& found) {
    return std::any_of(found.share.by.begin(), found.share.by.begin() + static_cast<std::size_t>(ScaledBy::kFactor),
                       [](const ScaledShare::Part& part) { return part.before != part.after; });
  });
}

/// Whether other communication than captured runs beside kernels that it slows.
bool is_slowed_otherwise(const std::vector<SlowedClass>& slowed) {
  return std::any_of(slowed.begin(), slowed.end(), [](const SlowedClass& each) { return each.before != each.after; });
}

/// The rank with the longest measured iteration.
const sim::RankSteps* slowest_of(const std::map<Rank, sim::RankSteps>& ranks) {
  const sim::RankSteps* slowest = nullptr;
  for (const auto& [rank, steps] : ranks) {
    if (slowest == nullptr || steps.iteration.measured > slowest->iteration.measured) slowest = &steps;
  }
  return slowest;
}

}  // namespace

/// What all answers about a capture have in common.
class IntervalFinder::Basis {
 public:
  Basis(Predictor& predictor, const Prediction& baseline, ReplayMeter& meter)
      : predictor_(predictor),
        baseline_(baseline),
        meter_(meter),
        summary_(sim::summarize(*baseline.graph, baseline.timeline)),
        plan_(predictor.plan()),
        key_(plan_.graph_key()) {
    if (summary_.measured) read_steps();
  }

  [[nodiscard]] Predictor& predictor() const noexcept { return predictor_; }
  [[nodiscard]] const Prediction& baseline() const noexcept { return baseline_; }
  [[nodiscard]] ReplayMeter& meter() const noexcept { return meter_; }
  [[nodiscard]] const sim::Summary& summary() const noexcept { return summary_; }
  /// Of the job as captured.
  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const GraphKey& key() const noexcept { return key_; }
  [[nodiscard]] const Factors& steps() const noexcept { return steps_; }
  [[nodiscard]] std::size_t step_count() const noexcept { return step_count_; }
  [[nodiscard]] const std::optional<double>& trend() const noexcept { return trend_; }
  [[nodiscard]] Duration iteration_of(const Plan& plan) const { return meter_.predict(predictor_, plan).iteration; }

  /// What the baseline stands for: without the profiler where that was taken out.
  [[nodiscard]] Duration measured() const {
    return predictor_.profiler() ? *captured().job.measured_step : summary_.iteration.measured;
  }
  /// The prediction that compares with what was measured: on another cluster the baseline does not.
  [[nodiscard]] Duration comparable() const {
    return predictor_.on_own_cluster().value_or(baseline_.of_captured_steps);
  }
  /// What was measured, relative to its prediction.
  [[nodiscard]] Factors shift() const {
    Factors shift;
    if (!summary_.measured || comparable() <= Duration{}) return shift;
    shift.include(ratio(measured(), comparable()));
    if (const auto said = captured().job.measured_step) shift.include(ratio(*said, comparable()));
    return shift;
  }
  /// How far a prediction is from what was captured, as a factor.
  [[nodiscard]] double change_to(Duration predicted) const {
    const Duration captured = predictor_.on_own_cluster().value_or(baseline_.iteration);
    return captured > Duration{} ? ratio(predicted, captured) : 1;
  }

  /// Whether the capture contradicts `change`, by what it makes of the baseline. The answer is found once for a name.
  [[nodiscard]] bool is_contradicted(const std::string& name, const std::function<void(Plan& plan)>& change) const {
    std::promise<bool> promise;
    std::unique_lock lock(mutex_);
    const auto [slot, mine] = contradicted_.try_emplace(name);
    if (mine) slot->second = promise.get_future().share();
    const std::shared_future<bool> answer = slot->second;
    lock.unlock();
    if (!mine) return answer.get();
    try {
      Plan plan = plan_;
      change(plan);
      promise.set_value(contradicts(meter_.predict(predictor_, plan).of_captured_steps));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
    return answer.get();
  }

  /// How much shorter the captured iteration may have been without its profiler. Found once.
  [[nodiscard]] Duration profiled() const {
    const Capture& capture = captured();
    if (predictor_.profiler() || capture.job.measured_step || !counts_events(capture)) return {};
    std::call_once(profiled_once_, [this] {
      Plan plan = plan_;
      plan.rules.emplace_back([](const Capture& graph, std::vector<Duration>& durations) {
        without_profiler(graph, kMostPerEvent, kMostSlowed, durations);
      });
      profiled_ = std::max(Duration{}, baseline_.iteration - iteration_of(plan));
    });
    return profiled_;
  }

 private:
  [[nodiscard]] const Capture& captured() const { return *plan_.captured; }

  void read_steps() {
    const auto ranks = sim::rank_steps(baseline_.graph->dag, baseline_.graph->recording, baseline_.timeline);
    steps_ = step_factors(ranks);
    const sim::RankSteps* const slowest = slowest_of(ranks);
    if (slowest == nullptr) return;
    std::vector<Duration> times;
    for (const sim::TimedStep& step : slowest->steps) times.push_back(step.time.measured);
    step_count_ = times.size();
    trend_ = trend_of(times, slowest->iteration.measured);
  }

  [[nodiscard]] bool contradicts(Duration of_captured_steps) const {
    if (!summary_.measured || predictor_.on_own_cluster()) return false;
    const double usual = std::max({kUsualError, 1 - steps_.least, steps_.most - 1});
    const double error = std::abs(ratio(baseline_.of_captured_steps - measured(), measured()));
    return std::abs(ratio(of_captured_steps - measured(), measured())) > error + usual;
  }

  Predictor& predictor_;
  const Prediction& baseline_;
  ReplayMeter& meter_;
  sim::Summary summary_;
  Plan plan_;
  GraphKey key_;
  Factors steps_;
  std::size_t step_count_ = 0;
  std::optional<double> trend_;
  mutable std::once_flag profiled_once_;
  mutable Duration profiled_{};
  mutable std::mutex mutex_;  ///< of contradicted_
  mutable std::map<std::string, std::shared_future<bool>> contradicted_;
};

/// The sources of one answer.
class IntervalFinder::Sources {
 public:
  Sources(const Basis& basis, const Plan& plan, const Prediction& scenario)
      : basis_(basis),
        predictor_(basis.predictor()),
        plan_(plan),
        captured_(*plan.captured),
        baseline_(basis.baseline()),
        scenario_(scenario),
        predicted_(scenario.iteration),
        meter_(basis.meter()),
        summary_(basis.summary()) {}

  AnswerInterval run() {
    add_model();
    add_steps();
    add_transient();
    add_repetition();
    add_usual_error();
    add_profiler();
    vary_sharing();
    vary_concurrency();
    vary_drift();
    vary_transfers();
    vary_collectives();
    vary_nccl();
    vary_copies();
    vary_device();
    vary_host();
    vary_interference();
    replay_variants();
    add_sharing();
    add_concurrency();
    add_drift();
    add_transfers();
    add_collectives();
    add_nccl();
    add_copies();
    add_device();
    add_host();
    add_interference();
    add_missing_ranks();
    add_unexplained();
    return combined();
  }

 private:
  void add(std::string_view name, std::string reason, Factors factors) {
    found_.push_back({name, std::move(reason), scaled(predicted_, factors.least), scaled(predicted_, factors.most)});
  }
  void add_of_capture(std::string_view name, std::string reason, Factors factors) {
    add(name, std::move(reason), factors);
    found_.back().of_capture = true;
  }

  /// All sources are independent. But what was measured was measured: if the answer is off as the captured iteration
  /// is, a typical step must lie in the range, however small the other sources are.
  [[nodiscard]] AnswerInterval combined() {
    std::vector<Factors> factors;
    for (const IntervalSource& source : found_)
      factors.push_back({ratio(source.low, predicted_), ratio(source.high, predicted_)});
    Factors all = independent(factors);
    const Factors measured = on_top(basis_.shift(), basis_.steps());
    all.include(measured.least);
    all.include(measured.most);
    return {std::min(scaled(predicted_, all.least), predicted_), std::max(scaled(predicted_, all.most), predicted_),
            std::move(found_)};
  }

  [[nodiscard]] bool settings_changed() const { return plan_.graph_key() != basis_.key(); }
  [[nodiscard]] bool changes_anything() const {
    return plan_.rules.size() != basis_.plan().rules.size() || predicted_ != baseline_.iteration || settings_changed();
  }
  [[nodiscard]] ModelCase model_case() const {
    return {basis_.change_to(predicted_), settings_changed(), links_apply() ? predictor_.link_rate_error() : 0};
  }

  void add_model() {
    const Factors shift = basis_.shift();
    if (!summary_.measured || (shift.least == 1 && shift.most == 1)) return;
    add("model",
        fmt::format("the {} iteration of {} is predicted with an error of {}",
                    predictor_.profiler() ? "unprofiled" : "captured", to_text(basis_.measured()),
                    sim::signed_percent(ratio(basis_.comparable() - basis_.measured(), basis_.measured()), 1)),
        shift);
  }

  void add_steps() {
    if (!summary_.measured) return;
    const std::size_t count = basis_.step_count();
    add_of_capture("steps",
                   count < 2 ? std::string("one captured step does not show how steps differ")
                             : fmt::format("the {} captured steps differ, and so few may differ from others", count),
                   basis_.steps());
  }

  void add_transient() {
    if (!basis_.trend()) return;
    Factors factors;
    factors.include(*basis_.trend());
    add_of_capture(
        "transient",
        fmt::format("the captured steps {} throughout: the job was not steady, and the answer is about its middle",
                    *basis_.trend() < 1 ? "shorten" : "lengthen"),
        factors);
  }

  /// Whether a job goes on at once after its one captured step is not known.
  void add_repetition() {
    if (basis_.step_count() >= 2 || scenario_.in_the_long_run >= predicted_) return;
    Factors factors;
    factors.include(ratio(scenario_.in_the_long_run, predicted_));
    add_of_capture(
        "repetition",
        fmt::format("no captured step follows another: the next may begin once all of one is done, as predicted, or as "
                    "soon as threads and streams are free, after {}",
                    to_text(scenario_.in_the_long_run)),
        factors);
  }

  /// A replay of recorded times that changes nothing has no model to be wrong.
  void add_usual_error() {
    if ((!links_apply() || plan_.recorded_collectives) && !changes_anything()) return;
    const ModelCase of = model_case();
    add("usual error", "models of measured runs were off by this much", usual_error(of));
    if (of.change == 1) return;
    add("extrapolation",
        is_worse_for_links(of)
            ? fmt::format("the links' rate was fitted and may be off by {:.1f} %, which the change makes visible",
                          100 * of.link_rate_error)
            : "models were off by this much more so far from what was captured",
        extrapolation_error(of));
  }

  [[nodiscard]] bool links_apply() const { return plan_.network->make != nullptr; }

  void add_profiler() {
    const Duration profiled = basis_.profiled();
    if (profiled <= Duration{} || predicted_ <= Duration{}) return;
    Factors factors;
    factors.include(std::max(1 - ratio(profiled, predicted_), 1 - kMostSlowed));
    add_of_capture(kProfilerSource,
                   fmt::format("recording slows a job, here by up to {} a step; job.yaml's measured_step would say",
                               to_text(profiled)),
                   factors);
  }

  [[nodiscard]] bool sharing_applies() const {
    return !plan_.sharing_known && links_are_shared() && uses_links(captured_);
  }
  [[nodiscard]] bool drift_applies() const {
    return captured_.parameter_server != nullptr && links_are_shared() && plan_.job.workers >= 2U;
  }
  [[nodiscard]] bool copies_apply() const {
    return captured_ranks().size() >= 2 && *plan_.job.workers > captured_workers(captured_);
  }

  [[nodiscard]] bool links_are_shared() const {
    return links_apply() && !plan_.recorded_collectives && !plan_.network->independent;
  }

  /// Whether a replay with this sharing would be the one of the prediction: a model that does not know of sharing, or
  /// senders that share fairly anyway, so that none has a turn to keep.
  [[nodiscard]] bool is_as_predicted(double sharing) const {
    const auto& known = plan_.network->parameters;
    if (std::find(known.begin(), known.end(), &kSharing) == known.end()) return true;
    return sharing == 1 && plan_.cluster.network[kSharing] == 1;
  }

  void vary_sharing() {
    if (!sharing_applies()) return;
    for (const double sharing : kSharings) {
      if (is_as_predicted(sharing)) {
        variants_.push_back({.source = "sharing", .factor = 1});
        continue;
      }
      vary_both("sharing", fmt::format("sharing {}, turns", sharing), [sharing](Plan& plan) {
        plan.cluster.network.set(kSharing, sharing);
        plan.cluster.network.set(kSendersKeepTurn, true);
      });
    }
    for (const double sharing : predictor_.fitting_sharings()) {
      if (sharing == plan_.cluster.network[kSharing]) continue;
      vary("sharing", [sharing](Plan& plan) { plan.cluster.network.set(kSharing, sharing); });
    }
  }

  void add_sharing() {
    add_variants("sharing", "senders that meet on a link may share it fairly or be served one after the other");
  }

  /// The capture does not show what collectives do to each other that its changed job runs at once.
  [[nodiscard]] bool begins_concurrency() const {
    if (!links_apply() || plan_.recorded_collectives) return false;
    constexpr int kNoticed = 20;  // 5 % of the time
    const PooledCollectives before = pooled_collectives(baseline_.graph->dag, baseline_.timeline);
    const PooledCollectives after = pooled_collectives(scenario_.graph->dag, scenario_.timeline);
    return before.concurrent * kNoticed < before.busy && after.concurrent * kNoticed > after.busy;
  }

  void vary_concurrency() {
    if (begins_concurrency()) vary("concurrency", [](Plan& plan) { plan.collectives_in_turn = true; });
  }

  void add_concurrency() {
    add_variants("concurrency",
                 "the capture shows no collectives of a rank at once: they may share its links, or go one at a time");
  }

  void vary_drift() {
    if (drift_applies()) vary_both("drift", "drift", [](Plan& plan) { plan.begins_together = true; });
  }

  void add_drift() { add_variants("drift", "workers may stay in step or drift apart"); }

  void vary_transfers() {
    if (plan_.recorded_transfers != 1) vary("transfers", [](Plan& plan) { plan.recorded_transfers = 1; });
  }

  void add_transfers() {
    add_variants("transfers",
                 "it is unknown how much of the recorded times of transfers was bandwidth: from all of it to none");
  }

  void vary_collectives() {
    if (!plan_.recorded_collectives || !changes_anything()) return;
    vary("collectives", [](Plan& plan) { plan.recorded_collectives = Excess::kScales; });
  }

  void add_collectives() {
    add_variants("collectives",
                 "what recorded collectives took beyond the network model's times is kept, and may change as those do");
  }

  void vary_nccl() {
    if (!links_apply() || plan_.recorded_collectives || (summary_.measured && !changes_anything())) return;
    if (nccl_assumptions(scenario_.graph->dag, plan_.cluster).empty()) return;
    for (const double side : {-1.0, 1.0})
      vary("nccl", [side](Plan& plan) { plan.cluster.network.set(kCollectiveSide, side); });
  }

  void add_nccl() {
    add_variants("nccl", "collectives that were not measured so may take less or more than NCCL's cost model says");
  }

  /// A replay of the scenario with a change, and of the capture with it too if that can contradict the change.
  struct Variant {
    std::string_view source;
    std::function<void(Plan& plan)> change{};
    std::string of_both{};           ///< the change's name, if the capture can contradict it
    std::optional<double> factor{};  ///< of the prediction; none if it is contradicted
    [[nodiscard]] bool is_known() const { return factor.has_value(); }
  };

  void vary(std::string_view source, std::function<void(Plan& plan)> change) {
    variants_.push_back({source, std::move(change)});
  }
  void vary_both(std::string_view source, std::string name, std::function<void(Plan& plan)> change) {
    variants_.push_back({source, std::move(change), std::move(name)});
  }

  /// All of them, several at once. Of several errors the first variant's is thrown.
  void replay_variants() {
    std::uint64_t tasks = 0;
    for (const Variant& one : variants_) {
      if (one.is_known()) continue;
      tasks += scenario_.graph->dag.task_count() + (!one.of_both.empty() ? baseline_.graph->dag.task_count() : 0);
    }
    meter_.expect(tasks);
    std::vector<std::exception_ptr> errors(variants_.size());
    side_by_side(meter_.threads(), variants_.size(), [&](std::size_t i) {
      try {
        if (!variants_[i].is_known()) variants_[i].factor = factor_of(variants_[i]);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
  }

  [[nodiscard]] std::optional<double> factor_of(const Variant& variant) const {
    if (!variant.of_both.empty() && basis_.is_contradicted(variant.of_both, variant.change)) return std::nullopt;
    Plan plan = plan_;
    variant.change(plan);
    return ratio(basis_.iteration_of(plan), predicted_);
  }

  /// The range over the variants of a source; none if there are none that the capture does not contradict.
  [[nodiscard]] std::optional<Factors> factors_of(std::string_view source) const {
    std::optional<Factors> factors;
    for (const Variant& one : variants_) {
      if (one.source != source || !one.factor) continue;
      if (!factors) factors.emplace();
      factors->include(*one.factor);
    }
    return factors;
  }

  void add_variants(std::string_view source, std::string reason) {
    if (const std::optional<Factors> factors = factors_of(source)) add(source, std::move(reason), *factors);
  }

  /// The ranks that are not copies. Copies follow them.
  [[nodiscard]] std::span<const Rank> captured_ranks() const {
    const std::vector<Rank>& ranks = baseline_.graph->recording.ranks;
    const std::size_t count = std::size_t{captured_workers(captured_)} * captured_.job.local_size.value_or(1);
    return std::span(ranks).first(std::min(ranks.size(), count));
  }

  void vary_copies() {
    if (!copies_apply()) return;
    const std::span<const Rank> ranks = captured_ranks();
    std::vector<Duration> compute;
    for (const RankBreakdown& rank : summary_.ranks) {
      if (std::find(ranks.begin(), ranks.end(), rank.rank) == ranks.end()) continue;
      compute.push_back(rank.compute == Duration{} ? rank.host : rank.compute);
    }
    const Factors speeds = about_median(compute);
    for (const double speed : {speeds.least, speeds.most}) {
      if (speed != 1) vary("copies", [last = ranks.back(), speed](Plan& plan) { scale_copies(plan, last, speed); });
    }
  }

  void add_copies() {
    const std::size_t ranks = captured_ranks().size();
    if (ranks == 0 || *plan_.job.workers <= captured_workers(captured_)) return;
    if (ranks == 1) return add("copies", "one worker was captured, and how others differ is not known", {});
    add("copies", "workers that were not captured may compute like the fastest or the slowest captured",
        factors_of("copies").value_or(Factors{}));
  }

  static void scale_copies(Plan& plan, Rank last_captured, double factor) {
    plan.rules.emplace_back([last_captured, factor](const Capture& capture, std::vector<Duration>& durations) {
      for (std::size_t i = 0; i < durations.size(); ++i) {
        const bool is_copy = capture.dag.lane(TaskId{i}).rank > last_captured;
        if (is_copy && class_of(capture.dag.kind(TaskId{i})) != TaskClass::kCommunication)
          durations[i] = scaled(durations[i], factor);
      }
    });
  }

  void vary_device() {
    if (!has_scaled_by_model(scenario_.shares)) return;
    for (const double side : {-1.0, 1.0}) {
      vary("device", [side](Plan& plan) { plan.device_side = side; });
    }
  }

  void add_device() {
    add_variants("device", "kernels with other work or on another device may take less or more than roofline says");
  }

  void vary_host() {
    if (!plan_.other_machine || plan_.host_known) return;
    for (const double factor : kOtherHosts) {
      vary("host", [factor](Plan& plan) {
        plan.rules.emplace_back([factor](const Capture& capture, std::vector<Duration>& durations) {
          scale_host_work(capture.dag, factor, durations);
        });
      });
    }
  }

  void add_host() {
    add_variants("host",
                 "another machine's processor may be faster or slower, from 0.7 to 1.4 of the captured times; "
                 "host.scale says how much");
  }

  void vary_interference() {
    if (!is_slowed_otherwise(scenario_.slowed)) return;
    for (const double side : {-1.0, 1.0}) {
      vary("interference", [side](Plan& plan) { plan.interference_side = side; });
    }
  }

  void add_interference() {
    add_variants("interference",
                 "communication beside them may slow kernels as little as a tenth of those compared, "
                 "or as much");
  }

  void add_missing_ranks() {
    const std::size_t lone = lone_collectives(captured_);
    if (lone == 0) return;
    add("missing ranks",
        fmt::format("{} collectives were captured on one rank only: their recorded times, including waits, may change",
                    lone),
        as_the_rest(sim::slowest_rank(summary_).exposed_communication));
  }

  void add_unexplained() {
    if (summary_.unexplained_wait == Duration{}) return;
    add("unexplained waits",
        fmt::format("waits that nothing explains, {:.1f} % of the captured iteration, are kept and may change",
                    100 * ratio(summary_.unexplained_wait, baseline_.of_captured_steps)),
        as_the_rest(summary_.unexplained_wait));
  }

  /// The range if `kept`, a part of the iteration, stays as recorded or changes as the rest does.
  [[nodiscard]] Factors as_the_rest(Duration kept) const {
    const Duration before = baseline_.of_captured_steps;
    const Duration after = scenario_.of_captured_steps;
    Factors factors;
    if (before <= kept || after <= kept) return factors;
    factors.include(ratio(after - kept, after) * ratio(before, before - kept));
    return factors;
  }

  const Basis& basis_;
  Predictor& predictor_;
  const Plan& plan_;
  const Capture& captured_;
  const Prediction& baseline_;
  const Prediction& scenario_;
  Duration predicted_;
  ReplayMeter& meter_;
  const sim::Summary& summary_;  // of the baseline
  std::vector<Variant> variants_;
  std::vector<IntervalSource> found_;
};

IntervalFinder::IntervalFinder(Predictor& predictor, const Prediction& baseline, ReplayMeter& meter)
    : basis_(std::make_unique<Basis>(predictor, baseline, meter)) {}
IntervalFinder::~IntervalFinder() = default;

AnswerInterval IntervalFinder::of(const Plan& plan, const Prediction& scenario) const {
  return Sources(*basis_, plan, scenario).run();
}

AnswerInterval interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                           const Prediction& scenario, ReplayMeter& meter) {
  return IntervalFinder(predictor, baseline, meter).of(plan, scenario);
}

}  // namespace stepsim::scenarios
