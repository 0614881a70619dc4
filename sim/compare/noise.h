#ifndef STEPSIM_SIM_COMPARE_NOISE_H
#define STEPSIM_SIM_COMPARE_NOISE_H

#include <optional>

#include "sim/compare/side.h"

namespace stepsim::sim {

/// How much the iterations of two sides may differ by chance alone: half of the 95 % confidence interval of the
/// difference of their medians. The standard error of a median is sqrt(pi/2) times that of the mean, as of steps that
/// are normally distributed; degrees of freedom after Welch, "The generalization of Student's problem when several
/// different population variances are involved", Biometrika 34, 1947. Few steps make it wide: of two a side, t is 4.3.
/// Where a side has an uncertainty of its own, that is added, as the root of the sum of squares.
/// Absent where a side has neither that nor two steps. Runs on another day may differ by more: steps of one run share
/// their machine, their clocks and their data.
[[nodiscard]] std::optional<Duration> noise_of_difference(const Side& a, const Side& b);

}  // namespace stepsim::sim

#endif
