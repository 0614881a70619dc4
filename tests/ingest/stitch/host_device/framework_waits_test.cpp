#include "ingest/stitch/host_device/device_wait_passes.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::edge;
using testing::find;
using testing::stitched;
using testing::TraceMaker;
using testing::us;

/// A thread that launches kernels and all-reduces, with the calls that PyTorch's process group makes. The device is so
/// fast that nothing waits in the recording, so recorded times do not show the dependencies.
class ReducingThread {
 public:
  void launch(const std::string& kernel, std::int64_t stream, double at) {
    maker_.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread_, at, 5, ++correlation_);
    maker_.add(EventKind::kKernel, kernel, maker_.stream(stream), at + 10, 20, correlation_);
  }
  /// Adds an all-reduce whose calls last from `at` to `at` + 90 us. Its kernel runs from `at` + 40 to `at` + 60 us.
  void reduce(double at, bool waits = true, std::optional<std::int64_t> number = {}) {
    const std::uint32_t call = maker_.add(EventKind::kOp, "c10d::allreduce_", thread_, at, 90);
    if (number) maker_.trace.collective_calls.push_back({call, false, *number});
    if (waits) stream_wait(at + 10);
    maker_.add(EventKind::kAnnotation, "nccl:all_reduce", thread_, at + 20, 60);
    launch("ncclDevKernel_AllReduce", 14, at + 30);
    stream_wait(at + 50);  // a wait that NCCL makes itself
  }
  void wait(double at, std::optional<std::int64_t> number = {}) {
    const std::uint32_t call = maker_.add(EventKind::kOp, "record_param_comms", thread_, at, 20);
    if (number) maker_.trace.collective_calls.push_back({call, true, *number});
    stream_wait(at + 5);
  }
  void stream_wait(double at) { maker_.add(EventKind::kRuntimeCall, "cudaStreamWaitEvent", thread_, at, 2); }

  [[nodiscard]] Capture capture() const { return stitched({maker_.trace}); }

 private:
  TraceMaker maker_;
  TrackId thread_ = maker_.thread("1");
  std::int64_t correlation_ = 0;
};

bool waits(const Capture& capture, std::string_view after, std::string_view before) {
  const auto found = edge(capture, find(capture, before), find(capture, after));
  return found.has_value() && found->kind == EdgeKind::kSync;
}

TEST(FrameworkWaitsTest, ACollectiveWaitsForTheStreamThatWasCurrentAtItsLaunch) {
  ReducingThread job;
  job.launch("backward", 7, 0);
  job.reduce(100);
  EXPECT_TRUE(waits(job.capture(), "ncclDevKernel_AllReduce", "backward"));
}

TEST(FrameworkWaitsTest, WithoutAWaitCallACollectiveWaitsForNothing) {
  ReducingThread job;
  job.launch("backward", 7, 0);
  job.reduce(100, false);
  EXPECT_FALSE(waits(job.capture(), "ncclDevKernel_AllReduce", "backward"));
}

TEST(FrameworkWaitsTest, WhatIsLaunchedAfterTheWaitWaitsForTheCollective) {
  ReducingThread job;
  job.launch("backward", 7, 0);
  job.reduce(100);
  job.launch("more backward", 7, 200);
  job.wait(300);
  job.launch("optimizer", 7, 400);
  const Capture capture = job.capture();
  EXPECT_TRUE(waits(capture, "optimizer", "ncclDevKernel_AllReduce"));
  EXPECT_FALSE(waits(capture, "more backward", "ncclDevKernel_AllReduce"));
}

TEST(FrameworkWaitsTest, AWaitUnderNoEventIsTheEndOfABackwardPass) {
  ReducingThread job;
  job.launch("backward", 7, 0);
  job.reduce(100);
  job.stream_wait(300);
  job.launch("optimizer", 7, 400);
  EXPECT_TRUE(waits(job.capture(), "optimizer", "ncclDevKernel_AllReduce"));
}

TEST(FrameworkWaitsTest, FewerWaitsThanCollectivesAreNotMatched) {
  ReducingThread job;
  job.launch("backward", 7, 0);
  job.reduce(100);
  job.reduce(200);
  job.wait(300);
  job.launch("optimizer", 7, 400);
  const Capture capture = job.capture();
  for (std::size_t i = 0; i < capture.dag.task_count(); ++i) {
    const TaskId task{i};
    if (capture.dag.name(task) != "ncclDevKernel_AllReduce") continue;
    EXPECT_FALSE(edge(capture, task, find(capture, "optimizer")).has_value());
  }
}

TEST(FrameworkWaitsTest, AWaitThatAnExecutionTraceNumbersIsForTheCollectiveOfItsNumber) {
  ReducingThread job;
  job.launch("backward", 7, 0);
  job.reduce(100, true, 47);  // the kernel runs from 140 to 160 us
  job.reduce(200, true, 48);
  job.wait(300, 47);
  job.launch("optimizer", 7, 400);
  const Capture capture = job.capture();
  const TaskId optimizer = find(capture, "optimizer");
  EXPECT_TRUE(edge(capture, find(capture, "ncclDevKernel_AllReduce", 140), optimizer).has_value());
  EXPECT_FALSE(edge(capture, find(capture, "ncclDevKernel_AllReduce", 240), optimizer).has_value());
}

TEST(FrameworkWaitsTest, WaitsWithoutANumberAreForTheCollectivesThatNoNumberNames) {
  ReducingThread job;
  job.launch("backward", 7, 0);
  job.reduce(100, true, 47);
  job.reduce(200, true, 48);
  job.wait(300, 48);
  job.launch("between", 7, 350);
  job.stream_wait(400);
  job.launch("optimizer", 7, 500);
  const Capture capture = job.capture();
  const TaskId first = find(capture, "ncclDevKernel_AllReduce", 140);
  const TaskId second = find(capture, "ncclDevKernel_AllReduce", 240);
  EXPECT_TRUE(edge(capture, second, find(capture, "between")).has_value());
  EXPECT_TRUE(edge(capture, first, find(capture, "optimizer")).has_value());
}

TEST(FrameworkWaitsTest, AWaitForACollectiveFromBeforeTheCaptureIsForNoneInIt) {
  ReducingThread job;
  job.launch("backward", 7, 0);
  job.reduce(100, true, 47);
  job.wait(300, 12);
  job.launch("optimizer", 7, 400);
  EXPECT_FALSE(waits(job.capture(), "optimizer", "ncclDevKernel_AllReduce"));
}

TEST(FrameworkWaitsTest, AWaitThatTheTimesContradictIsLeftOut) {
  ReducingThread job;
  job.launch("backward", 7, 125);  // runs from 135 to 155 us; the collective runs from 140 to 160 us
  job.reduce(100);
  EXPECT_FALSE(waits(job.capture(), "ncclDevKernel_AllReduce", "backward"));
}

}  // namespace
}  // namespace stepsim::ingest
