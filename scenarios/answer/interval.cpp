#include "scenarios/answer/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include "model/base/side_by_side.h"
#include "model/cost/network/maxmin.h"
#include "sim/report/intervals.h"
#include "sim/report/summary.h"

namespace stepsim::scenarios {
namespace {

/// A correct model predicts a captured iteration within this error (docs/fidelity.md). An alternative that is
/// further off than that is wrong.
constexpr double kUsualError = 0.03;

/// Twice the largest error on the device pairs (docs/fidelity.md, "Another device"), with and without shapes. A
/// factor given by the user has no error.
constexpr ScaledBias kDeviceError{0.09, 0.09, 0.09, 0.15, 0, 0};

/// The ways of sharing links that are tried.
constexpr std::array kSharings{0.0, 0.5, 1.0};

using sim::RankBreakdown;
using sim::ratio;

/// A range as factors of the prediction: least <= 1 <= most.
struct Factors {
  double least = 1;
  double most = 1;
  void include(double factor) {
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
};

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

class Sources {
 public:
  Sources(Predictor& predictor, const Plan& plan, const Prediction& baseline, const Prediction& scenario,
          ReplayMeter& meter)
      : predictor_(predictor),
        plan_(plan),
        captured_(*plan.captured),
        baseline_(baseline),
        scenario_(scenario),
        predicted_(scenario.iteration),
        meter_(meter),
        summary_(sim::summarize(*baseline.graph, baseline.timeline)) {}

  AnswerInterval run() {
    add_steps();
    vary_sharing();
    vary_drift();
    vary_transfers();
    vary_copies();
    vary_device();
    replay_variants();
    add_sharing();
    add_drift();
    add_transfers();
    add_copies();
    add_device();
    add_missing_ranks();
    add_unexplained();
    double least = 1;
    double most = 1;
    for (const IntervalSource& source : found_) {
      least *= ratio(source.low, predicted_);
      most *= ratio(source.high, predicted_);
    }
    return {std::min(scaled(predicted_, least), predicted_), std::max(scaled(predicted_, most), predicted_),
            std::move(found_)};
  }

 private:
  void add(std::string_view name, std::string reason, Factors factors) {
    found_.push_back({name, std::move(reason), scaled(predicted_, factors.least), scaled(predicted_, factors.most)});
  }

  void add_steps() {
    std::map<Rank, std::vector<Duration>> times;
    for (const sim::StepReport& step : summary_.steps) times[step.rank].push_back(step.measured);
    for (const auto& [rank, steps] : times) {
      const Factors factors = about_median(steps);
      steps_.include(factors.least);
      steps_.include(factors.most);
    }
    const std::size_t least_steps = times.empty() ? 0 : times.begin()->second.size();
    if (least_steps < 2) return;
    add("steps", fmt::format("the {} captured steps differ by this much", least_steps), steps_);
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

  [[nodiscard]] Duration iteration_of(const Plan& plan) const { return meter_.predict(predictor_, plan).iteration; }

  [[nodiscard]] bool links_are_shared() const { return plan_.network->make != nullptr && !plan_.network->independent; }

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
      vary_both("sharing", [sharing](Plan& plan) {
        plan.cluster.network.set(kSharing, sharing);
        plan.cluster.network.set(kSendersKeepTurn, true);
      });
    }
  }

  void add_sharing() {
    add_variants("sharing", "senders that meet on a link may share it fairly or be served one after the other");
  }

  void vary_drift() {
    if (drift_applies()) vary_both("drift", [](Plan& plan) { plan.begins_together = true; });
  }

  void add_drift() { add_variants("drift", "workers may stay in step or drift apart"); }

  void vary_transfers() {
    if (plan_.recorded_transfers != 1) vary("transfers", [](Plan& plan) { plan.recorded_transfers = 1; });
  }

  void add_transfers() {
    add_variants("transfers",
                 "it is unknown how much of the recorded times of transfers was bandwidth: from all of it to none");
  }

  /// A replay of the scenario with a change, and of the capture with it too if that can contradict the change.
  struct Variant {
    std::string_view source;
    std::function<void(Plan& plan)> change{};
    bool of_both = false;
    std::optional<double> factor{};  ///< of the prediction; none if it is contradicted
    [[nodiscard]] bool is_known() const { return factor.has_value(); }
  };

  void vary(std::string_view source, std::function<void(Plan& plan)> change) {
    variants_.push_back({source, std::move(change)});
  }
  void vary_both(std::string_view source, std::function<void(Plan& plan)> change) {
    variants_.push_back({source, std::move(change), true});
  }

  /// All of them, several at once. Of several errors the first variant's is thrown.
  void replay_variants() {
    std::uint64_t tasks = 0;
    for (const Variant& one : variants_) {
      if (one.is_known()) continue;
      tasks += scenario_.graph->dag.task_count() + (one.of_both ? baseline_.graph->dag.task_count() : 0);
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
    if (variant.of_both) {
      Plan captured = predictor_.plan();
      variant.change(captured);
      if (is_contradicted(iteration_of(captured))) return std::nullopt;
    }
    Plan plan = plan_;
    variant.change(plan);
    return ratio(iteration_of(plan), predicted_);
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

  [[nodiscard]] bool is_contradicted(Duration iteration) const {
    if (!summary_.measured) return false;
    const Duration measured = summary_.iteration.measured;
    const double usual = std::max({kUsualError, 1 - steps_.least, steps_.most - 1});
    return std::abs(ratio(iteration - measured, measured)) > std::abs(summary_.iteration.error) + usual;
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
      vary("device", [side](Plan& plan) {
        for (std::size_t i = 0; i < kScaledByCount; ++i) plan.device_bias[i] = 1 + side * kDeviceError[i];
      });
    }
  }

  void add_device() {
    add_variants("device", "kernels with other work or on another device may take less or more than roofline says");
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
                    100 * ratio(summary_.unexplained_wait, baseline_.iteration)),
        as_the_rest(summary_.unexplained_wait));
  }

  /// The range if `kept`, a part of the iteration, stays as recorded or changes as the rest does.
  [[nodiscard]] Factors as_the_rest(Duration kept) const {
    const Duration rest = baseline_.iteration - kept;
    Factors factors;
    if (rest <= Duration{} || predicted_ <= kept) return factors;
    factors.include(ratio(predicted_ - kept, predicted_) * ratio(baseline_.iteration, rest));
    return factors;
  }

  Predictor& predictor_;
  const Plan& plan_;
  const Capture& captured_;
  const Prediction& baseline_;
  const Prediction& scenario_;
  Duration predicted_;
  ReplayMeter& meter_;
  sim::Summary summary_;  // of the baseline
  Factors steps_;
  std::vector<Variant> variants_;
  std::vector<IntervalSource> found_;
};

}  // namespace

AnswerInterval interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                           const Prediction& scenario, ReplayMeter& meter) {
  return Sources(predictor, plan, baseline, scenario, meter).run();
}

}  // namespace stepsim::scenarios
