#include "sim/stats/compute_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/stats/measured_maker.h"

namespace stepsim::testing {
namespace {

/// An A100 has 108 multiprocessors with 2048 threads and at most 32 blocks each.
TEST(OccupancyUseTest, MeansByTime) {
  MeasuredMaker maker;
  const LaneId stream = maker.stream(0, 0, "stream 7");
  const TaskId full = maker.add(stream, TaskKind::kKernel, "copy_kernel", 0, 300);
  const TaskId few = maker.add(stream, TaskKind::kKernel, "copy_kernel", 300, 400);
  const TaskId half = maker.add(stream, TaskKind::kKernel, "ampere_h16816gemm_128x128", 500, 900);
  maker.add(stream, TaskKind::kKernel, "unknown launch", 900, 1'000);
  Capture capture = maker.make();
  capture.devices[0] = "NVIDIA A100-SXM4-40GB";
  capture.launches.launches = {
      // 8 blocks per multiprocessor, which use all threads
      {.blocks = 2160, .threads = 256, .registers = 16, .shared_memory = 0},
      {.blocks = 54, .threads = 1024, .registers = 16, .shared_memory = 0},  // half a block per multiprocessor
      // 1 block per multiprocessor; 2 would fit
      {.blocks = 108, .threads = 1024, .registers = 16, .shared_memory = 0}};
  capture.launches.uses = {{maker.dag.new_id(full), 0}, {maker.dag.new_id(few), 1}, {maker.dag.new_id(half), 2}};
  const TraceDetails details;
  const sim::MeasuredWork work = sim::measured_work(capture, details);
  const sim::OccupancyUse use = sim::occupancy_use(work, sim::device_use(work));
  ASSERT_EQ(use.kernels.size(), 2U);
  // 400 ns like copy_kernel, so the names decide the order
  EXPECT_EQ(use.kernels[0].name, "ampere_h16816gemm_128x128");
  EXPECT_EQ(use.kernels[1].name, "copy_kernel");
  EXPECT_EQ(use.kernels[1].count, 2U);
  EXPECT_DOUBLE_EQ(use.kernels[1].blocks, (20.0 * 300 + 0.5 * 100) / 400);
  EXPECT_DOUBLE_EQ(use.kernels[1].warps, (20.0 * 8 * 300 + 0.5 * 32 * 100) / 400);
  EXPECT_DOUBLE_EQ(use.kernels[1].occupancy, (1.0 * 300 + 0.25 * 100) / 400);
  EXPECT_DOUBLE_EQ(use.kernels[0].occupancy, 0.5);
  ASSERT_EQ(use.devices.size(), 1U);
  EXPECT_EQ(use.devices[0].time, Duration{800});
  EXPECT_DOUBLE_EQ(use.devices[0].occupancy, (1.0 * 300 + 0.25 * 100 + 0.5 * 400) / 800);
  EXPECT_DOUBLE_EQ(use.devices[0].efficiency, (1.0 * 300 + 0.5 * 100 + 1.0 * 400) / 1'000);
  EXPECT_DOUBLE_EQ(use.devices[0].matrix_share, 400.0 / 900);
}

TEST(OccupancyUseTest, NothingOfAnUnknownDevice) {
  MeasuredMaker maker;
  const TaskId task = maker.add(maker.stream(0, 0, "stream 7"), TaskKind::kKernel, "gemm", 0, 300);
  Capture capture = maker.make();
  capture.devices[0] = "Abacus 9000";
  capture.launches.launches = {{.blocks = 1, .threads = 32, .registers = 16, .shared_memory = 0}};
  capture.launches.uses = {{maker.dag.new_id(task), 0}};
  const TraceDetails details;
  const sim::MeasuredWork work = sim::measured_work(capture, details);
  EXPECT_THAT(sim::occupancy_use(work, sim::device_use(work)).kernels, ::testing::IsEmpty());
}

}  // namespace
}  // namespace stepsim::testing
