#include "ingest/stitch/clocks.h"

#include <gtest/gtest.h>

namespace stepsim::ingest {
namespace {

/// Estimates that b's clock is ahead of a's clock by `ahead` nanoseconds, with an error of at most `open` nanoseconds.
ClockDifference estimate(std::uint32_t a, std::uint32_t b, std::int64_t ahead, std::int64_t open, double weight = 1) {
  return {a, b, {Duration{ahead - open}, Duration{ahead + open}}, Duration{ahead}, weight};
}

ClockDifference bounded(std::uint32_t a, std::uint32_t b, std::int64_t least, std::int64_t most) {
  return {a, b, {Duration{least}, Duration{most}}};
}

TEST(ClocksTest, ResidualsAddUpOnTheShortestWayToTheReference) {
  const auto clocks = align_clocks(4, 0, {estimate(0, 1, 10, 3), estimate(2, 1, -5, 2)});
  EXPECT_EQ(clocks[1].offset, Duration{10});
  EXPECT_EQ(clocks[1].residual, Duration{3});
  EXPECT_EQ(clocks[2].offset, Duration{15});
  EXPECT_EQ(clocks[2].residual, Duration{3 + 2});
  EXPECT_TRUE(clocks[0].known && clocks[1].known && clocks[2].known);
  EXPECT_FALSE(clocks[3].known);
}

TEST(ClocksTest, DifferencesOfACycleAreMetBySmallestSquares) {
  // The direct estimate says that clock 1 is ahead of clock 0 by 10 ns. Via clock 2 it is ahead by 0 + 4 ns. Each of
  // the three estimates is changed by a third of the difference of 6 ns.
  const auto clocks = align_clocks(3, 0, {estimate(0, 1, 10, 5), estimate(0, 2, 0, 5), estimate(2, 1, 4, 5)});
  EXPECT_EQ(clocks[1].offset, Duration{10 - 2});
  EXPECT_EQ(clocks[2].offset, Duration{0 + 2});
  EXPECT_EQ(clocks[1].residual, Duration{5 + 2});  // the estimate's uncertainty of 5 ns, plus its change of 2 ns
}

TEST(ClocksTest, EstimatesOfATreeAreExactHoweverFarApartClocksAre) {
  constexpr std::int64_t kSince1970 = 1'700'000'000'123'456'789;  // too large for a double to represent exactly
  const auto clocks = align_clocks(3, 1, {estimate(1, 0, kSince1970, 0), estimate(2, 1, -kSince1970, 0)});
  EXPECT_EQ(clocks[0].offset, Duration{kSince1970});
  EXPECT_EQ(clocks[2].offset, Duration{kSince1970});
  EXPECT_EQ(clocks[1].offset, Duration{});
}

TEST(ClocksTest, ClocksThatMayAgreeAreTakenToAgreeElseTheMiddleOfTheBounds) {
  const auto clocks = align_clocks(3, 0, {bounded(0, 1, -10, 100), bounded(0, 2, 40, 100)});
  EXPECT_EQ(clocks[1].offset, Duration{});
  EXPECT_EQ(clocks[1].residual, Duration{100});
  EXPECT_EQ(clocks[2].offset, Duration{70});
  EXPECT_EQ(clocks[2].residual, Duration{30});
}

TEST(ClocksTest, BoundsAddUpAlongChainsAndTheTightestChainCounts) {
  // Via clock 1, clock 2 is ahead of clock 0 by at least 40 + 10 ns and at most 60 + 30 ns. Directly, it is ahead by at
  // most 70 ns.
  const auto clocks =
      align_clocks(3, 0, {bounded(0, 1, 40, 60), bounded(1, 2, 10, 30), {0, 2, {std::nullopt, Duration{70}}}});
  EXPECT_EQ(clocks[2].offset, Duration{(50 + 70) / 2});
  EXPECT_EQ(clocks[2].residual, Duration{10});
}

TEST(ClocksTest, ABoundOnOneSideTiesNoClock) {
  const auto clocks = align_clocks(2, 0, {{0, 1, {std::nullopt, Duration{70}}}});
  EXPECT_FALSE(clocks[1].known);
  EXPECT_EQ(clocks[1].offset, Duration{});
}

TEST(ClocksTest, BoundsThatContradictEachOtherLeaveTheirDistanceOpen) {
  // The clock is ahead by at least 90 ns and by at most 40 ns. The middle is off by 25 ns from each bound.
  const auto clocks = align_clocks(2, 0, {bounded(0, 1, 90, 40)});
  EXPECT_EQ(clocks[1].offset, Duration{65});
  EXPECT_EQ(clocks[1].residual, Duration{25});
}

}  // namespace
}  // namespace stepsim::ingest
