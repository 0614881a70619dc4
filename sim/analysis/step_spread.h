#ifndef STEPSIM_SIM_ANALYSIS_STEP_SPREAD_H
#define STEPSIM_SIM_ANALYSIS_STEP_SPREAD_H

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/rank_steps.h"
#include "sim/engine/timeline.h"

/// How captured steps differ.
namespace stepsim::sim {

/// A range as factors of a length of time: least <= 1 <= most.
struct Factors {
  double least = 1;
  double most = 1;
  void include(double factor) {
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
};

/// How far the steps of one more step may be from a single captured one, each way. No capture of one step shows it.
constexpr double kOneStepSpread = 0.05;

/// The range, as factors of `iteration`, that a rank's captured steps allow:
///
/// * from the tenth to the ninetieth percentile of the steps, so that a typical step lies in it, and
/// * the 90 % confidence interval of their mean, which few steps make wide: `u(n)` times the range of the steps (Lord,
///   "The use of range in place of standard deviation in the t-test", Biometrika 34, 1947). For two steps u is 3.2;
///   one range is used, because the interval would say nothing.
///
/// One step, or a capture without steps, gives kOneStepSpread. No range if `iteration` is 0. O(steps log steps).
[[nodiscard]] Factors spread_of(std::vector<Duration> steps, Duration iteration);

/// Steps that shorten or lengthen throughout: the last one relative to `iteration`; nothing if they do not. At least
/// four steps, each shorter (or each longer) than the one before, and the last a tenth from the first.
[[nodiscard]] std::optional<double> trend_of(const std::vector<Duration>& steps, Duration iteration);

/// A correct model predicts a captured iteration within this error (docs/fidelity.md). An alternative that is further
/// off than that is wrong.
constexpr double kUsualError = 0.03;

/// The captured steps of all ranks, each relative to its rank's iteration, as spread_of() has it. The widest
/// rank counts. No range if nothing was measured.
[[nodiscard]] Factors step_factors(const std::map<Rank, RankSteps>& ranks);

/// How far the model may be from the captured iteration and yet be right: kUsualError, or as far as the captured steps
/// differ. `timeline` is a replay of capture.dag. O(tasks log ranks).
[[nodiscard]] double usual_error_of_capture(const Capture& capture, const Timeline& timeline);

/// Whether steps that are repeated until they are steady (sim/analysis/steady.h) take another time than the captured
/// ones, by more than usual_error_of_capture(). Then a step's graph, repeated, is not the job: it holds waits that a
/// collective shares with ranks that were not captured, or it lacks dependencies. The times are of this replay.
/// O(tasks log ranks).
[[nodiscard]] bool contradicts_captured_steps(const Capture& capture, const Timeline& timeline, Duration repeated,
                                              Duration of_captured_steps);

/// What repeated steps take where that contradicts the captured ones; nothing where it does not, or where one
/// captured step does not show how the next one begins. O(steady_iteration()).
[[nodiscard]] std::optional<Duration> contradicted_repetition(const Capture& capture, const Timeline& timeline);

}  // namespace stepsim::sim

#endif
