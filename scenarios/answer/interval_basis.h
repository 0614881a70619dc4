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

/// Data shared by the ranges of all answers about one capture. Thread-safe.
class IntervalBasis {
 public:
  /// `baseline` is the result of `predictor` for its plan(). All arguments must outlive this object.
  IntervalBasis(Predictor& predictor, const Prediction& baseline, ReplayMeter& meter);

  [[nodiscard]] Predictor& predictor() const noexcept { return predictor_; }
  [[nodiscard]] const Prediction& baseline() const noexcept { return baseline_; }
  [[nodiscard]] ReplayMeter& meter() const noexcept { return meter_; }
  /// Returns the summary of the baseline.
  [[nodiscard]] const sim::Summary& summary() const noexcept { return summary_; }
  /// Returns the plan of the captured job.
  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const GraphKey& key() const noexcept { return key_; }
  /// Returns the range of the captured steps; no range if nothing was measured.
  [[nodiscard]] const Factors& steps() const noexcept { return steps_; }
  /// Returns the number of captured steps of the slowest rank.
  [[nodiscard]] std::size_t step_count() const noexcept { return step_count_; }
  [[nodiscard]] const std::optional<double>& trend() const noexcept { return trend_; }
  [[nodiscard]] Duration iteration_of(const Plan& plan) const { return meter_.predict(predictor_, plan).iteration; }

  /// Returns the measured duration of the baseline, without the profiler's time if that was removed.
  [[nodiscard]] Duration measured() const;
  /// Returns the prediction to compare with the measured time. It is not the baseline if another cluster was given.
  [[nodiscard]] Duration comparable() const;
  /// Returns the ratio of the measured times to their prediction.
  [[nodiscard]] Factors shift() const;
  /// Returns the ratio of a prediction to the captured iteration.
  [[nodiscard]] double change_to(Duration predicted) const;

  /// True if the capture contradicts `change`: with it, the captured iteration is predicted worse, by more than
  /// captured steps differ and by more than the usual error. Needs one replay for each name.
  [[nodiscard]] bool is_contradicted(const std::string& name, const std::function<void(Plan& plan)>& change) const;

  /// Returns how much shorter the captured iteration may have been without its profiler. Replays once, at the first
  /// call.
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
  mutable std::mutex mutex_;  ///< protects contradicted_
  mutable std::map<std::string, std::shared_future<bool>> contradicted_;
};

}  // namespace stepsim::scenarios

#endif
