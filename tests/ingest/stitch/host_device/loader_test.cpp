// Tests a data loader with worker processes. The thread that asks for a batch waits until a worker has made it, but no
// event shows this wait.

#include <gtest/gtest.h>

#include "sim/analysis/summary.h"
#include "sim/engine/engine.h"
#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::find;
using testing::stitched;
using testing::TraceMaker;
using testing::us;

constexpr const char* kProcesses = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
constexpr const char* kInThread = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

/// Builds a step of 1,500 us. Its thread spends 1,000 us in `loader`, where an operator of 50 us begins after 300 us.
/// Then it launches a kernel, which runs in parallel with the thread. If `pins`, another thread works for 900 us while
/// the first thread is in the loader.
HostDeviceTrace step_with(const char* loader, EventKind kind = EventKind::kAnnotation, bool pins = false) {
  TraceMaker maker;
  const TrackId thread = maker.thread("1");
  maker.add(EventKind::kAnnotation, "ProfilerStep#1", thread, 0, 1500);
  maker.add(kind, loader, thread, 40, 1000);
  maker.add(EventKind::kOp, "aten::set_", thread, 340, 50);
  maker.add(EventKind::kOp, "aten::mm", thread, 1100, 300);
  maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, 1200, 10, 1);
  if (pins) maker.add(EventKind::kOp, "aten::pin_memory", maker.thread("2"), 100, 900);
  maker.add(EventKind::kKernel, "gemm", maker.stream(7), 1220, 100, 1);
  return maker.trace;
}

Duration waits_in(const Capture& capture) {
  Duration waits{};
  for (const TaskId task : capture.dag.tasks()) {
    if (capture.dag.kind(task) == TaskKind::kLoader) waits += capture.dag.duration(task);
  }
  return waits;
}

TEST(LoaderTest, TimeInALoaderThatHasProcessesIsAWaitForThemExceptForOperators) {
  // The oldest traces record the loader as an operator.
  for (const EventKind kind : {EventKind::kAnnotation, EventKind::kOp}) {
    const Capture capture = stitched({step_with(kProcesses, kind)});
    EXPECT_EQ(waits_in(capture), us(1000 - 50));
    EXPECT_EQ(capture.dag.kind(find(capture, kProcesses, 40)), TaskKind::kLoader);
    EXPECT_EQ(capture.dag.kind(find(capture, kProcesses, 390)), TaskKind::kLoader);
    EXPECT_EQ(capture.dag.kind(find(capture, "aten::set_", 340)), TaskKind::kHost);
  }
}

TEST(LoaderTest, ALoaderInTheThreadItselfIsItsWork) {
  const Capture capture = stitched({step_with(kInThread)});
  EXPECT_EQ(waits_in(capture), Duration{});
  EXPECT_EQ(capture.dag.kind(find(capture, kInThread, 40)), TaskKind::kHost);
}

TEST(LoaderTest, TakingABatchOverIsNoWait) {
  for (const int length : {100, 101}) {
    TraceMaker maker;
    const TrackId thread = maker.thread("1");
    maker.add(EventKind::kOp, "before", thread, 0, 40);
    maker.add(EventKind::kAnnotation, kProcesses, thread, 40, length);
    maker.add(EventKind::kOp, "after", thread, 300, 40);
    EXPECT_EQ(waits_in(stitched({maker.trace})), length == 100 ? Duration{} : us(101));
  }
}

/// The thread that pins memory works while the main thread waits, but that does not explain the wait.
TEST(LoaderTest, OtherThreadsDoNotExplainAWaitForData) {
  const Capture capture = stitched({step_with(kProcesses, EventKind::kAnnotation, true)});
  EXPECT_EQ(waits_in(capture), us(950));
}

TEST(LoaderTest, ABreakdownHasItsOwnPartForIt) {
  const Capture capture = stitched({step_with(kProcesses)});
  const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine::as_recorded(capture));
  const sim::Summary summary = sim::summarize(capture, timeline);
  ASSERT_EQ(summary.ranks.size(), 1U);
  EXPECT_EQ(summary.ranks.front().iteration, us(1500));
  EXPECT_EQ(summary.ranks.front().loader, us(950));
  EXPECT_EQ(summary.ranks.front().host, us(1500 - 950));
  EXPECT_EQ(summary.parts.loader, us(950));
  EXPECT_EQ(summary.parts.sum(), us(1500));
}

}  // namespace
}  // namespace stepsim::ingest
