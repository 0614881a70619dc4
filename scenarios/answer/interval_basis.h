#ifndef STEPSIM_SCENARIOS_ANSWER_INTERVAL_BASIS_H
#define STEPSIM_SCENARIOS_ANSWER_INTERVAL_BASIS_H

#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "scenarios/answer/factors.h"
#include "scenarios/answer/predict.h"
#include "sim/analysis/summary.h"

namespace stepsim::scenarios {

/// What the ranges of all answers about one capture have in common. Safe to use from several threads.
class IntervalBasis {
 public:
  /// `baseline` is what `predictor` made of its plan(). All must outlive this.
  IntervalBasis(Predictor& predictor, const Prediction& baseline, ReplayMeter& meter);

  [[nodiscard]] Predictor& predictor() const noexcept { return predictor_; }
  [[nodiscard]] const Prediction& baseline() const noexcept { return baseline_; }
  [[nodiscard]] ReplayMeter& meter() const noexcept { return meter_; }
  /// Of the baseline.
  [[nodiscard]] const sim::Summary& summary() const noexcept { return summary_; }
  /// Of the job as captured.
  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const GraphKey& key() const noexcept { return key_; }
  /// How captured steps differ; no range if nothing was measured.
  [[nodiscard]] const Factors& steps() const noexcept { return steps_; }
  /// Captured steps of the slowest rank.
  [[nodiscard]] std::size_t step_count() const noexcept { return step_count_; }
  [[nodiscard]] const std::optional<double>& trend() const noexcept { return trend_; }
  [[nodiscard]] Duration iteration_of(const Plan& plan) const { return meter_.predict(predictor_, plan).iteration; }

  /// What the baseline stands for: without the profiler where that was taken out.
  [[nodiscard]] Duration measured() const;
  /// The prediction that compares with what was measured: on another cluster the baseline does not.
  [[nodiscard]] Duration comparable() const;
  /// What was measured, relative to its prediction.
  [[nodiscard]] Factors shift() const;
  /// A prediction relative to what was captured.
  [[nodiscard]] double change_to(Duration predicted) const;

  /// Whether the capture contradicts `change`: it predicts the captured iteration worse, by more than captured steps
  /// differ and by more than the usual error. A replay, once for each name.
  [[nodiscard]] bool is_contradicted(const std::string& name, const std::function<void(Plan& plan)>& change) const;

  /// How much shorter the captured iteration may have been without its profiler. A replay, once.
  [[nodiscard]] Duration profiled() const;

 private:
  [[nodiscard]] const Capture& captured() const { return *plan_.captured; }
  void read_steps();
  [[nodiscard]] bool contradicts(Duration of_captured_steps) const;

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

}  // namespace stepsim::scenarios

#endif
