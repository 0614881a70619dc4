#include "model/calibration/fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/calibration/nonnegative_least_squares.h"
#include "model/error.h"

namespace stepsim {
namespace {

/// Huber's k: 95 % as efficient as least squares where there is no outlier (Huber 1964).
constexpr double kHuber = 1.345;
/// The standard deviation of a normal distribution over its median absolute deviation.
constexpr double kDeviations = 1.4826;
constexpr int kRounds = 60;
/// Rounds that change the line by less than this share of it end the fit.
constexpr double kSettled = 1e-9;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

/// A sample's error relative to it. Where nothing was measured any other answer is wholly wrong.
double relative_error(double measured, double fitted) {
  if (measured > 0) return std::abs(measured - fitted) / measured;
  return fitted > 0 ? 1 : 0;
}

/// A line, fitted by least squares over and over with the weight of a sample falling with its error.
class RobustLine {
 public:
  RobustLine(std::span<const double> x, std::span<const double> y)
      : x_(x),
        y_(y),
        weights_(x.size(), 1),
        has_slope_(std::any_of(x.begin(), x.end(), [](double value) { return value != 0; })),
        has_intercept_(!has_slope_ || std::any_of(x.begin(), x.end(), [&x](double value) { return value != x[0]; })) {}

  [[nodiscard]] LineFit fit() {
    for (int round = 0; round < kRounds; ++round) {
      const double before = line_.intercept + line_.slope * largest_x();
      solve();
      const double after = line_.intercept + line_.slope * largest_x();
      if (!reweigh() || std::abs(after - before) <= kSettled * after) break;
    }
    line_.samples = x_.size();
    std::vector<double> errors;
    for (std::size_t i = 0; i < x_.size(); ++i) errors.push_back(relative_error(y_[i], at(x_[i])));
    line_.residual = median(std::move(errors));
    return line_;
  }

 private:
  [[nodiscard]] double at(double x) const { return line_.intercept + line_.slope * x; }
  [[nodiscard]] double largest_x() const { return *std::max_element(x_.begin(), x_.end()); }

  void solve() {
    std::vector<double> a;
    std::vector<double> b;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double root = std::sqrt(weights_[i]);
      if (has_intercept_) a.push_back(root);
      if (has_slope_) a.push_back(root * x_[i]);
      b.push_back(root * y_[i]);
    }
    const std::size_t columns = (has_intercept_ ? 1U : 0U) + (has_slope_ ? 1U : 0U);
    const std::vector<double> best = nonnegative_least_squares(a, columns, b);
    if (has_intercept_) line_.intercept = best.front();
    if (has_slope_) line_.slope = best.back();
  }

  /// False if the line goes through most samples as it is.
  bool reweigh() {
    std::vector<double> errors;
    for (std::size_t i = 0; i < x_.size(); ++i) errors.push_back(std::abs(y_[i] - at(x_[i])));
    const double limit = kHuber * kDeviations * median(errors);
    if (limit <= 0) return false;
    for (std::size_t i = 0; i < x_.size(); ++i) weights_[i] = errors[i] <= limit ? 1 : limit / errors[i];
    return true;
  }

  std::span<const double> x_;
  std::span<const double> y_;
  std::vector<double> weights_;
  bool has_slope_;
  bool has_intercept_;
  LineFit line_;
};

}  // namespace

LineFit fit_line(std::span<const double> x, std::span<const double> y) {
  STEPSIM_ASSERT(x.size() == y.size(), "a y for every x");
  return x.empty() ? LineFit{} : RobustLine{x, y}.fit();
}

}  // namespace stepsim
