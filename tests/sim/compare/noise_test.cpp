#include "sim/compare/difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/sim/compare/sides.h"

namespace stepsim::sim {
namespace {

using testing::side;

TEST(NoiseTest, IsStudentsTimesTheStandardErrorOfTheMedians) {
  // Steps of 90, 100 and 110 us have a variance of 100, and their median has one of pi/2 * 100 / 3. The difference of
  // two such sides has twice that. Student's t for 4 degrees of freedom is 2.776.
  const Side one = side(100'000, {90'000, 100'000, 110'000});
  const double error = std::sqrt(2 * std::numbers::pi / 2 * 1e8 / 3);
  const auto noise = noise_of_difference(one, one);
  ASSERT_TRUE(noise);
  EXPECT_NEAR(static_cast<double>(noise->count()), 2.776445 * error, 1);
}

TEST(NoiseTest, IsNotKnownOfOneStep) {
  EXPECT_EQ(noise_of_difference(side(100, {100}), side(100, {90, 100})), std::nullopt);
  EXPECT_EQ(noise_of_difference(side(100), side(100, {90, 100})), std::nullopt);
}

TEST(NoiseTest, IsNothingWhereAllStepsAreEqual) {
  EXPECT_EQ(noise_of_difference(side(100, {100, 100}), side(90, {90, 90})), Duration{0});
}

TEST(NoiseTest, UncertaintiesAddAsSquares) {
  Side a = side(100);
  Side b = side(100);
  a.uncertainty = Duration{30};
  b.uncertainty = Duration{40};
  EXPECT_EQ(noise_of_difference(a, b), Duration{50});
}

}  // namespace
}  // namespace stepsim::sim
