// Tests a host thread that reads a counter in memory until a kernel has written it: no call shows that it waits.

#include "ingest/stitch/host_device/device_wait_passes.h"

#include <gtest/gtest.h>

#include "sim/engine/engine.h"
#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::edge;
using testing::find;
using testing::stitched;
using testing::TraceMaker;
using testing::us;

/// Builds a thread that repeats the following `times` times: a call launches a kernel, and the thread records nothing
/// until `late_us` after the kernel's end. The kernels take 1, 2, 3 ... ms.
HostDeviceTrace silences(int times, double late_us) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  const TrackId stream = maker.stream(7);
  double at = 0;
  for (int i = 0; i < times; ++i) {
    const double length = 1000.0 * (i + 1);
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, at, 10, i);
    maker.add(EventKind::kKernel, "notify", stream, at + 15, length, i);
    at += 15 + length + late_us;
    maker.add(EventKind::kOp, "after", thread, at, 30);
    at += 30;
  }
  return maker.trace;
}

std::uint64_t polls_in(const Capture& capture) { return capture.diagnostics.count_of("polling"); }

TEST(PollingTest, ASilenceThatEndsWithAKernelAgainAndAgainIsAWaitForIt) {
  const Capture capture = stitched({silences(3, 20)});
  EXPECT_EQ(polls_in(capture), 3U);
  const TaskId kernel = find(capture, "notify", 15);
  const TaskId after = find(capture, "after", 15 + 1000 + 20);
  // In the 20 us after the kernel's end, the thread does other work, before its operator begins.
  const TaskId between = find(capture, "(no operator)", 15 + 1000);
  ASSERT_TRUE(between.valid() && after.valid());
  EXPECT_TRUE(edge(capture, kernel, between));
}

TEST(PollingTest, AKernelThatTakesNoTimeTakesThePollAlong) {
  const Capture capture = stitched({silences(3, 20)});
  std::vector<Duration> durations;
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
    const bool kernel = capture.dag.kind(TaskId{i}) == TaskKind::kKernel;
    durations.push_back(kernel ? Duration{} : capture.dag.duration(TaskId{i}));
  }
  sim::Machine machine = sim::Machine::as_recorded(capture);
  machine.set_durations(durations);
  const sim::Timeline timeline = sim::replay(capture.dag, machine);
  const Time last = *std::max_element(timeline.finish.begin(), timeline.finish.end());
  EXPECT_EQ(last, Time{3 * us(10 + 5 + 20 + 30)});  // three times: call, launch latency, other work, operator
}

TEST(PollingTest, TwoTimesAreNoEvidence) { EXPECT_EQ(polls_in(stitched({silences(2, 20)})), 0U); }

TEST(PollingTest, ASilenceThatGoesOnLongAfterTheKernelIsTheThreadsOwn) {
  EXPECT_EQ(polls_in(stitched({silences(4, 500)})), 0U);
}

TEST(PollingTest, AKernelMayLetTheHostGoOnShortlyBeforeItEnds) {
  EXPECT_EQ(polls_in(stitched({silences(3, -20)})), 3U);
}

}  // namespace
}  // namespace stepsim::ingest
