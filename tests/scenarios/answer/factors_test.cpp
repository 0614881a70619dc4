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

TEST(WidenedTest, LogarithmsAreMultiplied) {
  const Factors twice = widened({0.5, 3}, 2);
  EXPECT_DOUBLE_EQ(twice.least, 0.25);
  EXPECT_DOUBLE_EQ(twice.most, 9);
  const Factors none = widened({0.5, 3}, 0);
  EXPECT_EQ(none.least, 1);
  EXPECT_EQ(none.most, 1);
  EXPECT_EQ(widened({1, 1}, 5).most, 1) << "no width stays none";
  EXPECT_GT(widened({0, 1}, 2).least, 0);
}

TEST(ShareOfChangeTest, GrowsToTheWholeBothWays) {
  EXPECT_EQ(share_of_change(1), 0);
  EXPECT_NEAR(share_of_change(1.01), std::log(1.01) / std::log(kWholeChange), 1e-12);
  EXPECT_NEAR(share_of_change(1 / 1.01), share_of_change(1.01), 1e-12);
  for (const double whole : {0.0, 0.5, 1 / kWholeChange, kWholeChange, 2.0})
    EXPECT_NEAR(share_of_change(whole), 1, 1e-12);
}

TEST(UsualErrorTest, OfRatesIsInProportionToASmallChange) {
  const auto error = [](ModelCase of) { return std::log(usual_error(of).most); };
  EXPECT_EQ(error({.change = 1}), 0);
  EXPECT_NEAR(error({.change = 1, .times_links = true}), kUsualModelError, 1e-12) << "that of the captured job";
  EXPECT_NEAR(error({.change = 2}), kUsualModelError, 1e-12);
  EXPECT_NEAR(error({.change = std::sqrt(kWholeChange)}), kUsualModelError / 2, 1e-12);
  EXPECT_NEAR(error({.change = 1, .settings_changed = true}), kSettingsError, 1e-12);
}

}  // namespace
}  // namespace stepsim::scenarios
