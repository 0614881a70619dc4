#include "sim/stats/launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/stats/launched_work.h"

namespace stepsim::testing {
namespace {

using sim::LaunchUse;

TEST(LaunchesTest, CallDelayAndWorkByName) {
  LaunchedWork made;
  const LaneId stream = made.work.stream(0, 0, "stream 7");
  made.add(stream, "gemm", 0, 10, 25, 125);     // starts 15 ns after the end of its call
  made.add(stream, "gemm", 20, 24, 125, 325);   // starts 101 ns after the end of its call
  made.add(stream, "relu", 30, 50, 325, 330);   // the kernel is shorter than its call
  made.add(stream, "relu", 60, 400, 390, 800);  // the kernel begins before its call returns
  made.work.add(stream, TaskKind::kKernel, "unlaunched", 900, 950);
  const sim::MeasuredWork work = made.measured();
  const std::vector<LaunchUse> use = sim::launch_use(work, sim::launches(work));
  ASSERT_EQ(use.size(), 2U);
  EXPECT_EQ(use[0].name, "relu");  // its kernels take 415 ns
  EXPECT_EQ(use[0].work.total, Duration{415});
  EXPECT_EQ(use[0].call.longest, Duration{340});
  EXPECT_EQ(use[0].delay.shortest, Duration{0});
  EXPECT_EQ(use[0].delay.longest, Duration{275});
  EXPECT_EQ(use[0].short_ones, 1U);
  EXPECT_EQ(use[1].name, "gemm");  // its kernels take 300 ns
  EXPECT_EQ(use[1].call.total, Duration{14});
  EXPECT_EQ(use[1].delay.total, Duration{116});
  EXPECT_EQ(use[1].delay.median, Duration{58});
  EXPECT_EQ(use[1].short_ones, 0U);
}

TEST(LaunchesTest, NothingWithoutCalls) {
  LaunchedWork made;
  made.work.add(made.work.stream(0, 0, "stream 7"), TaskKind::kKernel, "gemm", 0, 10);
  const sim::MeasuredWork work = made.measured();
  EXPECT_THAT(sim::launches(work), ::testing::IsEmpty());
  EXPECT_THAT(sim::launch_use(work, {}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace stepsim::testing
