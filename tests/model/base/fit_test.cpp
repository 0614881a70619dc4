#include "model/base/fit.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "model/base/median.h"
#include "model/base/units.h"

namespace stepsim {
namespace {

std::vector<double> line(const std::vector<double>& x, double intercept, double slope) {
  std::vector<double> y;
  y.reserve(x.size());
  for (const double value : x) y.push_back(intercept + slope * value);
  return y;
}

TEST(FitLineTest, SamplesOnALineGiveTheLine) {
  const std::vector<double> x{0, 1e3, 4e3, 1e6};
  const LineFit fit = fit_line(x, line(x, 25, 0.008));
  EXPECT_NEAR(fit.intercept, 25, 1e-6);
  EXPECT_NEAR(fit.slope, 0.008, 1e-12);
  EXPECT_EQ(fit.samples, 4U);
  EXPECT_NEAR(fit.residual, 0, 1e-9);
}

TEST(FitLineTest, AFifthOfSamplesFarOffDoNotMoveTheLine) {
  std::mt19937 rng(3);
  std::normal_distribution<double> noise(0, 2);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 200; ++i) {
    x.push_back(1000 + 100 * i);
    y.push_back(100 + 0.05 * x.back() + noise(rng));
    if (i % 5 == 2) y.back() *= 10;  // an outlier, which waited in a queue
  }
  const LineFit fit = fit_line(x, y);
  // Plain least squares would give a slope near 0.14, because a fifth of the samples are ten times as large: 0.05 *
  // (0.8 + 0.2 * 10).
  EXPECT_NEAR(fit.slope, 0.05, 0.05 * 0.01);
  EXPECT_NEAR(fit.intercept, 100, 5);
  EXPECT_LT(fit.residual, 0.01);
}

TEST(FitLineTest, SamplesThatAgreeOutvoteOneExactly) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<double> y = line(x, 10, 2);
  y[6] = 900;
  const LineFit fit = fit_line(x, y);
  EXPECT_NEAR(fit.intercept, 10, 1e-3);
  EXPECT_NEAR(fit.slope, 2, 1e-3);
}

TEST(FitLineTest, ALineThatWouldBeginBelowZeroBeginsAtZero) {
  // y = 2 x - 1. The best slope through the origin is sum(x y) / sum(x x) = 22 / 14. The samples are few and their
  // errors are similar, so none is an outlier.
  const LineFit fit = fit_line(std::vector<double>{1, 2, 3}, std::vector<double>{1, 3, 5});
  EXPECT_EQ(fit.intercept, 0);
  EXPECT_GT(fit.slope, 1);
  EXPECT_LT(fit.slope, 5.0 / 3);
}

TEST(FitLineTest, ALineThatWouldFallIsLevel) {
  const LineFit fit = fit_line(std::vector<double>{1, 2, 3, 4}, std::vector<double>{13, 12, 11, 10});
  EXPECT_EQ(fit.slope, 0);
  EXPECT_NEAR(fit.intercept, 11.5, 1e-9);
}

TEST(FitLineTest, OneDistinctSizeGivesTheSlopeAlone) {
  const LineFit fit = fit_line(std::vector<double>{4, 4, 4}, std::vector<double>{8, 8, 8});
  EXPECT_EQ(fit.intercept, 0);
  EXPECT_NEAR(fit.slope, 2, 1e-12);
}

TEST(FitLineTest, OneSampleGivesTheSlopeAlone) {
  const LineFit fit = fit_line(std::vector<double>{10}, std::vector<double>{5});
  EXPECT_EQ(fit.intercept, 0);
  EXPECT_NEAR(fit.slope, 0.5, 1e-12);
  EXPECT_EQ(fit.samples, 1U);
}

TEST(FitLineTest, TwoSamplesGiveTheLineThroughThem) {
  const LineFit fit = fit_line(std::vector<double>{1, 3}, std::vector<double>{7, 11});
  EXPECT_NEAR(fit.intercept, 5, 1e-9);
  EXPECT_NEAR(fit.slope, 2, 1e-9);
}

TEST(FitLineTest, SizesOfZeroGiveTheInterceptAlone) {
  const LineFit fit = fit_line(std::vector<double>{0, 0, 0}, std::vector<double>{6, 6, 6});
  EXPECT_NEAR(fit.intercept, 6, 1e-12);
  EXPECT_EQ(fit.slope, 0);
}

TEST(FitLineTest, NothingMeasuredGivesZero) {
  const LineFit none = fit_line({}, {});
  EXPECT_EQ(none.samples, 0U);
  EXPECT_EQ(none.intercept + none.slope + none.residual, 0);
  const LineFit zero = fit_line(std::vector<double>{0, 0}, std::vector<double>{0, 0});
  EXPECT_EQ(zero.intercept + zero.slope + zero.residual, 0);
  EXPECT_EQ(zero.samples, 2U);
}

TEST(FitSumTest, PartsOfACostAreToldApart) {
  // The function is 5 + 2 a + 0.5 b. The last sample, 500 instead of 11, is an outlier.
  const std::vector<double> values{1, 10, 0, 1, 20, 0, 1, 0, 10, 1, 0, 40, 1, 7, 7, 1, 3, 9};
  const SumFit fit = fit_sum(values, 3, std::vector<double>{25, 45, 10, 25, 22.5, 500});
  ASSERT_EQ(fit.coefficients.size(), 3U);
  EXPECT_NEAR(fit.coefficients[0], 5, 0.01);
  EXPECT_NEAR(fit.coefficients[1], 2, 0.01);
  EXPECT_NEAR(fit.coefficients[2], 0.5, 0.01);
  EXPECT_EQ(fit.samples, 6U);
  EXPECT_LT(fit.residual, 1e-3);
}

TEST(MedianTest, IsTheMiddleValueOrTheMeanOfTheTwoMiddleOnes) {
  using Numbers = std::vector<double>;
  EXPECT_EQ(median(Numbers{}), 0);
  EXPECT_EQ(median(Numbers{7}), 7);
  EXPECT_EQ(median(Numbers{9, 1, 5}), 5);
  EXPECT_EQ(median(Numbers{9, 1, 5, 2}), 3.5);
  EXPECT_EQ(upper_median(Numbers{9, 1, 5, 2}), 5);
  EXPECT_EQ(median(std::vector{Duration{4}, Duration{7}}), Duration{5});
}

TEST(MedianTest, MidmeanLeavesOutAQuarterAtEachEnd) {
  const auto of = [](std::initializer_list<int> values) {
    return midmean(std::vector<Duration>(values.begin(), values.end())).count();
  };
  EXPECT_EQ(of({}), 0);
  EXPECT_EQ(of({4, 7}), 5);
  EXPECT_EQ(of({50, 22, 21}), 22);
  EXPECT_EQ(of({90, 10, 12, 1, 13, 14}), 12);     // the mean of the middle values 12 and 13, rounded down
  EXPECT_EQ(of({1, 2, 10, 11, 15, 90, 95}), 12);  // the mean of 10, 11 and 15
  constexpr Duration kLargest = Duration::max();
  EXPECT_EQ(midmean(std::vector<Duration>(9, kLargest)), kLargest);
}

TEST(MedianTest, MeanOfDurationsIsRoundedDownAndDoesNotOverflow) {
  EXPECT_EQ(mean(std::vector<Duration>{}), Duration{});
  EXPECT_EQ(mean(std::vector{Duration{4}, Duration{7}, Duration{9}}), Duration{6});
  EXPECT_EQ(mean(std::vector<Duration>(3, Duration::max())), Duration::max());
}

TEST(FitLineTest, ResidualIsTheMedianRelativeError) {
  // A slope of 2 fits three of the samples exactly; the fourth is an outlier.
  const LineFit fit = fit_line(std::vector<double>{5, 5, 5, 5}, std::vector<double>{10, 10, 10, 15});
  EXPECT_NEAR(fit.slope, 2, 1e-6);
  EXPECT_NEAR(fit.residual, 0, 1e-6);
}

// Near the prior's centre, Student's weights are (4 + 1) / 4 of a normal error's. The best x of x = b is then that of
// two normal distributions: b w / (w + 1 / spread^2) with w = 1.25 / noise^2.
TEST(FitWithPriorTest, ASmallSampleMovesAsFarAsItsWeightSays) {
  constexpr double kGoal = 1e-4;
  const Prior prior{.spread = {0.2}, .noise = 0.1};
  const std::vector<double> x = fit_with_prior(std::vector<double>{1}, std::vector<double>{kGoal}, prior);
  const double weight = 1.25 / (0.1 * 0.1);
  EXPECT_NEAR(x[0], kGoal * weight / (weight + 1 / (0.2 * 0.2)), 1e-9);
}

TEST(FitWithPriorTest, ManySamplesThatAgreeGiveTheTruth) {
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 200; ++i) {
    a.insert(a.end(), {1.0, (i % 5) / 5.0});
    b.push_back(0.3 - 0.2 * a.back());
  }
  const std::vector<double> x = fit_with_prior(a, b, {.spread = {0.2, 0.2}, .noise = 0.05});
  EXPECT_NEAR(x[0], 0.3, 0.003);
  EXPECT_NEAR(x[1], -0.2, 0.006);
}

TEST(FitWithPriorTest, WhatNoSampleShowsStaysAtZero) {
  const std::vector<double> x =
      fit_with_prior(std::vector<double>{1, 0}, std::vector<double>{0.1}, {.spread = {0.2, 0.2}, .noise = 0.1});
  EXPECT_GT(x[0], 0.05);
  EXPECT_EQ(x[1], 0);
}

TEST(FitWithPriorTest, OneSampleOfTenThatIsFarOffHardlyCounts) {
  const std::vector<double> a(10, 1);
  std::vector<double> b(10, 0.1);
  const Prior prior{.spread = {0.3}, .noise = 0.05};
  const double without = fit_with_prior(a, b, prior)[0];
  b[3] = 5;
  EXPECT_NEAR(fit_with_prior(a, b, prior)[0], without, 0.005);  // the mean moves by 0.49
}

// Half of a part's cost is known better than the other half: where samples cannot tell two columns apart, the
// corrections are in proportion to the squares of the spreads.
TEST(FitWithPriorTest, ColumnsThatLookAlikeShareByTheirSpreads) {
  const std::vector<double> x =
      fit_with_prior(std::vector<double>{1, 1}, std::vector<double>{0.01}, {.spread = {0.3, 0.1}, .noise = 0.05});
  EXPECT_NEAR(x[0] / x[1], 9, 1e-6);
}

}  // namespace
}  // namespace stepsim
