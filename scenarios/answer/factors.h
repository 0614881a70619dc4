#ifndef STEPSIM_SCENARIOS_ANSWER_FACTORS_H
#define STEPSIM_SCENARIOS_ANSWER_FACTORS_H

#include <span>

#include "sim/analysis/step_spread.h"

/// The possible error of predictions as factors, based on the errors of models on measured runs.
/// docs/internals/answers.md, "Ranges", describes how the constants were found and how well they hold for groups of
/// runs that were not used.
namespace stepsim::scenarios {

using sim::Factors;

/// Returns the combined range of independent sources: on each side the root of the sum of the squared logarithms of
/// their factors, as for standard uncertainties of factors (JCGM 100:2008, 5.1.2 and 5.1.6). It is never narrower than
/// the widest single source and never wider than their product. Factors below 1e-6 count as 1e-6. O(sources).
[[nodiscard]] Factors independent(std::span<const Factors> sources);

/// Returns the range of two sources that can add up: their product.
[[nodiscard]] inline Factors on_top(Factors a, Factors b) noexcept { return {a.least * b.least, a.most * b.most}; }

// Errors of models on the measured runs of docs/internals/test-data.md.

/// Typical error of a model that was not fitted to a run, if only rates changed. With this constant and the next two,
/// the ranges include 95 % of the 117 measured runs, which were used to find the constants, and 91 % of the runs in
/// groups that were left out.
constexpr double kUsualModelError = 0.012;
/// Typical error if the job's own settings changed: partitions, buckets, schedule, workers, servers.
constexpr double kSettingsError = 0.02;
/// Error added to kUsualModelError or kSettingsError for each factor e (2.718) between the captured and the predicted
/// iteration.
constexpr double kExtrapolationError = 0.03;

/// The properties of an answer that are known without another replay.
struct ModelCase {
  double change = 1;              ///< ratio of the predicted iterations with and without the change
  bool settings_changed = false;  ///< true if the job's settings differ from the captured ones
  double link_rate_error = 0;     ///< relative uncertainty of the links' rate
};

/// Returns the typical error, which is symmetric on a logarithmic scale.
[[nodiscard]] Factors usual_error(const ModelCase& of);
/// Returns the part of the error that grows with the distance from the capture. It is larger if links were fitted
/// badly. If part of an iteration T depends on the links' rate and that rate is wrong by r, a change to T' is wrong by
/// r |T / T' - 1|, because in the captured iteration the other parts compensate the error.
[[nodiscard]] Factors extrapolation_error(const ModelCase& of);
/// True if the fit of the links increases the extrapolation error above the typical one.
[[nodiscard]] bool is_worse_for_links(const ModelCase& of);

}  // namespace stepsim::scenarios

#endif
