#ifndef STEPSIM_SCENARIOS_ANSWER_INTERVAL_BASIS_H
#define STEPSIM_SCENARIOS_ANSWER_INTERVAL_BASIS_H

#include <optional>
#include <string>

#include "model/base/once_per_key.h"
#include "scenarios/answer/factors.h"
#include "scenarios/answer/predict.h"
#include "sim/analysis/summary.h"

namespace stepsim::scenarios {

/// Data shared by the ranges of all answers about one capture. Thread-safe.
class IntervalBasis {
 public:
  /// `baseline` is the prediction of predictor.plan(). All arguments must outlive this object.
  IntervalBasis(Predictor& predictor, const Prediction& baseline, ReplayMeter& meter);

  [[nodiscard]] Predictor& predictor() const noexcept { return predictor_; }
  [[nodiscard]] const Prediction& baseline() const noexcept { return baseline_; }
  [[nodiscard]] ReplayMeter& meter() const noexcept { return meter_; }
  /// Returns the summary of the baseline.
  [[nodiscard]] const sim::Summary& summary() const noexcept { return summary_; }
  /// Returns the plan of the captured job.
  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const GraphKey& key() const noexcept { return key_; }
  /// Returns the range of the captured steps as factors of the iteration; 1 to 1 if nothing was measured.
  [[nodiscard]] const Factors& steps() const noexcept { return steps_; }
  /// Returns the number of captured steps of the slowest rank; 0 if nothing was measured.
  [[nodiscard]] std::size_t step_count() const noexcept { return step_count_; }
  [[nodiscard]] const std::optional<double>& trend() const noexcept { return trend_; }
  [[nodiscard]] Duration iteration_of(const Plan& plan, const Sides& sides) const {
    return meter_.iteration(predictor_, plan, sides);
  }

  /// Returns the measured iteration. If the profiler's cost follows from job.yaml's measured_step, this is that time.
  [[nodiscard]] Duration measured() const;
  /// Returns the predicted time of the captured steps, for comparison with measured(): as captured, on the captured
  /// cluster.
  [[nodiscard]] Duration comparable() const;
  /// Returns the range of the error of the captured iteration, as factors of the prediction: it includes the measured
  /// time and job.yaml's measured_step, if given.
  [[nodiscard]] Factors shift() const;
  /// Returns the ratio of a predicted iteration to the predicted iteration of the captured job.
  [[nodiscard]] double change_to(Duration predicted) const;

  /// True if the capture contradicts `sides`. This is so if they increase the error of the predicted captured
  /// iteration by more than the captured steps differ and by more than the usual error. Replays the capture as
  /// captured_with() does.
  [[nodiscard]] bool is_contradicted(const std::string& name, const Sides& sides) const;
  /// Returns the captured iteration with these sides. Replays the capture once for each `name`, which identifies the
  /// sides; later calls return the same result.
  [[nodiscard]] Duration captured_with(const std::string& name, const Sides& sides) const;

  /// True if processes that load data limit the captured job. What shortens its other work then leaves it to wait
  /// longer.
  [[nodiscard]] bool loader_sets_pace() const;

 private:
  [[nodiscard]] const Capture& captured() const { return *plan_.captured; }
  void read_steps();
  struct Replayed {
    Duration iteration;
    Duration of_captured_steps;
  };
  [[nodiscard]] Replayed replayed_with(const std::string& name, const Sides& sides) const;
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
  mutable OncePerKey<std::string, Replayed> replayed_;
};

}  // namespace stepsim::scenarios

#endif
