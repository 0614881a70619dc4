#ifndef STEPSIM_MODEL_BASE_FIT_H
#define STEPSIM_MODEL_BASE_FIT_H

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace stepsim {

/// Returns the x >= 0 with the smallest |A x - b|, by active sets (Lawson and Hanson, Solving Least Squares Problems,
/// 1974, chapter 23). `a` contains A row by row, with `columns` numbers per row. If columns are linearly dependent, it
/// returns one of the best x, the same one in every run. Takes about `columns` solves of at most rows x columns.
/// Precondition: a.size() == columns * b.size(), columns > 0, all numbers are finite.
[[nodiscard]] std::vector<double> nonnegative_least_squares(std::span<const double> a, std::size_t columns,
                                                            std::span<const double> b);

/// A fitted line: y = intercept + slope * x.
struct LineFit {
  double intercept = 0;  ///< intercept of the line; >= 0
  double slope = 0;      ///< slope of the line; >= 0
  std::size_t samples = 0;
  double residual = 0;  ///< median of |y - fit| / y over the samples, 0 if there are none
};

/// Fits a line with non-negative intercept and slope, because a cost is never negative. Robust against outliers:
/// iteratively reweighted least squares with Huber's weights (Huber 1964) around a non-negative least squares solve by
/// active sets (Lawson and Hanson 1974). If all x are equal, only the slope is fitted. At most 60 rounds of O(samples)
/// each.
[[nodiscard]] LineFit fit_line(std::span<const double> x, std::span<const double> y);

/// A fitted sum: y = sum over all columns of coefficient * value.
struct SumFit {
  std::vector<double> coefficients;  ///< one per column, >= 0
  std::size_t samples = 0;
  double residual = 0;  ///< median relative error, as in LineFit
};

/// Fits a cost with several parts, as fit_line() does: `values` has a row of `columns` numbers for every y.
[[nodiscard]] SumFit fit_sum(std::span<const double> values, std::size_t columns, std::span<const double> y);

/// Fits with one weight per sample and returns the absolute error of each sample, or nothing if the fit did not change.
using WeightedFit = std::function<std::optional<std::vector<double>>(std::span<const double> weights)>;

/// Fits robustly by iteratively reweighted least squares with Huber's weights (Huber 1964): samples with larger errors
/// get smaller weights. Calls `fit` at most 60 times, first with equal weights. Stops earlier if the fit no longer
/// changes or matches at least half of the samples exactly.
void fit_robustly(std::size_t samples, const WeightedFit& fit);

/// What is known about the x of fit_with_prior() before any sample.
struct Prior {
  std::vector<double> spread;  ///< standard deviation of each x around 0; above 0
  double noise = 1;            ///< of a usual sample; above 0
};

/// Returns the most probable x of A x = b, if x is normal around 0 and the errors of b have Student's distribution with
/// four degrees of freedom (Lange, Little and Taylor, Robust Statistical Modeling Using the t Distribution, 1989). Few
/// or small columns of A therefore leave x near 0, and a sample that contradicts the prior or the others counts less.
/// `a` contains A row by row, with one number for each entry of prior.spread. At most 60 rounds of O(samples *
/// columns^2).
[[nodiscard]] std::vector<double> fit_with_prior(std::span<const double> a, std::span<const double> b,
                                                 const Prior& prior);

}  // namespace stepsim

#endif
