#include "ingest/stitch/host_device/device_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/host_device.h"
#include "ingest/stitch/host_device/stitched_rank.h"
#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using testing::TraceMaker;
using testing::us;

constexpr std::int64_t kStep = 10'000;
constexpr std::int64_t kSteps = 3;
constexpr std::int64_t kKernels = 10;
constexpr std::size_t kWork = 30;

/// Three steps of 10 ms. Each launches 10 kernels of 800 us, which run one after the other, and then waits for the
/// device.
struct Steps {
  TraceMaker maker;
  TrackId thread = maker.thread("1");
  TrackId stream = maker.stream(7);

  Steps() {
    for (std::int64_t step = 0; step < kSteps; ++step) add(step);
  }
  void add(std::int64_t step) {
    const std::int64_t begin = step * kStep;
    maker.add(EventKind::kAnnotation, "ProfilerStep#" + std::to_string(step), thread, static_cast<double>(begin),
              kStep - 10);
    for (std::int64_t k = 0; k < kKernels; ++k) {
      maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, static_cast<double>(begin + 10 * k), 5,
                number(step, k));
      maker.add(EventKind::kKernel, "gemm", stream, static_cast<double>(begin + 200 + 800 * k), 800, number(step, k));
    }
    maker.add(EventKind::kRuntimeCall, "cudaDeviceSynchronize", thread, static_cast<double>(begin + 200), 8'010,
              1000 + step);
  }

  static std::int64_t number(std::int64_t step, std::int64_t k) { return step * kKernels + k; }
  /// Returns the event of a kernel.
  [[nodiscard]] std::size_t kernel(std::int64_t step, std::int64_t k) const {
    std::size_t event = 0;
    while (maker.trace.kind[event] != EventKind::kKernel || maker.trace.correlation[event] != number(step, k)) ++event;
    return event;
  }
  void set_begin(std::int64_t step, std::int64_t k, std::int64_t microseconds) {
    maker.trace.start[kernel(step, k)] = Time{us(microseconds)};
  }
  void set_duration(std::int64_t step, std::int64_t k, std::int64_t microseconds) {
    const std::size_t changed = kernel(step, k);
    CountColumn<Duration> durations;
    for (std::size_t i = 0; i < maker.trace.size(); ++i)
      durations.push_back(i == changed ? us(microseconds) : maker.trace.duration[i]);
    maker.trace.duration = durations;
  }
  [[nodiscard]] RankEvents events() const { return arrange(maker.trace); }
  /// Returns the end of a kernel after mending; Time::min() if it was left out.
  [[nodiscard]] Time end_of(const RankEvents& events, std::int64_t step, std::int64_t k) const {
    for (const DeviceOp& op : events.ops) {
      if (op.event == kernel(step, k)) return op.end;
    }
    return Time::min();
  }
};

/// Steps whose device has a clock that is `microseconds` ahead of the host's; negative if it is behind.
Steps with_clock(std::int64_t microseconds) {
  Steps steps;
  for (std::size_t i = 0; i < steps.maker.trace.size(); ++i) {
    if (steps.maker.trace.kind[i] == EventKind::kKernel) steps.maker.trace.start[i] += us(microseconds);
  }
  return steps;
}

std::vector<bool> whole(const RankEvents& events) {
  Diagnostics diagnostics;
  std::vector<bool> steps = whole_steps(events, std::vector<std::size_t>(kSteps, 20), diagnostics);
  EXPECT_EQ(diagnostics.count_of("lost_kernels"), 0U);  // none is lost
  return steps;
}

TEST(DeviceTimesTest, RightTimesStay) {
  const Steps steps;
  const RankEvents events = steps.events();
  EXPECT_EQ(events.ops.size(), kWork);
  EXPECT_TRUE(events.mistimed.empty());
  EXPECT_EQ(events.cut_short + events.overlapping, 0U);
  EXPECT_THAT(whole(events), ElementsAre(true, true, true));
}

TEST(DeviceTimesTest, WorkBeforeItsLaunchIsLeftOutWithItsStep) {
  Steps steps;
  for (std::int64_t k = 0; k < 3; ++k) steps.set_begin(1, k, 1 * kStep + 200 + 800 * k - 2'000'000);
  const RankEvents events = steps.events();
  EXPECT_EQ(events.mistimed.size(), 3U);
  EXPECT_EQ(events.ops.size(), kWork - 3);
  EXPECT_THAT(whole(events), ElementsAre(true, false, true));
}

TEST(DeviceTimesTest, ANumberThatIsUsedAgainMeansALaunchBeforeTheRecording) {
  Steps steps;
  steps.maker.add(EventKind::kKernel, "gemm", steps.stream, -900, 800, Steps::number(2, 5));
  const RankEvents events = steps.events();
  EXPECT_TRUE(events.mistimed.empty());
  EXPECT_EQ(events.ops.front().call, kNoIndex);
  EXPECT_THAT(whole(events), ElementsAre(true, true, true));
}

TEST(DeviceTimesTest, WorkFarInTheFutureIsLeftOut) {
  Steps in_the_middle;
  in_the_middle.set_begin(1, 4, 100'000'000'000);
  EXPECT_THAT(whole(in_the_middle.events()), ElementsAre(true, false, true));
  Steps last;
  last.set_begin(2, 9, 100'000'000'000);
  EXPECT_THAT(whole(last.events()), ElementsAre(true, true, false));
  Steps by_order;  // two seconds late, which only the work behind it shows
  by_order.set_begin(1, 4, 1 * kStep + 2'000'000);
  EXPECT_THAT(whole(by_order.events()), ElementsAre(true, false, true));
}

TEST(DeviceTimesTest, WorkOverItsSuccessorsEndsWhereTheNextBegins) {
  Steps steps;
  steps.set_duration(1, 4, 200'000);
  const RankEvents events = steps.events();
  EXPECT_EQ(events.cut_short, 1U);
  EXPECT_EQ(steps.end_of(events, 1, 4), Time{us(kStep + 4'200)});
  EXPECT_THAT(whole(events), ElementsAre(true, true, true));
}

TEST(DeviceTimesTest, WorkOverAWaitForTheDeviceEndsWhereTheWaitReturns) {
  Steps steps;
  steps.set_duration(2, 9, 200'000);
  const RankEvents events = steps.events();
  EXPECT_EQ(events.cut_short, 1U);
  EXPECT_EQ(steps.end_of(events, 2, 9), Time{us(2 * kStep + 8'210)});
}

TEST(DeviceTimesTest, KernelsOfOneGraphRunSideBySide) {
  Steps steps;
  TraceMaker& maker = steps.maker;
  maker.add(EventKind::kRuntimeCall, "cudaGraphLaunch", steps.thread, 3 * kStep, 20, 2000);
  maker.add(EventKind::kKernel, "long", steps.stream, 3 * kStep + 100, 1'000, 2000);
  maker.add(EventKind::kKernel, "short", steps.stream, 3 * kStep + 200, 100, 2000);
  const RankEvents events = steps.events();
  EXPECT_EQ(events.cut_short + events.overlapping, 0U);
}

TEST(DeviceTimesTest, WorkThatOverlapsTheNextIsCounted) {
  Steps steps;
  steps.set_duration(0, 3, 1'200);
  const RankEvents events = steps.events();
  EXPECT_EQ(events.overlapping, 1U);
  EXPECT_EQ(events.cut_short, 0U);
}

TEST(DeviceClockTest, ClocksThatAgreeAreNotListed) {
  EXPECT_TRUE(with_clock(0).events().device_clocks.empty());
  EXPECT_TRUE(with_clock(-900).events().device_clocks.empty());
  EXPECT_TRUE(with_clock(900).events().device_clocks.empty());
}

TEST(DeviceClockTest, AClockIsBehindIfWorkBeginsBeforeItsLaunchInEachStep) {
  // The first kernel of a step begins 200 us after its launch.
  EXPECT_THAT(with_clock(-3'000).events().device_clocks, ElementsAre(Pair(0, us(-2'800))));
}

TEST(DeviceClockTest, AClockIsAheadIfWaitsReturnBeforeTheirWorkEnds) {
  // A wait returns 10 us after the last kernel of its step has ended.
  EXPECT_THAT(with_clock(3'000).events().device_clocks, ElementsAre(Pair(0, us(2'990))));
}

TEST(DeviceClockTest, WorkOfAnEarlierCallWithTheSameNumberIsNoEvidence) {
  Steps steps;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    steps.maker.add(EventKind::kKernel, "early", steps.stream, static_cast<double>(step * kStep - 3'000), 10,
                    Steps::number(step, 5));
  }
  EXPECT_TRUE(steps.events().device_clocks.empty());
}

TEST(DeviceClockTest, AJumpIsNoOffset) {
  Steps steps;
  for (std::int64_t k = 0; k < kKernels; ++k) steps.set_begin(2, k, 2 * kStep - 3'000 + 800 * k);
  EXPECT_TRUE(steps.events().device_clocks.empty());
}

TEST(DeviceClockTest, StepsAreThoseOfTheHostsClock) {
  const auto stitched = [](std::int64_t microseconds) {
    std::vector<RankTrace> ranks;
    ranks.push_back({with_clock(microseconds).maker.trace, "test.json", 0});
    Assembly assembly;
    stitch_host_device(std::move(ranks), assembly);
    return finish(std::move(assembly));
  };
  const Capture late = stitched(-3'000);
  EXPECT_EQ(late.diagnostics.count_of("mistimed_device_work"), 0U);
  EXPECT_NE(find_assumption(late.assumptions, "device_clock"), nullptr);
  EXPECT_EQ(find_assumption(stitched(0).assumptions, "device_clock"), nullptr);
  EXPECT_TRUE(std::all_of(late.recording.steps.begin(), late.recording.steps.end(),
                          [](const RecordedStep& step) { return step.whole; }));
}

}  // namespace
}  // namespace stepsim::ingest
