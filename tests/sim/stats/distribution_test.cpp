#include "sim/stats/distribution.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace stepsim::testing {
namespace {

using sim::Distribution;

TEST(DistributionTest, OfEachGroup) {
  // Group 0 has 2, 4, 4, 4, 5, 5, 7, 9, with mean 5 and standard deviation 2. Group 2 has 10. Group 1 is empty.
  const std::array<std::uint32_t, 9> group{0, 0, 2, 0, 0, 0, 0, 0, 0};
  const std::array<int, 9> numbers{9, 2, 10, 4, 4, 5, 4, 7, 5};
  std::vector<Duration> lengths;
  for (const int number : numbers) lengths.emplace_back(number);
  const std::vector<Distribution> made = sim::distributions(group, lengths, 3);
  ASSERT_EQ(made.size(), 3U);
  EXPECT_EQ(made[0].count, 8U);
  EXPECT_EQ(made[0].total, Duration{40});
  EXPECT_EQ(made[0].shortest, Duration{2});
  EXPECT_EQ(made[0].longest, Duration{9});
  EXPECT_EQ(made[0].median, Duration{4});  // mean of 4 and 5, rounded down
  EXPECT_DOUBLE_EQ(made[0].mean_ns, 5);
  EXPECT_DOUBLE_EQ(made[0].deviation_ns, 2);
  EXPECT_EQ(made[1].count, 0U);
  EXPECT_EQ(made[2].median, Duration{10});
  EXPECT_DOUBLE_EQ(made[2].deviation_ns, 0);
}

TEST(DistributionTest, AMedianOfThreeIsTheMiddleOne) {
  const std::array<std::uint32_t, 3> group{};
  const std::array<Duration, 3> lengths{Duration{100}, Duration{1}, Duration{7}};
  EXPECT_EQ(sim::distributions(group, lengths, 1).front().median, Duration{7});
}

TEST(DistributionTest, ASumThatDoesNotFitIsTheLongestDuration) {
  const std::array<std::uint32_t, 2> group{};
  const std::array<Duration, 2> lengths{Duration::max(), Duration::max()};
  EXPECT_EQ(sim::distributions(group, lengths, 1).front().total, Duration::max());
  EXPECT_EQ(sim::distributions(group, lengths, 1).front().median, Duration::max());
}

}  // namespace
}  // namespace stepsim::testing
