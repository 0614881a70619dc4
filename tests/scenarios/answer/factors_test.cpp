#include "scenarios/answer/factors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace stepsim::scenarios {
namespace {

TEST(IndependentTest, NoSourceHasNoWidth) {
  const Factors none = independent({});
  EXPECT_EQ(none.least, 1);
  EXPECT_EQ(none.most, 1);
}

TEST(IndependentTest, OneSourceStaysAsItIs) {
  const std::vector<Factors> one{{0.8, 1.3}};
  EXPECT_NEAR(independent(one).least, 0.8, 1e-12);
  EXPECT_NEAR(independent(one).most, 1.3, 1e-12);
}

TEST(IndependentTest, LogarithmsAddAsSquares) {
  // The logarithms of independent factors add up by their squares: 3^2 + 4^2 = 5^2.
  const std::vector<Factors> two{{std::exp(-0.03), std::exp(0.3)}, {std::exp(-0.04), std::exp(0.4)}};
  EXPECT_NEAR(independent(two).least, std::exp(-0.05), 1e-12);
  EXPECT_NEAR(independent(two).most, std::exp(0.5), 1e-12);
}

TEST(IndependentTest, IsAtLeastTheWidestSourceAndAtMostTheProduct) {
  const std::vector<Factors> sources{{0.9, 1.0}, {0.7, 1.2}, {1.0, 1.05}};
  const Factors all = independent(sources);
  EXPECT_LE(all.least, 0.7);
  EXPECT_GE(all.least, 0.9 * 0.7);
  EXPECT_GE(all.most, 1.2);
  EXPECT_LE(all.most, 1.2 * 1.05);
}

TEST(IndependentTest, AFactorOfZeroIsFinite) {
  const std::vector<Factors> zero{{0, 1}};
  EXPECT_GT(independent(zero).least, 0);
}

TEST(OnTopTest, IsTheProduct) {
  const Factors both = on_top({0.5, 1.1}, {0.8, 1.2});
  EXPECT_DOUBLE_EQ(both.least, 0.4);
  EXPECT_DOUBLE_EQ(both.most, 1.32);
}

}  // namespace
}  // namespace stepsim::scenarios
