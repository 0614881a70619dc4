// Tests calls and operators that wait for a device without saying so, and launches whose work is missing or shared.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::edge;
using testing::find;
using testing::stitched;
using testing::TraceMaker;
using testing::unexplained;
using testing::us;

/// Returns a thread that launches a kernel of 1 ms and then frees memory for 70 ms.
Capture that_frees_by(const std::string& call) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 0, 10, 1);
  maker.add(EventKind::kKernel, "gemm", maker.stream(7), 20, 1'000, 1);
  maker.add(EventKind::kRuntimeCall, call, thread, 10, 70'000, 2);
  return stitched({maker.trace});
}

TEST(WaitingCallsTest, FreeingWaitsForTheDevice) {
  const Capture capture = that_frees_by("cudaFree");
  const TaskId rest = find(capture, "cudaFree", 1'020);
  ASSERT_TRUE(rest.valid());
  EXPECT_TRUE(edge(capture, find(capture, "gemm", 20), rest));
}

TEST(WaitingCallsTest, FreeingInTheOrderOfAStreamDoesNotWait) {
  EXPECT_EQ(that_frees_by("cudaFreeAsync").diagnostics.count_of("inferred_host_wait"), 0U);
}

TEST(WaitingCallsTest, WithoutCallsAnOperatorThatReturnsAValueWaits) {
  for (const bool with_call : {false, true}) {
    TraceMaker maker;
    const TrackId thread = maker.thread("1");
    maker.add(EventKind::kOp, "aten::item", thread, 0, 1'040);
    maker.add(EventKind::kOp, "aten::_local_scalar_dense", thread, 10, 1'020);
    if (with_call) maker.add(EventKind::kRuntimeCall, "cudaEventRecord", thread, 20, 5, 9);
    maker.add(EventKind::kKernel, "gemm", maker.stream(7), 5, 1'000);
    const Capture capture = stitched({maker.trace});
    EXPECT_EQ(capture.diagnostics.count_of("inferred_host_wait"), with_call ? 0U : 1U);
    if (with_call) continue;
    const TaskId rest = find(capture, "aten::_local_scalar_dense", 1'005);
    ASSERT_TRUE(rest.valid());
    EXPECT_TRUE(edge(capture, find(capture, "gemm", 5), rest));
  }
}

/// Returns a thread that launches a graph with a while node, of which only the first iteration was recorded, and waits
/// for all of it: the call returns at 6,000 us, and the recorded kernel ends at `kernel_end_us`.
Capture that_awaits_a_loop(double kernel_end_us, bool sync_recorded) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  const TrackId stream = maker.stream(7);
  maker.add(EventKind::kRuntimeCall, "cudaGraphLaunch", thread, 0, 10, 1);
  maker.add(EventKind::kKernel, "body", stream, 20, kernel_end_us - 20, 1);
  maker.add(EventKind::kRuntimeCall, "cudaStreamSynchronize", thread, 30, 5'970, 2);
  maker.add(EventKind::kOp, "after", thread, 6'000, 100);
  if (sync_recorded) maker.wait(SyncKind::kStream, stream, 31, 5'960, 2).stream = 7;
  return stitched({maker.trace});
}

TEST(WaitingCallsTest, ACallThatReturnsLongAfterAllRecordedWorkWaitsForUnrecordedWork) {
  for (const double kernel_end : {25.0, 300.0, 3'000.0, 4'790.0, 4'820.0, 5'949.0}) {
    for (const bool recorded : {false, true}) {
      const Capture capture = that_awaits_a_loop(kernel_end, recorded);
      EXPECT_EQ(capture.dag.duration(find(capture, "cudaStreamSynchronize")), us(2)) << kernel_end << recorded;
      EXPECT_EQ(capture.diagnostics.count_of("unexplained_blocking_call"), 1U);
      // If no record names the awaited stream, only work that ended in the last fifth of the call counts as awaited.
      const bool awaited = recorded || kernel_end > 6'000 - 5'970 / 5.0;
      const auto waits_from = static_cast<std::int64_t>(awaited ? std::max(kernel_end, 32.0) : 32.0);
      EXPECT_EQ(unexplained(capture), us(6'000 - waits_from)) << kernel_end << recorded;
    }
  }
}

TEST(WaitingCallsTest, ACallThatReturnsShortlyAfterTheWorkExplainsItsTime) {
  for (const bool recorded : {false, true}) {
    const Capture capture = that_awaits_a_loop(5'960, recorded);
    EXPECT_EQ(capture.diagnostics.count_of("unexplained_blocking_call"), 0U);
    EXPECT_EQ(unexplained(capture), Duration{});
  }
}

TEST(LaunchesTest, GraphsWithoutWorkAreCounted) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  for (int i = 0; i < 4; ++i) maker.add(EventKind::kRuntimeCall, "cudaGraphLaunch", thread, 100 * i, 10, i);
  maker.add(EventKind::kKernel, "gemm", maker.stream(7), 350, 20, 3);
  maker.add(EventKind::kRuntimeCall, "cudaGraphLaunch", thread, 500, 10, 4);  // may not have run before the end
  EXPECT_EQ(stitched({maker.trace}).diagnostics.count_of("graphs_without_work"), 3U);
}

TEST(LaunchesTest, CallsThatShareACorrelationAreAmbiguousAndNotLost) {
  TraceMaker maker;
  for (int i = 0; i < 3; ++i) {
    // The correlations of two processes are the same, as in a file that was merged.
    for (const char* const thread : {"1", "2"}) {
      maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", maker.thread(thread), 100 * i, 10, i);
      maker.add(EventKind::kKernel, "gemm", maker.stream(7), 100 * i + 20, 50, i);
    }
  }
  const Capture capture = stitched({maker.trace});
  EXPECT_EQ(capture.diagnostics.count_of("lost_kernels"), 0U);
  EXPECT_EQ(capture.diagnostics.count_of("ambiguous_launch"), 3U);
  EXPECT_EQ(capture.diagnostics.count_of("overlapping_device_work"), 0U);  // one call cannot be told from the other
}

/// ROCm may give the work of two calls, which two threads make at the same time, the correlation of one of them.
TEST(LaunchesTest, WorkWithTheCorrelationOfOtherWorkIsNotLost) {
  TraceMaker maker;
  for (std::int64_t step = 0; step < 4; ++step) {
    const auto at = static_cast<double>(1'000 * step);
    maker.add(EventKind::kAnnotation, "ProfilerStep#" + std::to_string(step), maker.thread("1"), at, 990);
    maker.add(EventKind::kRuntimeCall, "hipLaunchKernel", maker.thread("1"), at + 10, 5, 2 * step);
    maker.add(EventKind::kRuntimeCall, "hipLaunchKernel", maker.thread("2"), at + 12, 5, 2 * step + 1);
    maker.add(EventKind::kKernel, "gemm", maker.stream(0), at + 20, 500, 2 * step);
    maker.add(EventKind::kKernel, "add", maker.stream(1), at + 25, 400, 2 * step);
  }
  const Capture capture = stitched({maker.trace});
  EXPECT_EQ(capture.diagnostics.count_of("lost_kernels"), 0U);
  EXPECT_EQ(capture.diagnostics.count_of("ambiguous_launch"), 4U);
  ASSERT_EQ(capture.recording.steps.size(), 4U);
  for (const auto& step : capture.recording.steps) EXPECT_TRUE(step.whole);
}

/// Nsight Systems 2022 records "cudaX" and, in it, "cudaX_vNNNN" with the same correlation.
TEST(LaunchesTest, ACallThatIsRecordedTwiceIsOneCall) {
  const auto made = [](bool twice) {
    TraceMaker maker;
    const TrackId thread = maker.thread("1");
    for (std::int64_t i = 0; i < 6; ++i) {
      const auto at = static_cast<double>(1'000 * i);
      maker.add(EventKind::kAnnotation, "ProfilerStep#" + std::to_string(i), thread, at, 990);
      maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, at, 10, 2 * i);
      if (twice) maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel_v7000", thread, at + 1, 8, 2 * i);
      maker.add(EventKind::kRuntimeCall, "cudaDeviceSynchronize", thread, at + 20, 500, 2 * i + 1);
      if (twice) maker.add(EventKind::kRuntimeCall, "cudaDeviceSynchronize_v3020", thread, at + 20, 499, 2 * i + 1);
      maker.add(EventKind::kKernel, "gemm", maker.stream(7), at + 18, 500, 2 * i);
    }
    return stitched({maker.trace});
  };
  const Capture once = made(false);
  const Capture twice = made(true);
  EXPECT_EQ(twice.diagnostics.count_of("lost_kernels"), 0U);
  EXPECT_EQ(twice.diagnostics.count_of("ambiguous_launch"), 0U);
  ASSERT_EQ(twice.dag.task_count(), once.dag.task_count());
  for (const TaskId task : once.dag.tasks()) {
    EXPECT_EQ(twice.dag.name(task), once.dag.name(task));
    EXPECT_EQ(twice.dag.duration(task), once.dag.duration(task)) << once.dag.name(task);
  }
}

}  // namespace
}  // namespace stepsim::ingest
