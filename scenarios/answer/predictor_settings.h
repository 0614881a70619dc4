#ifndef STEPSIM_SCENARIOS_ANSWER_PREDICTOR_SETTINGS_H
#define STEPSIM_SCENARIOS_ANSWER_PREDICTOR_SETTINGS_H

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/base/assumption.h"
#include "model/base/units.h"
#include "model/calibration/measured_machine.h"
#include "model/job/recording.h"
#include "scenarios/answer/slowed_kernels.h"
#include "sim/check/checkup.h"

namespace stepsim::scenarios {

/// What to remove from recorded times so that they are those of the job without its profiler
/// (scenarios/answer/learn_from_capture.h).
struct ProfilerCost {
  Duration per_event{};  ///< for each recorded event of a CPU task
  double most = 0;       ///< maximum share of a task's time that is removed
  /// By how much the waits for a data loader are longer without the profiler, indexed by TaskId of the capture. Empty
  /// if the loader does not limit the job.
  std::vector<Duration> waits{};
};

/// The assumed cost of the profiler, and the ends of its range. All three are equal if the cost is known.
struct ProfilerCosts {
  ProfilerCost least;
  ProfilerCost usual;
  ProfilerCost most;
  bool by_measured_step = false;  ///< true if the cost follows from job.yaml's measured_step
  Assumption note;

  [[nodiscard]] bool known() const noexcept { return least.per_event == most.per_event; }
};

/// How senders share a link (kSharing) if replays of the capture contradict what calibration gave.
struct AssumedSharing {
  double factor = 1;
  std::vector<double> fitting;  ///< the values that the capture does not contradict
  Assumption note;
};

/// What a Predictor knows of the captured job besides the capture, its cluster and the network model.
struct PredictorSettings {
  /// Reads the trace at a path that a change names. Without a reader, such changes are refused.
  std::function<Capture(const std::string& path)> reader;
  /// A machine of which steps were measured (scenarios/change/on_machine.h), on which all plans run; null for none.
  std::shared_ptr<const MeasuredMachine> machine;
  sim::Checkup checkup;  ///< what 'stepsim check' says about the capture, for the cautions of answers
  /// The predicted iteration of the captured job on its own cluster, if the user gave another one. It takes the place
  /// of the prediction that the measured time is compared with.
  std::optional<Duration> on_own_cluster;
  /// The predicted time of the captured steps with the profiler's cost, if `profiler` removes it. It takes the place of
  /// the prediction that the measured time is compared with, unless job.yaml gives the time without the profiler.
  std::optional<Duration> as_captured;
  double link_rate_error = 0;  ///< relative uncertainty of the links' rate, if it was fitted
  std::optional<AssumedSharing> sharing;
  /// Set if collectives keep their recorded times in every plan (Plan::recorded_collectives), with the assumption that
  /// states it. The sharing of links then has no effect.
  std::optional<Assumption> recorded_collectives;
  bool trusts_repetition = true;          ///< false if predictions use the captured steps alone
  std::optional<ProfilerCosts> profiler;  ///< removed from the recorded times of every plan
  /// How kernels are slowed by the communication that they overlap; if absent, their durations do not depend on it. A
  /// prediction then makes up to 20 additional replays.
  std::optional<CapturedInterference> interference;
  Assumptions assumptions;  ///< of every plan, besides those above

  /// Returns the values of sharing that the range of an answer includes.
  [[nodiscard]] std::span<const double> fitting_sharings() const noexcept {
    return sharing && !recorded_collectives ? std::span<const double>(sharing->fitting) : std::span<const double>();
  }
};

}  // namespace stepsim::scenarios

#endif
