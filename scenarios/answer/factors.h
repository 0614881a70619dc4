#ifndef STEPSIM_SCENARIOS_ANSWER_FACTORS_H
#define STEPSIM_SCENARIOS_ANSWER_FACTORS_H

#include <array>
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

/// Returns a range that is `times` as wide in logarithms. Precondition: times >= 0.
[[nodiscard]] Factors widened(Factors range, double times);

/// Returns the range of two sources that can add up: their product.
[[nodiscard]] inline Factors on_top(Factors a, Factors b) noexcept { return {a.least * b.least, a.most * b.most}; }

// The shape of ranges: how large the errors of models are relative to each other. What measured answers needed then
// widens or narrows each range (evidence.h). Errors of single kernels and collectives are beside their models
// (model/cost/device/roofline.cpp, model/cost/collective/nccl_times.cpp), because these use them.

/// Typical relative error of a model that was not fitted to the predicted run, if only rates changed. With
/// kSettingsError and kExtrapolationError, the ranges include 95 % of the 117 measured runs from which these constants
/// were found. If the constants are found without the runs of one job, the ranges include 91 % of that job's runs.
constexpr double kUsualModelError = 0.012;
/// Typical relative error if settings of the job changed: partitions, buckets, schedule, workers, servers.
constexpr double kSettingsError = 0.02;
/// Further error of predictions that differ much from the capture. It is multiplied by the natural logarithm of the
/// ratio of the predicted to the captured iteration, so it applies in full at a ratio of e (2.718).
constexpr double kExtrapolationError = 0.03;

/// Factors by which CPU work on another machine may be shorter or longer. Single-thread speeds of server processors of
/// one generation differ by about this much (docs/internals/fidelity.md, "Another GPU").
inline constexpr std::array kOtherHosts{0.7, 1.4};
/// Factors by which the kernels of a step that was not captured may take less or more time, and its calls on the CPU.
/// Of measured steps of such models, 85 % are within (tests/truth/plans).
inline constexpr std::array kModelledKernels{0.89, 1.14};
inline constexpr std::array kModelledCalls{0.87, 1.12};
/// Factors of the CPU time of added collectives' calls (kCollectiveCall). Of the medians of 14 captures, all but one
/// are between 42 and 101 us; one capture has 278.
inline constexpr std::array kAddedCalls{42.0 / 80, 101.0 / 80};

/// Largest error of a predicted peak, relative to it, each time that the samples per step double or halve. The errors
/// of the measured pairs are at most 0.4 % for each time (docs/internals/fidelity.md, "Memory").
constexpr double kPeakErrorOfTwice = 0.02;
/// Largest error of the peak of a divided job, predicted from the allocations of the whole one, relative to it. Also
/// that from shapes if replicas gather parameters: four peaks of Llama 3 8B with FSDP (pytorch/ao) are 13 to 17 %
/// higher.
constexpr double kDivisionError = 0.1;
/// Largest error of the activations and of what one call needs, if they were estimated from shapes, relative to them.
constexpr double kShapesError = 0.25;

/// A change of a step time by this factor, or by its inverse, is a change in full: errors of smaller ones are smaller.
constexpr double kWholeChange = 1.1;

/// Returns how much of a change a ratio of step times is: from 0 for 1 to 1 for kWholeChange and more.
[[nodiscard]] double share_of_change(double ratio);

/// The properties of an answer on which the typical model error depends. They are known without another replay.
struct ModelCase {
  double change = 1;              ///< ratio of the predicted iterations with and without the change
  bool settings_changed = false;  ///< true if the job's settings differ from the captured ones
  bool times_links = false;       ///< true if a model of the network times the captured job, too
  double link_rate_error = 0;     ///< relative uncertainty of the links' rate
};

/// Returns the typical model error as a range of factors, 1 / x to x. If only rates changed in a job whose captured
/// times are used as they are, it is in proportion to share_of_change().
[[nodiscard]] Factors usual_error(const ModelCase& of);
/// Returns the part of the model error that grows with the distance from the capture. It is larger if the rates of
/// links were fitted badly. Suppose that a fitted rate has the relative error r. In the captured iteration T, errors of
/// other parts cancel it; in a changed iteration T' they do not, and the relative error of T' is r |T / T' - 1|.
[[nodiscard]] Factors extrapolation_error(const ModelCase& of);
/// True if extrapolation_error() is larger than usual because of the uncertain rates of links.
[[nodiscard]] bool is_worse_for_links(const ModelCase& of);

}  // namespace stepsim::scenarios

#endif
