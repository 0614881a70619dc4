#include "model/base/nonnegative_least_squares.h"

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "model/base/error.h"

namespace stepsim {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A column's pull below this share of |b| is rounding.
constexpr double kTolerance = 1e-12;

/// The state of Lawson and Hanson's method: a feasible x, and which entries are free, that is
/// not held at 0. Columns are scaled to length 1, so that one tolerance fits them all.
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
    // Each round lowers |A x - b|, so no set of free entries comes twice; the bound is for
    // rounding, which knows no such promise.
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

  /// The entry held at 0 that would lower the error fastest if it grew.
  [[nodiscard]] std::optional<Index> most_wanted() const {
    const VectorXd pull = a_.transpose() * (b_ - a_ * x_);
    std::optional<Index> best;
    for (Index j = 0; j < a_.cols(); ++j) {
      if (is_free(j) || pull[j] <= kTolerance * b_.norm()) continue;
      if (!best.has_value() || pull[j] > pull[*best]) best = j;
    }
    return best;
  }

  /// Goes towards the least squares solution over the free entries; whenever an entry would
  /// turn negative on the way it stops there, holds that one at 0 and solves again.
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

  /// How far towards `wanted` entry `j` stays above 0; 1 = all the way.
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

}  // namespace stepsim
