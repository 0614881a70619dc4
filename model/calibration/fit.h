#ifndef STEPSIM_MODEL_CALIBRATION_FIT_H
#define STEPSIM_MODEL_CALIBRATION_FIT_H

#include <cstddef>
#include <span>

namespace stepsim {

/// y = intercept + slope * x.
struct LineFit {
  double intercept = 0;  ///< >= 0
  double slope = 0;      ///< >= 0
  std::size_t samples = 0;
  double residual = 0;  ///< median of |y - fit| / y over the samples, 0 if there are none
};

/// A line through the samples with no negative part (a cost has none), robust against
/// outliers: iteratively reweighted least squares with Huber's weights (Huber 1964) around a
/// non-negative least squares solve by active sets (Lawson and Hanson 1974). With one distinct
/// x the slope alone is fitted. O(samples), a few dozen rounds at most.
[[nodiscard]] LineFit fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace stepsim

#endif
