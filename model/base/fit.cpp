#include "model/base/fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "model/base/error.h"
#include "model/base/median.h"

namespace stepsim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// An entry of the gradient that is smaller than this share of |b| is treated as a rounding error.
constexpr double kTolerance = 1e-12;

/// The state of Lawson and Hanson's method: a feasible x, and which entries are free (not fixed at 0). Columns are
/// scaled to length 1, so that one tolerance suits all of them.
class ActiveSets {
 public:
  ActiveSets(MatrixXd a, VectorXd b) : a_(std::move(a)), b_(std::move(b)), scale_(a_.colwise().norm()) {
    for (Index j = 0; j < a_.cols(); ++j) {
      if (scale_[j] > 0) a_.col(j) /= scale_[j];
    }
    x_ = VectorXd::Zero(a_.cols());
    free_.assign(static_cast<std::size_t>(a_.cols()), false);
  }

  [[nodiscard]] VectorXd solve() {
    // In exact arithmetic each round lowers |A x - b|, so no set of free entries repeats. Rounding can break this, so
    // the number of rounds is limited.
    for (Index round = 0; round < 3 * a_.cols(); ++round) {
      const std::optional<Index> entering = most_wanted();
      if (!entering.has_value()) break;
      set_free(*entering, true);
      move_to_best();
    }
    return (x_.array() / scale_.array().max(std::numeric_limits<double>::min())).matrix();
  }

 private:
  [[nodiscard]] bool is_free(Index j) const { return free_[static_cast<std::size_t>(j)]; }
  void set_free(Index j, bool free) { free_[static_cast<std::size_t>(j)] = free; }

  /// Returns the entry of x that is fixed at 0 and would lower the error fastest if it grew, or nothing if no such
  /// entry would lower it.
  [[nodiscard]] std::optional<Index> most_wanted() const {
    const VectorXd pull = a_.transpose() * (b_ - a_ * x_);
    std::optional<Index> best;
    for (Index j = 0; j < a_.cols(); ++j) {
      if (is_free(j) || pull[j] <= kTolerance * b_.norm()) continue;
      if (!best.has_value() || pull[j] > pull[*best]) best = j;
    }
    return best;
  }

  /// Moves towards the least squares solution over the free entries. Whenever an entry would become negative, stops
  /// there, fixes that entry at 0 and solves again.
  void move_to_best() {
    for (Index round = 0; round <= a_.cols(); ++round) {
      const VectorXd wanted = best_over_free();
      double step = 1;
      for (Index j = 0; j < a_.cols(); ++j) step = std::min(step, step_until_zero(j, wanted));
      for (Index j = 0; j < a_.cols(); ++j) {
        if (is_free(j) && step < 1 && step_until_zero(j, wanted) <= step) set_free(j, false);
        x_[j] = is_free(j) ? x_[j] + step * (wanted[j] - x_[j]) : 0;
      }
      if (step >= 1) return;
    }
  }

  /// Returns how far entry `j` can move towards `wanted` and stay above 0; 1 = all the way.
  [[nodiscard]] double step_until_zero(Index j, const VectorXd& wanted) const {
    return is_free(j) && wanted[j] < 0 ? x_[j] / (x_[j] - wanted[j]) : 1;
  }

  [[nodiscard]] VectorXd best_over_free() const {
    std::vector<Index> chosen;
    for (Index j = 0; j < a_.cols(); ++j) {
      if (is_free(j)) chosen.push_back(j);
    }
    VectorXd best = VectorXd::Zero(a_.cols());
    if (!chosen.empty()) best(chosen) = MatrixXd(a_(Eigen::all, chosen)).colPivHouseholderQr().solve(b_);
    return best;
  }

  MatrixXd a_;
  VectorXd b_;
  VectorXd scale_;
  VectorXd x_;
  std::vector<bool> free_;
};

/// Huber's tuning constant. With it, the fit is 95 % as efficient as least squares if the errors are normal and there
/// are no outliers (Huber 1964).
constexpr double kHuber = 1.345;
/// Ratio of the standard deviation of a normal distribution to its median absolute deviation.
constexpr double kDeviations = 1.4826;
constexpr int kRounds = 60;
/// The fit ends when a round changes no fitted value by more than this share of the largest value.
constexpr double kSettled = 1e-9;

/// Returns the error relative to the measurement. If the measurement is 0, any other value counts as 100 % off.
double relative_error(double measured, double fitted) {
  if (measured > 0) return std::abs(measured - fitted) / measured;
  return fitted > 0 ? 1 : 0;
}

/// Least squares with one row of values per sample.
class RowFit {
 public:
  RowFit(std::span<const double> values, std::size_t columns, std::span<const double> y)
      : values_(values), columns_(columns), y_(y), coefficients_(columns), fitted_(y.size()) {}

  /// Fits once with the given weights; see WeightedFit.
  std::optional<std::vector<double>> fit(std::span<const double> weights) {
    coefficients_ = solve(weights);
    if (!take_values()) return std::nullopt;
    std::vector<double> errors;
    for (std::size_t i = 0; i < y_.size(); ++i) errors.push_back(std::abs(y_[i] - fitted_[i]));
    return errors;
  }

  [[nodiscard]] SumFit result() && {
    std::vector<double> errors;
    for (std::size_t i = 0; i < y_.size(); ++i) errors.push_back(relative_error(y_[i], fitted_[i]));
    return {std::move(coefficients_), y_.size(), median(std::move(errors))};
  }

 private:
  [[nodiscard]] std::vector<double> solve(std::span<const double> weights) const {
    std::vector<double> a;
    std::vector<double> b;
    a.reserve(values_.size());
    b.reserve(y_.size());
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const double root = std::sqrt(weights[i]);
      for (std::size_t j = 0; j < columns_; ++j) a.push_back(root * values_[i * columns_ + j]);
      b.push_back(root * y_[i]);
    }
    return nonnegative_least_squares(a, columns_, b);
  }

  /// Recomputes the fitted values. Returns false if they did not change.
  bool take_values() {
    double change = 0;
    double largest = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      double value = 0;
      for (std::size_t j = 0; j < columns_; ++j) value += coefficients_[j] * values_[i * columns_ + j];
      change = std::max(change, std::abs(value - fitted_[i]));
      largest = std::max(largest, std::abs(value));
      fitted_[i] = value;
    }
    return change > kSettled * largest;
  }

  std::span<const double> values_;
  std::size_t columns_;
  std::span<const double> y_;
  std::vector<double> coefficients_;
  std::vector<double> fitted_;
};

}  // namespace

std::vector<double> nonnegative_least_squares(std::span<const double> a, std::size_t columns,
                                              std::span<const double> b) {
  STEPSIM_ASSERT(columns > 0 && a.size() == columns * b.size(), "a row of A for every entry of b");
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Index>(b.size());
  const Eigen::Map<const RowMajor> matrix(a.data(), rows, static_cast<Index>(columns));
  const Eigen::Map<const VectorXd> right(b.data(), rows);
  const VectorXd x = ActiveSets{matrix, right}.solve();
  return {x.begin(), x.end()};
}

void fit_robustly(std::size_t samples, const WeightedFit& fit) {
  std::vector<double> weights(samples, 1);
  for (int round = 0; round < kRounds; ++round) {
    const std::optional<std::vector<double>> errors = fit(weights);
    if (!errors) return;
    const double limit = kHuber * kDeviations * median(*errors);
    if (limit <= 0) return;
    for (std::size_t i = 0; i < samples; ++i) weights[i] = (*errors)[i] <= limit ? 1 : limit / (*errors)[i];
  }
}

SumFit fit_sum(std::span<const double> values, std::size_t columns, std::span<const double> y) {
  STEPSIM_ASSERT(columns > 0 && values.size() == columns * y.size(), "a row of values for every y");
  RowFit rows{values, columns, y};
  fit_robustly(y.size(), [&rows](std::span<const double> weights) { return rows.fit(weights); });
  return std::move(rows).result();
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

std::vector<double> fit_with_prior(std::span<const double> a, std::span<const double> b, const Prior& prior) {
  constexpr double kFreedom = 4;
  const auto columns = static_cast<Index>(prior.spread.size());
  const auto rows = static_cast<Index>(b.size());
  using RowByRow = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const MatrixXd values = Eigen::Map<const RowByRow>(a.data(), rows, columns);
  const VectorXd goal = Eigen::Map<const VectorXd>(b.data(), rows);
  const VectorXd stiffness =
      Eigen::Map<const VectorXd>(prior.spread.data(), columns).array().square().inverse().matrix();
  VectorXd x = VectorXd::Zero(columns);
  for (int round = 0; round < kRounds; ++round) {
    const VectorXd distance = (goal - values * x) / prior.noise;
    const VectorXd weight =
        ((kFreedom + 1) / (kFreedom + distance.array().square())).matrix() / (prior.noise * prior.noise);
    MatrixXd normal = values.transpose() * weight.asDiagonal() * values;
    normal.diagonal() += stiffness;
    const VectorXd next = normal.ldlt().solve(values.transpose() * (weight.asDiagonal() * goal));
    const bool settled = (next - x).norm() <= kTolerance * (1 + next.norm());
    x = next;
    if (settled) break;
  }
  return {x.data(), x.data() + x.size()};
}

}  // namespace stepsim
