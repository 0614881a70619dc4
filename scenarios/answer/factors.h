#ifndef STEPSIM_SCENARIOS_ANSWER_FACTORS_H
#define STEPSIM_SCENARIOS_ANSWER_FACTORS_H

#include <span>

#include "sim/analysis/step_spread.h"

/// How far predictions may be off, as factors, by what models of measured runs were off by. docs/fidelity.md,
/// "Intervals", says how the figures were found, and how they do on groups that they were not found on.
namespace stepsim::scenarios {

using sim::Factors;

/// The range of independent sources together: on each side the root of the sum of the squared logarithms of their
/// factors, as standard uncertainties of factors combine (JCGM 100:2008, 5.1.2 and 5.1.6). Never narrower than one of
/// them alone, never wider than their product. A factor below 1e-6 counts as that. O(sources).
[[nodiscard]] Factors independent(std::span<const Factors> sources);

/// The range of two sources of which the second may come on top of the first: the product.
[[nodiscard]] inline Factors on_top(Factors a, Factors b) noexcept { return {a.least * b.least, a.most * b.most}; }

// How far models are off, by the measured runs of docs/test-data.md.

/// A model that was not told a run is off by this, if only rates changed. With this figure and the next two 95 % of the
/// 117 measured runs lie in their ranges, which the figures were found on; of runs of groups that were left out, 91 %.
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
