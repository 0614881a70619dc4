#ifndef STEPSIM_SCENARIOS_ANSWER_FACTORS_H
#define STEPSIM_SCENARIOS_ANSWER_FACTORS_H

#include <span>

#include "sim/analysis/step_spread.h"

/// The possible error of predictions, as factors of the predicted time. It comes from the errors of the models for
/// measured runs. docs/internals/answers.md, "Ranges", describes how the constants were found, and how well they apply
/// to groups of runs that were not used to find them.
namespace stepsim::scenarios {

using sim::Factors;

/// Returns the combined range of independent sources: on each side the root of the sum of the squared logarithms of
/// their factors, as for standard uncertainties of factors (JCGM 100:2008, 5.1.2 and 5.1.6). It is never narrower than
/// the widest single source and never wider than their product. Factors below 1e-6 count as 1e-6. O(sources).
[[nodiscard]] Factors independent(std::span<const Factors> sources);

/// Returns the range of two sources that can add up: their product.
[[nodiscard]] inline Factors on_top(Factors a, Factors b) noexcept { return {a.least * b.least, a.most * b.most}; }

// Errors of predictions of the measured runs in docs/internals/test-data.md.

/// Typical relative error of a model that was not fitted to the predicted run, if only rates changed. With
/// kSettingsError and kExtrapolationError, the ranges include 95 % of the 117 measured runs from which these constants
/// were found. If the constants are found without the runs of one job, the ranges include 91 % of that job's runs.
constexpr double kUsualModelError = 0.012;
/// Typical relative error if settings of the job changed: partitions, buckets, schedule, workers, servers.
constexpr double kSettingsError = 0.02;
/// Further error of predictions that differ much from the capture. It is multiplied by the natural logarithm of the
/// ratio of the predicted to the captured iteration, so it applies in full at a ratio of e (2.718).
constexpr double kExtrapolationError = 0.03;

/// The properties of an answer on which the typical model error depends. They are known without another replay.
struct ModelCase {
  double change = 1;              ///< ratio of the predicted iterations with and without the change
  bool settings_changed = false;  ///< true if the job's settings differ from the captured ones
  double link_rate_error = 0;     ///< relative uncertainty of the links' rate
};

/// Returns the typical model error as a range of factors, 1 / x to x.
[[nodiscard]] Factors usual_error(const ModelCase& of);
/// Returns the part of the model error that grows with the distance from the capture. It is larger if the rates of
/// links were fitted badly. Suppose that a fitted rate has the relative error r. In the captured iteration T, errors of
/// other parts cancel it; in a changed iteration T' they do not, and the relative error of T' is r |T / T' - 1|.
[[nodiscard]] Factors extrapolation_error(const ModelCase& of);
/// True if extrapolation_error() is larger than usual because of the uncertain rates of links.
[[nodiscard]] bool is_worse_for_links(const ModelCase& of);

}  // namespace stepsim::scenarios

#endif
