#include "scenarios/answer/slowed_kernels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/job/dag_builder.h"

namespace stepsim::scenarios {
namespace {

using std::chrono::milliseconds;

/// Returns a graph of a kernel of 15 ms and a collective of 10 ms on two streams. Both come from the capture.
Capture kernel_and_collective() {
  DagBuilder builder;
  const auto add = [&](TaskKind kind, const std::string& name, Duration duration) {
    const LaneId lane = builder.add_lane({.name = name, .kind = LaneKind::kStream, .device = 0});
    (void)builder.add_task({.kind = kind, .name = builder.intern(name), .lane = lane, .duration = duration});
  };
  add(TaskKind::kKernel, "sgemm", milliseconds{15});
  add(TaskKind::kCollective, "ncclAllReduce", milliseconds{10});
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  capture.recording.origin = {TaskId{0U}, TaskId{1U}};
  return capture;
}

TEST(SlowedKernelsTest, ASideTakesTheFactorAtThatEndOfItsRange) {
  // The kernel takes 15 ms alone. During the collective's 10 ms, it does 10 ms / factor of its work.
  const Capture graph = kernel_and_collective();
  const std::vector<Duration> durations{milliseconds{15}, milliseconds{10}};
  CapturedInterference interference;
  interference.slowdowns = {{KernelClass::kAttention, 7, 9.0, 9.0, 9.0}, {KernelClass::kGemm, 7, 2.0, 1.25, 4.0}};
  const auto after = [&](double side) {
    SlowedKernels kernels(interference, graph, durations, side);
    sim::Timeline timeline;
    timeline.start = {Time{}, Time{}};
    timeline.finish = {Time{milliseconds{15}}, Time{milliseconds{10}}};
    EXPECT_GT(kernels.follow(timeline), 0);
    EXPECT_EQ(kernels.durations()[1], milliseconds{10});
    const std::vector<SlowedClass> classes = kernels.classes();
    EXPECT_EQ(classes.size(), 1U) << "no kernel is an attention";
    EXPECT_EQ(classes.front().slowdown.kernel_class, KernelClass::kGemm);
    EXPECT_EQ(classes.front().kernels, 1U);
    EXPECT_EQ(classes.front().before, milliseconds{15});
    EXPECT_EQ(classes.front().after, kernels.durations()[0]);
    return kernels.durations()[0];
  };
  EXPECT_EQ(after(0), milliseconds{10 + 15 - 5});
  EXPECT_EQ(after(-1), milliseconds{10 + 15 - 8});
  EXPECT_EQ(after(1), Duration{10'000'000 + 15'000'000 - 2'500'000});
}

}  // namespace
}  // namespace stepsim::scenarios
