#include "model/rewrite/modelled_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/job/dag_builder.h"

namespace stepsim {
namespace {

/// Returns a graph without measurements: one kernel for each of `works`, each of the given duration, then a collective
/// of `bytes`.
Capture graph_of(const std::vector<Work>& works, Duration duration, Bytes bytes) {
  DagBuilder builder;
  const LaneId lane = builder.add_lane({.name = "device", .kind = LaneKind::kStream, .device = 0});
  OperatorTable table;
  for (const Work& work : works) {
    const TaskId task = builder.add_task(
        {.kind = TaskKind::kKernel, .name = builder.intern("kernel"), .lane = lane, .duration = duration});
    table.uses.push_back({task, static_cast<std::uint32_t>(table.operators.size()), 0, false});
    table.operators.push_back({.name = "kernel", .shapes = "[[1]]", .work = work});
  }
  (void)builder.add_task(
      {.kind = TaskKind::kCollective, .name = builder.intern("all-reduce"), .lane = lane, .bytes = bytes});
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  capture.operators = std::move(table);
  capture.recording.ranks = {0};
  return capture;
}

const Accelerator& device() { return accelerator_named("A100"); }

TEST(UntimedWorkTest, CountsWhatHasWorkAndNoDuration) {
  const Work work{.kind = KernelClass::kElementwise, .bytes = 1e9};
  const UntimedWork untimed = untimed_work(graph_of({work, Work{}, work}, {}, Bytes{1000}));
  EXPECT_EQ(untimed.device, 2U);
  EXPECT_EQ(untimed.communication, 1U);
  EXPECT_EQ(untimed_work(graph_of({work}, Duration{5}, Bytes{})).device, 0U);
}

TEST(UntimedWorkTest, AMeasuredCaptureHasNone) {
  Capture capture = graph_of({Work{.bytes = 1e9}}, {}, Bytes{1000});
  capture.recording.start.resize(capture.dag.task_count());
  EXPECT_EQ(untimed_work(capture).device, 0U);
}

TEST(ModelledTimesTest, AreTheFloorAndTheLongerOfArithmeticAndMemory) {
  // The first kernel moves far more bytes than fit into the cache, so the memory bandwidth limits it.
  const Work stream{.kind = KernelClass::kElementwise, .bytes = 4e9};
  const Work compute{.kind = KernelClass::kGemm, .flops = 1e13, .bytes = 1e6, .precision = Precision::kFloat16};
  const Capture modelled = with_modelled_times(graph_of({stream, compute}, {}, {}), device());
  const auto floor = static_cast<double>(device().floor.count());
  const double by_memory = floor + 4e9 / device().bytes_per_second() * 1e9;
  const double by_arithmetic = floor + 1e13 / device().flops(Precision::kFloat16) * 1e9;
  EXPECT_EQ(modelled.dag.duration(TaskId{0U}), Duration{std::llround(by_memory)});
  EXPECT_EQ(modelled.dag.duration(TaskId{1U}), Duration{std::llround(by_arithmetic)});
  EXPECT_EQ(untimed_work(modelled).device, 0U);
  const Assumption* const assumption = find_assumption(modelled.assumptions, kModelledTimes);
  ASSERT_NE(assumption, nullptr);
  EXPECT_THAT(assumption->sentence, ::testing::HasSubstr("durations of 2 tasks"));
  EXPECT_EQ(modelled.devices.at(0), device().name);
}

TEST(ModelledTimesTest, KeepDurationsThatAreKnown) {
  const Capture capture = graph_of({Work{.bytes = 4e9}}, Duration{7}, {});
  EXPECT_EQ(with_modelled_times(capture, device()).dag.duration(TaskId{0U}), Duration{7});
}

}  // namespace
}  // namespace stepsim
