#ifndef STEPSIM_SIM_ANALYSIS_STEP_SPREAD_H
#define STEPSIM_SIM_ANALYSIS_STEP_SPREAD_H

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/rank_steps.h"
#include "sim/analysis/steady.h"
#include "sim/engine/timeline.h"

/// How much the captured steps differ.
namespace stepsim::sim {

/// A range, as factors of a length of time: least <= 1 <= most.
struct Factors {
  double least = 1;
  double most = 1;
  void include(double factor) {
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
  void include(const Factors& other) {
    include(other.least);
    include(other.most);
  }
};

/// If only one step was captured, the spread is unknown. This spread is assumed in each direction.
constexpr double kOneStepSpread = 0.05;

/// Returns the range, as factors of `iteration`, that a rank's captured steps allow. It includes
///
/// * the tenth to the ninetieth percentile of the steps, so that it contains a typical step, and
/// * for at most ten steps, the 90 % confidence interval of their mean, which is wide for few steps: on each side,
///   `u(n)` times the range of the steps (Lord, "The use of range in place of standard deviation in the t-test",
///   Biometrika 34, 1947). For two steps, u(2) = 3.2 is too wide to be useful, so the factor is 1 instead.
///
/// For one step, or a capture without steps, returns kOneStepSpread. Returns no range if `iteration` is 0. O(steps log
/// steps).
[[nodiscard]] Factors spread_of(std::vector<Duration> steps, Duration iteration);

/// Returns the last step relative to `iteration` if the steps become shorter or longer throughout; otherwise nothing.
/// That needs at least four steps, each shorter (or each longer) than the one before, and a difference of at least 10 %
/// between the first and the last.
[[nodiscard]] std::optional<double> trend_of(const std::vector<Duration>& steps, Duration iteration);

/// A correct model predicts a captured iteration within this relative error (docs/internals/fidelity.md). A model with
/// a larger error is wrong.
constexpr double kUsualError = 0.03;

/// Returns spread_of() for the captured steps of the rank with the widest range, each step relative to its rank's
/// iteration. Returns no range if nothing was measured.
[[nodiscard]] Factors step_factors(const std::map<Rank, RankSteps>& ranks);

/// Returns the largest error of a correct model for this capture: kUsualError, or the spread of the captured steps if
/// that is larger. `timeline` is a replay of capture.dag. O(tasks log ranks).
[[nodiscard]] double usual_error_of_capture(const Capture& capture, const Timeline& timeline);

/// Returns the length of `steady`, the result of steady_iteration(), if the captured steps contradict it: if it differs
/// from them by more than usual_error_of_capture(). Then the repeated graph of a step does not represent the job: it
/// contains waits in collectives for ranks that were not captured, or it lacks dependencies. A longer time is no
/// contradiction if the tasks that limit it recurred at that pace in the captured steps, too (recurrence_of()): then
/// the captured steps were shorter only because the others were still ahead of these tasks. Returns nothing if there is
/// no contradiction, or if no captured step shows how the next one begins. O(tasks log tasks).
[[nodiscard]] std::optional<Duration> contradicted_repetition(const Capture& capture, const Timeline& timeline,
                                                              const std::optional<SteadyIteration>& steady);

}  // namespace stepsim::sim

#endif
