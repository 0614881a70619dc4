#include "scenarios/answer/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <span>

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
    expect_replays();
    add_steps();
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

  /// Tells the meter how many replays may follow, so that it can tell what is left.
  void expect_replays() {
    const auto sharings =
        std::count_if(kSharings.begin(), kSharings.end(), [this](double sharing) { return !is_as_predicted(sharing); });
    const std::size_t alternatives =
        (sharing_applies() ? static_cast<std::size_t>(sharings) : 0U) + (drift_applies() ? 1U : 0U);
    const std::size_t others = (plan_.recorded_transfers == 1 ? 0U : 1U) + (copies_apply() ? 2U : 0U) +
                               (has_scaled_by_model(scenario_.shares) ? 2U : 0U);
    meter_.expect(alternatives * baseline_.graph->dag.task_count() +
                  (alternatives + others) * scenario_.graph->dag.task_count());
  }

  [[nodiscard]] Duration iteration_of(const Plan& plan) { return meter_.predict(predictor_, plan).iteration; }

  [[nodiscard]] bool links_are_shared() const { return plan_.network->make != nullptr && !plan_.network->independent; }

  /// Whether a replay with this sharing would be the one of the prediction: a model that does not know of sharing, or
  /// senders that share fairly anyway, so that none has a turn to keep.
  [[nodiscard]] bool is_as_predicted(double sharing) const {
    const auto& known = plan_.network->parameters;
    if (std::find(known.begin(), known.end(), &kSharing) == known.end()) return true;
    return sharing == 1 && plan_.cluster.network[kSharing] == 1;
  }

  void add_sharing() {
    if (!sharing_applies()) return;
    std::vector<Alternative> others;
    others.reserve(std::size(kSharings));
    for (const double sharing : kSharings) {
      if (is_as_predicted(sharing)) continue;
      others.emplace_back([sharing](Plan& plan) {
        plan.cluster.network.set(kSharing, sharing);
        plan.cluster.network.set(kSendersKeepTurn, true);
      });
    }
    add_alternatives("sharing", "senders that meet on a link may share it fairly or be served one after the other",
                     others, others.size() < kSharings.size());
  }

  void add_drift() {
    if (!drift_applies()) return;
    add_alternatives("drift", "workers may stay in step or drift apart",
                     {[](Plan& plan) { plan.begins_together = true; }});
  }

  void add_transfers() {
    if (plan_.recorded_transfers == 1) return;
    Plan plan = plan_;
    plan.recorded_transfers = 1;
    Factors factors;
    factors.include(ratio(iteration_of(plan), predicted_));
    add("transfers", "it is unknown how much of the recorded times of transfers was bandwidth: from all of it to none",
        factors);
  }

  using Alternative = std::function<void(Plan& plan)>;

  /// Adds the range over replays of the scenario under each of `others` that the capture does not contradict; with
  /// `any`, the prediction is one of them.
  void add_alternatives(std::string_view name, std::string reason, const std::vector<Alternative>& others,
                        bool any = false) {
    Factors factors;
    for (const Alternative& change : others) {
      Plan captured = predictor_.plan();
      change(captured);
      if (is_contradicted(iteration_of(captured))) continue;
      Plan plan = plan_;
      change(plan);
      factors.include(ratio(iteration_of(plan), predicted_));
      any = true;
    }
    if (any) add(name, std::move(reason), factors);
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

  void add_copies() {
    const std::span<const Rank> ranks = captured_ranks();
    if (ranks.empty() || *plan_.job.workers <= captured_workers(captured_)) return;
    if (ranks.size() < 2) return add("copies", "one worker was captured, and how others differ is not known", {});
    std::vector<Duration> compute;
    for (const RankBreakdown& rank : summary_.ranks) {
      if (std::find(ranks.begin(), ranks.end(), rank.rank) == ranks.end()) continue;
      compute.push_back(rank.compute == Duration{} ? rank.host : rank.compute);
    }
    const Factors speeds = about_median(compute);
    Factors factors;
    for (const double speed : {speeds.least, speeds.most}) factors.include(with_copies_scaled(speed));
    add("copies", "workers that were not captured may compute like the fastest or the slowest captured", factors);
  }

  [[nodiscard]] double with_copies_scaled(double factor) {
    if (factor == 1) return 1;
    Plan plan = plan_;
    plan.rules.emplace_back(
        [last = captured_ranks().back(), factor](const Capture& capture, std::vector<Duration>& durations) {
          for (std::size_t i = 0; i < durations.size(); ++i) {
            const bool is_copy = capture.dag.lane(TaskId{i}).rank > last;
            if (is_copy && class_of(capture.dag.kind(TaskId{i})) != TaskClass::kCommunication)
              durations[i] = scaled(durations[i], factor);
          }
        });
    return ratio(iteration_of(plan), predicted_);
  }

  void add_device() {
    if (!has_scaled_by_model(scenario_.shares)) return;
    Factors factors;
    for (const double side : {-1.0, 1.0}) {
      Plan plan = plan_;
      for (std::size_t i = 0; i < kScaledByCount; ++i) plan.device_bias[i] = 1 + side * kDeviceError[i];
      factors.include(ratio(iteration_of(plan), predicted_));
    }
    add("device", "kernels with other work or on another device may take less or more than roofline says", factors);
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
  std::vector<IntervalSource> found_;
};

}  // namespace

AnswerInterval interval_of(Predictor& predictor, const Plan& plan, const Prediction& baseline,
                           const Prediction& scenario, ReplayMeter& meter) {
  return Sources(predictor, plan, baseline, scenario, meter).run();
}

}  // namespace stepsim::scenarios
