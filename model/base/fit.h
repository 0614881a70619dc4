#ifndef STEPSIM_MODEL_BASE_FIT_H
#define STEPSIM_MODEL_BASE_FIT_H

#include <cstddef>
#include <span>
#include <vector>

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

/// y = the sum over columns of coefficient * value.
struct SumFit {
  std::vector<double> coefficients;  ///< one a column, >= 0
  std::size_t samples = 0;
  double residual = 0;  ///< as LineFit's
};

/// The same for a cost of several parts: `values` holds a row of `columns` numbers for every y.
[[nodiscard]] SumFit fit_sum(std::span<const double> values, std::size_t columns, std::span<const double> y);

/// The middle of the values, the mean of the two middle ones of an even number, 0 of none.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace stepsim

#endif
