#include "sim/stats/launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/stats/launched_work.h"

namespace stepsim::testing {
namespace {

using sim::StreamUse;

std::vector<StreamUse> use_of(LaunchedWork& made) {
  const sim::MeasuredWork work = made.measured();
  return sim::stream_use(work, sim::launches(work), sim::device_use(work));
}

TEST(StreamUseTest, IdleTimeDividesExactly) {
  LaunchedWork made;
  const LaneId stream = made.work.stream(0, 0, "stream 7");
  const LaneId other = made.work.stream(0, 0, "stream 9");
  made.work.add(other, TaskKind::kKernel, "other", 0, 100'000);
  made.add(stream, "a", 0, 5, 1'000, 2'000);
  made.add(stream, "b", 1'500, 1'600, 2'400, 3'000);    // launched while a ran; starts 400 ns after the end of a
  made.add(stream, "c", 3'001, 3'100, 3'300, 4'000);    // launched after b ended
  made.add(stream, "d", 3'200, 3'300, 34'000, 35'000);  // launched before c ended, but starts only 30 us later
  made.work.add(stream, TaskKind::kKernel, "e", 35'100, 36'000);  // its launch was not recorded
  const std::vector<StreamUse> use = use_of(made);
  ASSERT_EQ(use.size(), 1U);  // nothing was launched on the other stream
  EXPECT_EQ(use[0].stream, "stream 7");
  EXPECT_EQ(use[0].launches, 4U);
  EXPECT_EQ(use[0].host_wait, Duration{300});
  EXPECT_EQ(use[0].kernel_wait, Duration{400 + 100});
  EXPECT_EQ(use[0].other_wait, Duration{30'000});
  EXPECT_EQ(use[0].outside, Duration{1'000 + 64'000});
  const sim::DeviceUse device = sim::device_use(sim::measured_work(made.capture, made.calls.details)).front();
  EXPECT_EQ(use[0].host_wait + use[0].kernel_wait + use[0].other_wait + use[0].outside, device.streams[0].use.idle);
}

/// The pieces of work are launched at 0, 10, 20 and 100 ns and start at 20, 50, 80 and 100 ns. So the queue has one
/// piece from 0 ns, two from 10 ns (the first piece starts when the third is launched), one from 50 ns and none from 80
/// ns. The last piece starts when it is launched.
TEST(StreamUseTest, QueueIsWhatWasLaunchedAndHasNotBegun) {
  LaunchedWork made;
  const LaneId stream = made.work.stream(0, 0, "stream 7");
  made.add(stream, "a", 0, 5, 20, 50);
  made.add(stream, "b", 10, 15, 50, 80);
  made.add(stream, "c", 20, 25, 80, 90);
  made.add(stream, "d", 100, 105, 100, 110);
  const StreamUse use = use_of(made).front();
  EXPECT_EQ(use.longest.length, 2U);
  EXPECT_EQ(use.longest.time, Time{Duration{10}});
  EXPECT_DOUBLE_EQ(use.mean_queue, (1.0 * 10 + 2 * 40 + 1 * 30) / 80);
  EXPECT_EQ(use.full, Duration{});
}

TEST(StreamUseTest, AFullQueue) {
  LaunchedWork made;
  const LaneId stream = made.work.stream(0, 0, "stream 7");
  constexpr std::int64_t kCount = 2'000;
  for (std::int64_t i = 0; i < kCount; ++i) made.add(stream, "a", i, i, 10'000 + 10 * i, 10'010 + 10 * i);
  const StreamUse use = use_of(made).front();
  EXPECT_EQ(use.longest.length, 2'000U);
  // The queue is full from the 1024th launch until fewer than 1024 pieces are waiting.
  EXPECT_EQ(use.full, Duration{10'000 + 10 * (kCount - 1'024) - 1'023});
  EXPECT_LE(use.curve.size(), StreamUse::kMostPoints);
  EXPECT_THAT(use.curve, ::testing::Contains(::testing::Field(&StreamUse::QueuePoint::length, 2'000U)));
}

}  // namespace
}  // namespace stepsim::testing
