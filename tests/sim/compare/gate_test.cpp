#include "sim/compare/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "tests/sim/compare/sides.h"

namespace stepsim::sim {
namespace {

using ::testing::HasSubstr;
using testing::side;
using ::testing::StartsWith;

Gate gate(const Side& a, const Side& b, double limit) {
  return gate_of(difference_of(a, b, By::kName, RowOrder::kDifference), limit);
}

/// A hundred steps around `iteration`, each `spread` off one way or the other.
Side around(std::int64_t iteration, std::int64_t spread) {
  std::vector<std::int64_t> steps(100, iteration + spread);
  for (std::size_t i = 1; i < steps.size(); i += 2) steps[i] = iteration - spread;
  return side(iteration, steps);
}

TEST(GateTest, FailsBeyondTheLimitAndTheNoise) {
  // The noise is 1.98 * sqrt(2 * pi/2 * 100 * 100 / 99 / 100) = 3.5 per mille: 3.3 % is within 3 % and that, 3.4 % is
  // not.
  EXPECT_FALSE(gate(around(1'000'000, 10'000), around(1'020'000, 10'000), 0.03).failed);
  EXPECT_FALSE(gate(around(1'000'000, 10'000), around(1'033'000, 10'000), 0.03).failed);
  EXPECT_TRUE(gate(around(1'000'000, 10'000), around(1'034'000, 10'000), 0.03).failed);
  EXPECT_TRUE(gate(around(1'000'000, 10'000), around(1'080'000, 10'000), 0.03).failed);
}

TEST(GateTest, ExactlyTheLimitPasses) {
  EXPECT_FALSE(gate(side(1000, {1000, 1000}), side(1030, {1030, 1030}), 0.03).failed);
}

TEST(GateTest, FasterPasses) {
  const Gate passed = gate(around(1'000'000, 10'000), around(500'000, 10'000), 0);
  EXPECT_FALSE(passed.failed);
  EXPECT_THAT(passed.sentence, StartsWith("passed: B is 50.0 % faster than A"));
}

TEST(GateTest, WithoutKnownNoiseTheDifferenceDecides) {
  const Gate failed = gate(side(1000, {1000}), side(1031, {1031}), 0.03);
  EXPECT_TRUE(failed.failed);
  EXPECT_THAT(failed.sentence, HasSubstr("noise is not known"));
  EXPECT_FALSE(gate(side(1000, {1000}), side(1030, {1030}), 0.03).failed);
}

TEST(GateTest, TheSentenceSaysThatNoiseSavedIt) {
  EXPECT_THAT(gate(around(1'000'000, 10'000), around(1'033'000, 10'000), 0.03).sentence,
              AllOf(StartsWith("passed: B is 3.3 % slower"), HasSubstr("within the noise")));
}

TEST(GateTest, ASideWithoutIterationsIsRefused) {
  Side tasks = side(0);
  tasks.iteration.reset();
  EXPECT_THROW((void)gate(tasks, side(1), 0.03), UsageError);
}

}  // namespace
}  // namespace stepsim::sim
