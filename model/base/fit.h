#ifndef STEPSIM_MODEL_BASE_FIT_H
#define STEPSIM_MODEL_BASE_FIT_H

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace stepsim {

/// The x >= 0 with the smallest |A x - b|, by active sets (Lawson and Hanson, Solving Least
/// Squares Problems, 1974, chapter 23). `a` holds A row by row, `columns` numbers a row. Where
/// columns depend on each other one of the best x is returned, the same in every run.
/// About `columns` solves of at most rows x columns.
/// Precondition: a.size() == columns * b.size(), columns > 0, all numbers are finite.
[[nodiscard]] std::vector<double> nonnegative_least_squares(std::span<const double> a, std::size_t columns,
                                                            std::span<const double> b);

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

/// Fits under weights, one a sample, and gives the samples' absolute errors; nothing if the fit is
/// the same as before.
using WeightedFit = std::function<std::optional<std::vector<double>>(std::span<const double> weights)>;

/// Iteratively reweighted least squares with Huber's weights (Huber 1964): a sample counts less the
/// further it is off. Calls `fit` first with equal weights, and at most 60 times; less often where
/// it settles or goes through most samples as it is.
void fit_robustly(std::size_t samples, const WeightedFit& fit);

}  // namespace stepsim

#endif
