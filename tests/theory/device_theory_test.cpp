#include <gtest/gtest.h>

#include <cmath>

#include "model/cost/device/roofline.h"

namespace stepsim {
namespace {

/// Two devices that differ in everything, by round factors.
Accelerator device(double teraflops, double gigabytes, std::int64_t floor_ns) {
  Accelerator device;
  device.peak_flops.fill(teraflops * 1e12);
  device.matrix_share = 1;
  device.memory = Bandwidth::from_bytes_per_second(gigabytes * 1e9);
  device.host_link = Bandwidth::from_bytes_per_second(gigabytes * 1e8);
  device.floor = Duration{floor_ns};
  return device;
}

DeviceWork piece(double recorded_ns, KernelClass kind, double flops, double bytes) {
  return {Duration{std::llround(recorded_ns)}, kind, Precision::kFloat16,
          Work{kind, flops, bytes, Precision::kFloat16}};
}

double scaled(const DeviceWork& work, const Accelerator& from, const Accelerator& to) {
  return roofline_scaled(work, from, to).nanoseconds;
}

TEST(DeviceTheoryTest, MemoryBoundKernelScalesWithTheBandwidths) {
  const Accelerator from = device(100, 1000, 0);
  const Accelerator to = device(300, 4000, 0);
  // 1 GB at 1 TB/s: 1 ms; 1e9 operations at 1e14 a second: 10 us.
  const DeviceWork work = piece(1.7e6, KernelClass::kElementwise, 1e9, 1e9);
  EXPECT_DOUBLE_EQ(scaled(work, from, to), 1.7e6 * 1000 / 4000);
  EXPECT_EQ(roofline_scaled(work, from, to).by, ScaledBy::kBytes);
}

TEST(DeviceTheoryTest, ComputeBoundKernelScalesWithThePeaks) {
  const Accelerator from = device(100, 1000, 0);
  const Accelerator to = device(300, 4000, 0);
  // 1e12 operations at 1e14 a second: 10 ms; 1 GB: 1 ms.
  const DeviceWork work = piece(1.3e7, KernelClass::kGemm, 1e12, 1e9);
  EXPECT_DOUBLE_EQ(scaled(work, from, to), 1.3e7 * 100 / 300);
  EXPECT_EQ(roofline_scaled(work, from, to).by, ScaledBy::kFlops);
}

TEST(DeviceTheoryTest, KernelMayBeBoundByAnotherThingOnTheOtherDevice) {
  const Accelerator from = device(100, 1000, 0);
  const Accelerator to = device(10'000, 1000, 0);
  // Compute 10 ms and memory 1 ms on the one, compute 0.1 ms and memory 1 ms on the other.
  EXPECT_DOUBLE_EQ(scaled(piece(1e7, KernelClass::kGemm, 1e12, 1e9), from, to), 1e6);
}

TEST(DeviceTheoryTest, KernelWithNothingToDoScalesWithTheFloors) {
  const Accelerator from = device(100, 1000, 1500);
  const Accelerator to = device(300, 4000, 2400);
  const DeviceWork work = piece(1700, KernelClass::kElementwise, 0, 0);
  EXPECT_DOUBLE_EQ(scaled(work, from, to), 1700.0 * 2400 / 1500);
  EXPECT_EQ(roofline_scaled(work, from, to).by, ScaledBy::kOverhead);
}

TEST(DeviceTheoryTest, FloorAndMemoryAddUp) {
  const Accelerator from = device(100, 1000, 1500);
  const Accelerator to = device(100, 4000, 2400);
  // 1 MB: 1000 ns at 1 TB/s, 250 ns at 4 TB/s.
  EXPECT_DOUBLE_EQ(scaled(piece(5000, KernelClass::kElementwise, 0, 1e6), from, to),
                   5000.0 * (2400 + 250) / (1500 + 1000));
}

TEST(DeviceTheoryTest, ThereAndBackAgainIsWhereItStarted) {
  const Accelerator one = device(100, 1000, 1500);
  const Accelerator other = device(700, 3000, 2400);
  for (const double flops : {0.0, 1e8, 1e12}) {
    for (const double bytes : {1e2, 1e6, 1e10}) {
      const DeviceWork work = piece(1e6, KernelClass::kGemm, flops, bytes);
      DeviceWork there = work;
      there.recorded = Duration{std::llround(scaled(work, one, other))};
      // The middle value is rounded to a nanosecond: half of one, scaled back by at most 7.
      EXPECT_NEAR(scaled(there, other, one), 1e6, 3.5);
    }
  }
}

TEST(DeviceTheoryTest, WithoutWorkWhatExceedsTheFloorFollowsTheClass) {
  const Accelerator from = device(100, 1000, 1000);
  const Accelerator to = device(300, 4000, 2000);
  const auto unknown = [](KernelClass kind, std::int64_t ns) {
    return DeviceWork{Duration{ns}, kind, Precision::kFloat16, {}};
  };
  EXPECT_DOUBLE_EQ(scaled(unknown(KernelClass::kGemm, 31'000), from, to), 2000 + 30'000.0 * 100 / 300);
  EXPECT_DOUBLE_EQ(scaled(unknown(KernelClass::kSoftmax, 41'000), from, to), 2000 + 40'000.0 * 1000 / 4000);
  EXPECT_DOUBLE_EQ(scaled(unknown(KernelClass::kHostCopy, 41'000), from, to), 2000 + 40'000.0 * 1000 / 4000);
  EXPECT_DOUBLE_EQ(scaled(unknown(KernelClass::kSoftmax, 500), from, to), 500.0 * 2)
      << "below the floor: as the floors";
  EXPECT_DOUBLE_EQ(scaled(unknown(KernelClass::kCollective, 500), from, to), 500);
}

TEST(DeviceTheoryTest, ProductThatLeavesTheMatrixUnitsLeavesItsEfficiencyThere) {
  Accelerator from = device(20, 1000, 0);
  from.peak_flops[static_cast<std::size_t>(Precision::kTensor32)] = 160e12;
  const Accelerator to = device(16, 500, 0);
  const auto work = [](double recorded_ns) {
    return DeviceWork{Duration{std::llround(recorded_ns)}, KernelClass::kGemm, Precision::kTensor32,
                      Work{KernelClass::kGemm, 1.6e12, 1e6, Precision::kTensor32}};
  };
  // 1.6e12 operations: 10 ms at 160e12 a second, 100 ms at 16e12. A tenth of the first peak is the other's whole.
  EXPECT_DOUBLE_EQ(scaled(work(1.1e7), from, to), 1e8);
  EXPECT_DOUBLE_EQ(scaled(work(9e7), from, to), 1.8e8) << "waits for memory, which is half as fast";
  EXPECT_DOUBLE_EQ(scaled(work(1.1e7), from, from), 1.1e7);
}

TEST(DeviceTheoryTest, ProductThatGoesBackToSinglePrecisionLeavesTheMatrixUnitsToo) {
  Accelerator device_with_units = device(20, 1000, 0);
  device_with_units.peak_flops[static_cast<std::size_t>(Precision::kFloat16)] = 320e12;
  const DeviceWork half = piece(1e7, KernelClass::kGemm, 1.6e12, 1e6);
  DeviceWork single = half;
  single.work->precision = Precision::kFloat32;
  single.work->bytes *= 2;
  // 1.6e12 operations at 20e12 a second: 80 ms. Twice the bytes of a kernel that took 10 ms: 20 ms.
  EXPECT_DOUBLE_EQ(roofline_scaled(half, device_with_units, single, device_with_units).nanoseconds, 8e7);
  // The other way round its efficiency comes along: 80 ms are 5 ms at sixteen times the rate.
  DeviceWork slow = single;
  slow.recorded = Duration{80'000'000};
  EXPECT_DOUBLE_EQ(roofline_scaled(slow, device_with_units, half, device_with_units).nanoseconds, 5e6);
}

TEST(DeviceTheoryTest, MoreWorkOnTheSameDeviceTakesAsMuchLongerAsItsBestTime) {
  const Accelerator on = device(100, 1000, 1500);
  const DeviceWork before = piece(5000, KernelClass::kElementwise, 0, 1e6);
  DeviceWork after = before;
  after.work->bytes = 3e6;
  // 1000 ns a megabyte, and the floor once.
  EXPECT_DOUBLE_EQ(roofline_scaled(before, on, after, on).nanoseconds, 5000.0 * (1500 + 3000) / (1500 + 1000));
  DeviceWork unknown{Duration{11'500}, KernelClass::kSoftmax, Precision::kFloat32, {}};
  DeviceWork twice = unknown;
  twice.amount = 2;
  EXPECT_DOUBLE_EQ(roofline_scaled(unknown, on, twice, on).nanoseconds, 1500 + 2 * 10'000.0);
  unknown.kind = twice.kind = KernelClass::kStagedCopy;
  EXPECT_DOUBLE_EQ(roofline_scaled(unknown, on, twice, on).nanoseconds, 2 * 11'500.0) << "the host's, all of it";
}

TEST(DeviceTheoryTest, MoreOfAnythingNeverMakesAKernelSlower) {
  const Accelerator from = device(100, 1000, 1500);
  for (const double flops : {0.0, 1e9, 1e12}) {
    for (const double bytes : {1e3, 1e7, 1e10}) {
      const DeviceWork work = piece(1e6, KernelClass::kGemm, flops, bytes);
      const double same = scaled(work, from, from);
      EXPECT_LE(scaled(work, from, device(200, 1000, 1500)), same);
      EXPECT_LE(scaled(work, from, device(100, 2000, 1500)), same);
      EXPECT_LE(scaled(work, from, device(100, 1000, 700)), same);
    }
  }
}

}  // namespace
}  // namespace stepsim
