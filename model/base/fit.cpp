#include "model/base/fit.h"

#include <algorithm>
#include <cmath>

#include "model/base/error.h"
#include "model/base/nonnegative_least_squares.h"

namespace stepsim {
namespace {

/// Huber's k: 95 % as efficient as least squares where there is no outlier (Huber 1964).
constexpr double kHuber = 1.345;
/// The standard deviation of a normal distribution over its median absolute deviation.
constexpr double kDeviations = 1.4826;
constexpr int kRounds = 60;
/// Rounds that change every fitted value by less than this share of the largest end the fit.
constexpr double kSettled = 1e-9;

/// A sample's error relative to it. Where nothing was measured any other answer is wholly wrong.
double relative_error(double measured, double fitted) {
  if (measured > 0) return std::abs(measured - fitted) / measured;
  return fitted > 0 ? 1 : 0;
}

/// Least squares over and over, the weight of a sample falling with its error.
class RobustFit {
 public:
  RobustFit(std::span<const double> values, std::size_t columns, std::span<const double> y)
      : values_(values), columns_(columns), y_(y), weights_(y.size(), 1), fitted_(y.size()) {}

  [[nodiscard]] SumFit fit() {
    std::vector<double> coefficients(columns_);
    for (int round = 0; round < kRounds; ++round) {
      coefficients = solve();
      if (!take(coefficients) || !reweigh()) break;
    }
    std::vector<double> errors;
    for (std::size_t i = 0; i < y_.size(); ++i) errors.push_back(relative_error(y_[i], fitted_[i]));
    return {std::move(coefficients), y_.size(), median(std::move(errors))};
  }

 private:
  [[nodiscard]] std::vector<double> solve() const {
    std::vector<double> a;
    std::vector<double> b;
    a.reserve(values_.size());
    b.reserve(y_.size());
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double root = std::sqrt(weights_[i]);
      for (std::size_t j = 0; j < columns_; ++j) a.push_back(root * values_[i * columns_ + j]);
      b.push_back(root * y_[i]);
    }
    return nonnegative_least_squares(a, columns_, b);
  }

  /// False if the fitted values are as they were.
  bool take(const std::vector<double>& coefficients) {
    double change = 0;
    double largest = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      double value = 0;
      for (std::size_t j = 0; j < columns_; ++j) value += coefficients[j] * values_[i * columns_ + j];
      change = std::max(change, std::abs(value - fitted_[i]));
      largest = std::max(largest, std::abs(value));
      fitted_[i] = value;
    }
    return change > kSettled * largest;
  }

  /// False if the fit goes through most samples as it is.
  bool reweigh() {
    std::vector<double> errors;
    for (std::size_t i = 0; i < y_.size(); ++i) errors.push_back(std::abs(y_[i] - fitted_[i]));
    const double limit = kHuber * kDeviations * median(errors);
    if (limit <= 0) return false;
    for (std::size_t i = 0; i < y_.size(); ++i) weights_[i] = errors[i] <= limit ? 1 : limit / errors[i];
    return true;
  }

  std::span<const double> values_;
  std::size_t columns_;
  std::span<const double> y_;
  std::vector<double> weights_;
  std::vector<double> fitted_;
};

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

SumFit fit_sum(std::span<const double> values, std::size_t columns, std::span<const double> y) {
  STEPSIM_ASSERT(columns > 0 && values.size() == columns * y.size(), "a row of values for every y");
  return RobustFit{values, columns, y}.fit();
}

LineFit fit_line(std::span<const double> x, std::span<const double> y) {
  STEPSIM_ASSERT(x.size() == y.size(), "a y for every x");
  const bool all_zero = std::all_of(x.begin(), x.end(), [](double value) { return value == 0; });
  const bool all_equal = std::all_of(x.begin(), x.end(), [&x](double value) { return value == x[0]; });
  std::vector<double> rows;
  for (const double value : x) {
    if (all_zero || !all_equal) rows.push_back(1);
    if (!all_zero) rows.push_back(value);
  }
  const SumFit fit = fit_sum(rows, all_equal ? 1 : 2, y);
  return {all_equal && !all_zero ? 0 : fit.coefficients.front(), all_zero ? 0 : fit.coefficients.back(), fit.samples,
          fit.residual};
}

}  // namespace stepsim
