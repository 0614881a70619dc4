#include "model/cost/device/accelerator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <vector>

namespace stepsim {
namespace {

std::uint32_t resident(std::string_view device, const KernelLaunch& launch) {
  return resident_blocks(launch, accelerator_named(device).resident);
}

TEST(OccupancyTest, WhatRunsOutFirstDecides) {
  // A V100 has 2048 threads, 32 blocks, 65 536 registers and 96 KiB of shared memory per multiprocessor.
  EXPECT_EQ(resident("V100", {.blocks = 1, .threads = 512, .registers = 16, .shared_memory = 0}), 4U) << "threads";
  EXPECT_EQ(resident("V100", {.blocks = 1, .threads = 32, .registers = 16, .shared_memory = 0}), 32U) << "blocks";
  // A warp with 64 registers per thread takes 2048 registers. Each quarter of the multiprocessor has 16 384 registers,
  // for 8 warps. The 32 warps of all quarters are 8 blocks of 4 warps.
  EXPECT_EQ(resident("V100", {.blocks = 1, .threads = 128, .registers = 64, .shared_memory = 0}), 8U) << "registers";
  EXPECT_EQ(resident("V100", {.blocks = 1, .threads = 128, .registers = 16, .shared_memory = 32 * 1024}), 3U);
  // From Ampere on, each block takes an additional KiB: 164 KiB hold four blocks of 40 KiB, but only three of 41 KiB.
  EXPECT_EQ(resident("A100", {.blocks = 1, .threads = 128, .registers = 16, .shared_memory = 40 * 1024}), 4U);
  EXPECT_EQ(resident("A100", {.blocks = 1, .threads = 128, .registers = 16, .shared_memory = 41 * 1024}), 3U);
  EXPECT_EQ(resident("A100", {.blocks = 1, .threads = 128, .registers = 255, .shared_memory = 1 << 20}), 1U)
      << "it ran";
}

/// A kernel as Kineto records it, with the recorded "est. achieved occupancy %".
struct Recorded {
  std::string_view device;
  KernelLaunch launch;
  double occupancy;
};

TEST(OccupancyTest, AgreesWithWhatTheProfilerEstimates) {
  const std::vector<Recorded> all{
      {"V100", {3072, 64, 84, 3328}, 31},      // limited by the registers of each quarter
      {"V100", {8000, 64, 85, 2304}, 31},      // limited by the registers of each quarter
      {"RTX 3060", {512, 32, 193, 4096}, 17},  // limited by registers
      {"RTX 3060", {512, 32, 137, 2048}, 25},  // limited by registers
      {"RTX 2080 Ti", {196, 256, 128, 32'768}, 50},
      {"RTX 2080 Ti", {16, 256, 64, 9'216}, 6},  // only 16 blocks for 68 multiprocessors
      {"H100", {141, 128, 24, 0}, 7},            // only 141 blocks for 132 multiprocessors
      {"A100", {33'024, 32, 212, 16'384}, 13},   // limited to 9 blocks by shared memory
  };
  for (const Recorded& one : all) {
    const Accelerator& device = accelerator_named(one.device);
    const double most = device.resident.threads;
    const double at_once = resident_blocks(one.launch, device.resident) * static_cast<double>(one.launch.threads);
    const double launched = static_cast<double>(one.launch.blocks * one.launch.threads) / device.processors;
    EXPECT_NEAR(100 * std::min(at_once, launched) / most, one.occupancy, 1) << one.device << one.launch.registers;
  }
}

TEST(OccupancyTest, AShareOfAWaveIsFilled) {
  const Accelerator& a100 = accelerator_named("A100");
  // 16 blocks of 128 threads fit on each of the A100's 108 multiprocessors.
  const auto filled = [&](std::uint64_t blocks) { return filled_share({blocks, 128, 16, 0}, a100); };
  EXPECT_DOUBLE_EQ(filled(16 * 108 / 4), 0.25);
  EXPECT_DOUBLE_EQ(filled(16 * 108), 1);
  EXPECT_DOUBLE_EQ(filled(1'000'000), 1);
  EXPECT_DOUBLE_EQ(filled_share({1, 128, 16, 0}, accelerator_named("MI300X")), 1) << "its limits are not known";
}

}  // namespace
}  // namespace stepsim
