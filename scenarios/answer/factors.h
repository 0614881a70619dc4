#ifndef STEPSIM_SCENARIOS_ANSWER_FACTORS_H
#define STEPSIM_SCENARIOS_ANSWER_FACTORS_H

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "model/job/recording.h"
#include "sim/analysis/rank_steps.h"
#include "sim/engine/timeline.h"

/// How far predictions may be off, as factors: by how captured steps differ, and by what models of measured runs were
/// off by. docs/fidelity.md, "Intervals", says how the figures were found, and how they do on groups that they were not
/// found on.
namespace stepsim::scenarios {

/// A range as factors of a prediction: least <= 1 <= most.
struct Factors {
  double least = 1;
  double most = 1;
  void include(double factor) {
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
};

/// The range of independent sources together: on each side the root of the sum of the squared logarithms of their
/// factors, as standard uncertainties of factors combine (JCGM 100:2008, 5.1.2 and 5.1.6). Never narrower than one of
/// them alone, never wider than their product. A factor below 1e-6 counts as that. O(sources).
[[nodiscard]] Factors independent(std::span<const Factors> sources);

/// The range of two sources of which the second may come on top of the first: the product.
[[nodiscard]] inline Factors on_top(Factors a, Factors b) noexcept { return {a.least * b.least, a.most * b.most}; }

// How captured steps differ.

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
[[nodiscard]] Factors step_factors(const std::map<Rank, sim::RankSteps>& ranks);

/// How far the model may be from the captured iteration and yet be right: kUsualError, or as far as the captured steps
/// differ. `timeline` is a replay of capture.dag. O(tasks log ranks).
[[nodiscard]] double usual_error_of_capture(const Capture& capture, const sim::Timeline& timeline);

// How far models are off, by the measured runs of docs/test-data.md.

/// A model that was not told a run predicts it within this, in nine runs of ten, if only rates changed.
constexpr double kUsualModelError = 0.012;
/// The same if the job's own settings changed: partitions, buckets, schedule, workers, servers.
constexpr double kSettingsError = 0.02;
/// What comes to these for each factor e between the captured iteration and the predicted one.
constexpr double kExtrapolationError = 0.03;

/// What is known of an answer without another replay.
struct ModelCase {
  double change = 1;              ///< the predicted iteration relative to that of the job as captured, predicted
  bool settings_changed = false;  ///< the job's settings differ from the captured ones
  double link_rate_error = 0;     ///< how far the links' rate may be off, relative to it
};

/// Symmetric in the logarithm.
[[nodiscard]] Factors usual_error(const ModelCase& of);
/// The part that grows with the distance from what was captured. Where links were fitted badly that is more: if a part
/// of an iteration T goes as the links' rate, and that is off by r, a change to T' is off by r |T / T' - 1|, because as
/// captured the other parts make up for it.
[[nodiscard]] Factors extrapolation_error(const ModelCase& of);
/// Whether the links' fit makes extrapolation worse than usual.
[[nodiscard]] bool is_worse_for_links(const ModelCase& of);

}  // namespace stepsim::scenarios

#endif
