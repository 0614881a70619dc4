#include "model/base/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace stepsim {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

struct Problem {
  std::size_t columns = 0;
  std::vector<double> a;
  std::vector<double> b;
};

double squared_error(const Problem& problem, const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t row = 0; row < problem.b.size(); ++row) {
    double error = -problem.b[row];
    for (std::size_t j = 0; j < problem.columns; ++j) error += problem.a[row * problem.columns + j] * x[j];
    sum += error * error;
  }
  return sum;
}

/// Solves the normal equations of the chosen columns by Gaussian elimination with pivoting. Returns nothing if the
/// columns are linearly dependent.
std::optional<std::vector<double>> least_squares_over(const Problem& problem, const std::vector<std::size_t>& chosen) {
  const std::size_t n = chosen.size();
  std::vector<std::vector<double>> m(n, std::vector<double>(n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t row = 0; row < problem.b.size(); ++row) {
      const double left = problem.a[row * problem.columns + chosen[i]];
      for (std::size_t j = 0; j < n; ++j) m[i][j] += left * problem.a[row * problem.columns + chosen[j]];
      m[i][n] += left * problem.b[row];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto pivot = std::max_element(m.begin() + static_cast<std::ptrdiff_t>(i), m.end(),
                                        [i](const auto& p, const auto& q) { return std::abs(p[i]) < std::abs(q[i]); });
    std::swap(m[i], *pivot);
    if (std::abs(m[i][i]) < 1e-9) return std::nullopt;
    for (std::size_t k = 0; k < n; ++k) {
      const double factor = k == i ? 0 : m[k][i] / m[i][i];
      for (std::size_t j = i; j <= n; ++j) m[k][j] -= factor * m[i][j];
    }
  }
  std::vector<double> x(problem.columns);
  for (std::size_t i = 0; i < n; ++i) x[chosen[i]] = m[i][n] / m[i][i];
  return x;
}

/// Solves the problem for each set of entries that may be positive, with all other entries 0, and returns the best
/// solution without negative entries.
std::vector<double> by_brute_force(const Problem& problem) {
  std::vector<double> best(problem.columns);
  for (unsigned set = 1; set < 1U << problem.columns; ++set) {
    std::vector<std::size_t> chosen;
    for (std::size_t j = 0; j < problem.columns; ++j) {
      if ((set >> j) % 2 == 1) chosen.push_back(j);
    }
    const auto x = least_squares_over(problem, chosen);
    if (!x.has_value() || std::any_of(x->begin(), x->end(), [](double value) { return value < 0; })) continue;
    if (squared_error(problem, *x) < squared_error(problem, best)) best = *x;
  }
  return best;
}

std::vector<double> solve(const Problem& problem) {
  return nonnegative_least_squares(problem.a, problem.columns, problem.b);
}

Problem random_problem(std::mt19937& rng) {
  std::normal_distribution<double> number(0, 1);
  Problem problem;
  problem.columns = 1 + rng() % 6;
  const std::size_t rows = problem.columns + rng() % 6;
  for (std::size_t i = 0; i < rows * problem.columns; ++i) problem.a.push_back(number(rng));
  for (std::size_t i = 0; i < rows; ++i) problem.b.push_back(number(rng));
  return problem;
}

TEST(NonnegativeLeastSquaresTest, EqualsTheBestOverAllActiveSets) {
  std::mt19937 rng(7);
  for (int i = 0; i < 500; ++i) {
    const Problem problem = random_problem(rng);
    EXPECT_THAT(solve(problem), Pointwise(DoubleNear(1e-7), by_brute_force(problem))) << "problem " << i;
  }
}

TEST(NonnegativeLeastSquaresTest, ColumnsOfVeryDifferentSizeAreFittedAlike) {
  // The samples are y = 3e-5 + 8e-9 x for messages of up to 10 MB, so the columns differ by seven orders of magnitude.
  Problem problem{.columns = 2, .a = {}, .b = {}};
  for (const double x : {1e3, 1e5, 1e6, 1e7}) {
    problem.a.insert(problem.a.end(), {1, x});
    problem.b.push_back(3e-5 + 8e-9 * x);
  }
  const std::vector<double> x = solve(problem);
  EXPECT_NEAR(x[0], 3e-5, 1e-10);
  EXPECT_NEAR(x[1], 8e-9, 1e-15);
}

TEST(NonnegativeLeastSquaresTest, AnEntryThatWouldBeNegativeIsZero) {
  // The solution without the bound would be x = (3, -1).
  EXPECT_THAT(solve({.columns = 2, .a = {1, 0, 0, 1}, .b = {3, -1}}), ElementsAre(DoubleNear(3, 1e-12), 0));
}

TEST(NonnegativeLeastSquaresTest, NothingFitsBetterThanZeroWhereAllPullsAreNegative) {
  EXPECT_THAT(solve({.columns = 2, .a = {1, 2, 3, 4}, .b = {-1, -2}}), ElementsAre(0, 0));
  EXPECT_THAT(solve({.columns = 2, .a = {1, 2, 3, 4}, .b = {0, 0}}), ElementsAre(0, 0));
}

TEST(NonnegativeLeastSquaresTest, ColumnsThatDependOnEachOtherStillFit) {
  const Problem problem{.columns = 3, .a = {1, 2, 0, 2, 4, 0, 3, 6, 0}, .b = {5, 10, 15}};
  const std::vector<double> x = solve(problem);
  EXPECT_NEAR(squared_error(problem, x), 0, 1e-20);
  EXPECT_EQ(x[2], 0);  // a column of zeros has no effect
}

TEST(NonnegativeLeastSquaresTest, NoRowsGiveZero) {
  EXPECT_THAT(nonnegative_least_squares({}, 2, {}), ElementsAre(0, 0));
}

}  // namespace
}  // namespace stepsim
