#include "scenarios/answer/factors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stepsim::scenarios {
namespace {

TEST(ModelErrorTest, AnUnchangedAnswerIsNoExtrapolation) {
  EXPECT_EQ(extrapolation_error({.change = 1}).most, 1);
  EXPECT_EQ(extrapolation_error({.change = 1, .link_rate_error = 0.3}).most, 1);
}

TEST(ModelErrorTest, ExtrapolationGrowsWithTheDistanceEitherWay) {
  const double half = extrapolation_error({.change = 0.5}).most;
  EXPECT_NEAR(half, extrapolation_error({.change = 2}).most, 1e-12);
  EXPECT_NEAR(extrapolation_error({.change = 4}).most, half * half, 1e-12);
  EXPECT_NEAR(extrapolation_error({.change = 4}).least, 1 / (half * half), 1e-12);
}

TEST(ModelErrorTest, ARateThatIsOffIsOffByThatPartOfWhatChanges) {
  // 50 of the 100 ms scale with the links' rate, so twice the rate gives 75 ms. If the rate has an error of a tenth,
  // that part was 45 or 55 ms and the constant part 55 or 45 ms. Then the answer would be 77.5 or 72.5 ms.
  const ModelCase of{.change = 0.75, .link_rate_error = 0.1};
  const Factors error = extrapolation_error(of);
  EXPECT_TRUE(is_worse_for_links(of));
  EXPECT_NEAR(error.most, 1 + 0.1 * (1 / 0.75 - 1), 1e-12);
  EXPECT_NEAR(75 * error.most, 77.5, 1e-9);
}

TEST(ModelErrorTest, OtherSettingsAreLessCertainThanOtherRates) {
  const ModelCase rates{.change = 2};
  const ModelCase settings{.change = 2, .settings_changed = true};
  EXPECT_GT(usual_error(settings).most, usual_error(rates).most);
  EXPECT_NEAR(usual_error(rates).most, std::exp(kUsualModelError), 1e-12);
}

}  // namespace
}  // namespace stepsim::scenarios
