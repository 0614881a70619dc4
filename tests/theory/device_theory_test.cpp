#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "model/cost/device/roofline.h"

namespace stepsim {
namespace {

/// Returns a device with these properties. Different devices should differ in all of them, by round factors.
Accelerator device(double teraflops, double gigabytes, std::int64_t floor_ns) {
  Accelerator device;
  device.peak_flops.fill(teraflops * 1e12);
  device.matrix_share = 1;
  device.simple_share = 1;
  device.memory_share = 1;
  device.memory = Bandwidth::from_bytes_per_second(gigabytes * 1e9);
  device.host_link = Bandwidth::from_bytes_per_second(gigabytes * 1e8);
  device.floor = Duration{floor_ns};
  return device;
}

/// Adds matrix units for a precision and all narrower ones, with the same rate for all.
void add_matrix_units(Accelerator& device, Precision precision, double teraflops) {
  device.matrix_from = static_cast<std::size_t>(precision);
  device.peak_flops[device.matrix_from] = teraflops * 1e12;
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
  // 1 GB at 1 TB/s takes 1 ms; 1e9 operations at 1e14 per second take 10 us.
  const DeviceWork work = piece(1.7e6, KernelClass::kElementwise, 1e9, 1e9);
  EXPECT_DOUBLE_EQ(scaled(work, from, to), 1.7e6 * 1000 / 4000);
  EXPECT_EQ(roofline_scaled(work, from, to).by, ScaledBy::kBytes);
}

TEST(DeviceTheoryTest, ComputeBoundKernelScalesWithThePeaks) {
  const Accelerator from = device(100, 1000, 0);
  const Accelerator to = device(300, 4000, 0);
  // 1e12 operations at 1e14 per second take 10 ms; 1 GB takes 1 ms.
  const DeviceWork work = piece(1.3e7, KernelClass::kGemm, 1e12, 1e9);
  EXPECT_DOUBLE_EQ(scaled(work, from, to), 1.3e7 * 100 / 300);
  EXPECT_EQ(roofline_scaled(work, from, to).by, ScaledBy::kFlops);
}

TEST(DeviceTheoryTest, KernelMayBeBoundByAnotherThingOnTheOtherDevice) {
  const Accelerator from = device(100, 1000, 0);
  const Accelerator to = device(10'000, 1000, 0);
  // On the first device, compute takes 10 ms and memory 1 ms. On the second, compute takes 0.1 ms and memory 1 ms.
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
  // 1 MB takes 1000 ns at 1 TB/s and 250 ns at 4 TB/s.
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
      // The intermediate time is rounded to a nanosecond, so it is off by up to 0.5 ns. Scaling back multiplies that by
      // 7 at most.
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

TEST(DeviceTheoryTest, WithoutWorkAProductThatChangesItsUnitsGoesHalfByMemory) {
  Accelerator early = device(20, 1000, 1000);
  Accelerator late = device(20, 4000, 1000);
  add_matrix_units(late, Precision::kTensor32, 320);
  late.convolves_in_tf32 = true;
  const auto unknown = [](Precision precision) {
    return DeviceWork{Duration{161'000}, KernelClass::kConvolution, precision, {}};
  };
  // The rates differ by a factor of 16 and the bandwidths by 4. The geometric mean of the two is 8, in both directions.
  EXPECT_DOUBLE_EQ(scaled(unknown(Precision::kFloat32), early, late), 1000 + 160'000.0 / 8);
  EXPECT_DOUBLE_EQ(scaled(unknown(Precision::kTensor32), late, early), 1000 + 160'000.0 * 8);
}

TEST(DeviceTheoryTest, ProductThatLeavesTheMatrixUnitsLeavesItsEfficiencyThere) {
  Accelerator from = device(20, 1000, 0);
  add_matrix_units(from, Precision::kTensor32, 160);
  const Accelerator to = device(16, 500, 0);
  const auto work = [](double recorded_ns) {
    return DeviceWork{Duration{std::llround(recorded_ns)}, KernelClass::kGemm, Precision::kTensor32,
                      Work{KernelClass::kGemm, 1.6e12, 1e6, Precision::kTensor32}};
  };
  // 1.6e12 operations take 10 ms at the first device's peak of 160e12 per second, and 100 ms at the second's of 16e12.
  EXPECT_DOUBLE_EQ(scaled(work(1.1e7), from, to), 1e8);
  EXPECT_DOUBLE_EQ(scaled(work(9e7), from, to), 1.8e8) << "waits for memory, which is half as fast";
  EXPECT_DOUBLE_EQ(scaled(work(1.1e7), from, from), 1.1e7);
}

TEST(DeviceTheoryTest, ProductThatGoesBackToSinglePrecisionLeavesTheMatrixUnitsToo) {
  Accelerator device_with_units = device(20, 1000, 0);
  add_matrix_units(device_with_units, Precision::kFloat16, 320);
  const DeviceWork half = piece(1e7, KernelClass::kGemm, 1.6e12, 1e6);
  DeviceWork single = half;
  single.work->precision = Precision::kFloat32;
  single.work->bytes *= 2;
  // Without matrix units, the 1.6e12 operations take 80 ms at 20e12 per second. If memory limited the kernel, which
  // took 10 ms in half precision, twice the bytes would take 20 ms. The longer of the two times counts.
  EXPECT_DOUBLE_EQ(roofline_scaled(half, device_with_units, single, device_with_units).nanoseconds, 8e7);
  // In the opposite direction the efficiency is kept: 80 ms become 5 ms, because the rate is sixteen times as high.
  DeviceWork slow = single;
  slow.recorded = Duration{80'000'000};
  EXPECT_DOUBLE_EQ(roofline_scaled(slow, device_with_units, half, device_with_units).nanoseconds, 5e6);
}

TEST(DeviceTheoryTest, MoreWorkOnTheSameDeviceTakesAsMuchLongerAsItsBestTime) {
  const Accelerator on = device(100, 1000, 1500);
  const DeviceWork before = piece(5000, KernelClass::kElementwise, 0, 1e6);
  DeviceWork after = before;
  after.work->bytes = 3e6;
  // A megabyte takes 1000 ns, and the floor of 1500 ns counts once.
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

// ---------------------------------------------------------------- products of known shape

/// Returns a device with 10 processors, which do 1e12 operations per second each, or 1000 per nanosecond.
Accelerator ten_processors(double gigabytes = 1e9) {
  Accelerator device = stepsim::device(10, gigabytes, 0);
  device.processors = 10;
  return device;
}

double product(double count, double rows, double columns, double inner, const Accelerator& on = ten_processors()) {
  return product_time({count, rows, columns, inner}, Precision::kFloat16, on);
}

TEST(ProductTheoryTest, WholeRoundsOfTilesTakeTheirArithmeticAndOneStartEach) {
  // A result of 1280 x 256 has 10 tiles of 256 x 128, one per processor. Each takes 2 * 256 * 128 * 1000 operations.
  // Smaller tiles would need more rounds for the same work, and each round takes 1000 ns to start.
  EXPECT_DOUBLE_EQ(product(1, 1280, 256, 1000), 2 * 256 * 128.0 + 1000);
  // Three such products take three rounds.
  EXPECT_DOUBLE_EQ(product(3, 1280, 256, 1000), 3 * (2 * 256 * 128.0 + 1000));
}

TEST(ProductTheoryTest, ALastRoundThatIsHalfEmptyCostsHalfOfWhatIsMissing) {
  // 15 tiles of 256 x 128 on 10 processors are 1.5 rounds. Half of the idle part of the second round counts, so they
  // take the time of 1.75 rounds. 30 tiles of 128 x 128 are 3 rounds.
  const double large = 1.75 * (2 * 256 * 128.0 + 1000);
  const double small = 3 * (2 * 128 * 128.0 + 1000);
  EXPECT_DOUBLE_EQ(product(1, 3840, 128, 1000), std::min(large, small));
}

TEST(ProductTheoryTest, ProcessorsShareTilesThatAreLongEnough) {
  // The result is one tile of 64 x 64. The inner side of 8192 is cut into slices of 1024, so 8 of the 10 processors
  // share the tile. As two tiles of 64 x 32, each would be shared by 5 processors, at 0.55 of the rate. Each processor
  // starts once, and writes its result in fp32, which is read again. At 1e9 bytes per nanosecond that takes almost no
  // time.
  const auto shared = [](double bandwidth) {
    return 2 * 64 * 64.0 * 8192 / 1000 / 8 + 1000 + 8 * 8 * 64 * 64 / bandwidth;
  };
  const auto smaller = [](double bandwidth) {
    return 2 * 64 * 32.0 * 8192 / 550 / 5 + 1000 + 8 * 5 * 64 * 64 / bandwidth;
  };
  EXPECT_DOUBLE_EQ(product(1, 64, 64, 8192), shared(1e9));
  EXPECT_DOUBLE_EQ(product(1, 64, 64, 8192, ten_processors(10)), smaller(10)) << "fewer sharers write less";
  EXPECT_DOUBLE_EQ(product(1, 64, 64, 8192, ten_processors(1)), 2 * 64 * 32.0 * 8192 / 550 + 1000)
      << "177 us to write and read them are more than sharing saves";
}

TEST(ProductTheoryTest, MoreOfAnyDimensionNeverTakesLess) {
  const Accelerator& a100 = accelerator_named("A100");
  for (const double rows : {1.0, 100.0, 5000.0}) {
    double last = 0;
    for (int power = 0; power <= 21; ++power) {  // powers of 1.7, up to 69,000 columns
      const double columns = std::pow(1.7, power);
      const double now = product(1, rows, columns, 4096, a100);
      EXPECT_GE(now, 0.999 * last) << rows << " x " << columns;
      last = now;
    }
  }
}

TEST(ProductTheoryTest, ArithmeticAndTransfersOverlapInPart) {
  // 10 tiles take 65 536 + 1000 ns, and 66 536 bytes at 1 GB/s take as long. Together they take sqrt(2) times that,
  // plus 2 us to start.
  const Accelerator on = ten_processors(1);
  const Work work{KernelClass::kGemm, 2 * 1280 * 256 * 1000.0, 66'536, Precision::kFloat16, {1, 1280, 256, 1000}};
  const double best = 2000 + std::sqrt(2) * 66'536;
  Work twice = work;
  twice.shape.count = 2;
  twice.flops *= 2;
  twice.bytes *= 2;
  const DeviceWork before{Duration{90'000}, KernelClass::kGemm, Precision::kFloat16, work};
  const DeviceWork after{Duration{90'000}, KernelClass::kGemm, Precision::kFloat16, twice};
  EXPECT_DOUBLE_EQ(roofline_scaled(before, on, after, on).nanoseconds, 9e4 * (2 * best - 2000) / best);
}

// ---------------------------------------------------------------- kernels that do not fill their device

TEST(DeviceTheoryTest, LatencyOfAKernelThatLeavesTheDeviceIdleDoesNotGrowWithItsWork) {
  Accelerator on = device(100, 1000, 1500);
  on.processors = 100;
  // A full device has 100 * 2048 * 8 bytes in flight. The kernel has a hundredth of that, which takes 16 ns of memory
  // time, but it took 6 us.
  const double full = 100 * 2048 * 8;
  const DeviceWork before = piece(6000, KernelClass::kElementwise, 0, full / 100);
  DeviceWork after = before;
  after.work->bytes = full / 10;
  const double best_before = 1500 + full / 100 / 1000;
  const double best_after = 1500 + full / 10 / 1000;
  EXPECT_DOUBLE_EQ(roofline_scaled(before, on, after, on).nanoseconds,
                   best_after + (6000 - best_before) * (0.01 * best_after / best_before + 0.99));
  // A kernel that fills the device keeps its efficiency.
  const DeviceWork large = piece(60'000, KernelClass::kElementwise, 0, full);
  after.work->bytes = 3 * full;
  EXPECT_DOUBLE_EQ(roofline_scaled(large, on, after, on).nanoseconds,
                   60'000 * (1500 + 3 * full / 1000) / (1500 + full / 1000));
}

TEST(DeviceTheoryTest, WithoutWorkTheLaunchTellsHowFarAKernelFillsItsDevice) {
  Accelerator from = device(100, 1000, 1000);
  from.processors = 100;
  from.resident = {2048, 32, 65'536, 96 * 1024, 0};
  const Accelerator to = device(100, 4000, 2000);
  // 16 blocks of 128 threads fit on each processor, so 1600 blocks fill the device, and 400 fill a quarter of it.
  DeviceWork piece{Duration{21'000}, KernelClass::kReduction, Precision::kFloat32, {}};
  piece.launch = KernelLaunch{400, 128, 16, 0};
  // A quarter of the 20 us beyond the floor scales with the memory bandwidth, and the rest with the floor.
  EXPECT_DOUBLE_EQ(scaled(piece, from, to), 2000 + 20'000 * (0.25 / 4 + 0.75 * 2));
  piece.launch->blocks = 1600;
  EXPECT_DOUBLE_EQ(scaled(piece, from, to), 2000 + 20'000.0 / 4);
  piece.launch->blocks = 400;
  EXPECT_DOUBLE_EQ(scaled(piece, from, from), 21'000);
  piece.kind = KernelClass::kGemm;
  EXPECT_DOUBLE_EQ(scaled(piece, from, to), 2000 + 20'000.0) << "products fill processors by their tiles";
}

// ---------------------------------------------------------------- caches

/// Returns a device with a cache of 40 MB, five times as fast as its memory of 1 TB/s.
Accelerator cached() {
  Accelerator device = stepsim::device(100, 1000, 0);
  device.cache = 40e6;
  device.cache_rate = Bandwidth::from_bytes_per_second(5e12);
  return device;
}

TEST(CacheTheoryTest, WhatFitsComesFromTheCacheAndWhatIsAThirdLargerDoesNot) {
  const Accelerator on = cached();
  EXPECT_DOUBLE_EQ(on.cached_share(40e6), 1);
  EXPECT_DOUBLE_EQ(on.cached_share(140e6 / 3), 0.5) << "half of the way between";
  EXPECT_DOUBLE_EQ(on.cached_share(160e6 / 3), 0);
  EXPECT_DOUBLE_EQ(device(100, 1000, 0).cached_share(1), 0) << "no cache is known";
  EXPECT_DOUBLE_EQ(on.pass_seconds(40e6, 1), 40e6 / 5e12);
  EXPECT_DOUBLE_EQ(on.pass_seconds(40e6, 0), 40e6 / 1e12);
  EXPECT_DOUBLE_EQ(on.pass_seconds(40e6, 0.25), 40e6 * (0.25 / 5e12 + 0.75 / 1e12));
  Accelerator slow = on;
  slow.cache_rate = Bandwidth::from_bytes_per_second(0.5e12);
  EXPECT_DOUBLE_EQ(slow.pass_seconds(30e6, 1), 30e-6) << "never slower than memory";
}

TEST(CacheTheoryTest, ANormFindsItsRowsAgainIfAllUnderWayFit) {
  Accelerator large = cached();
  large.processors = 100;
  Accelerator small = large;
  small.cache = 4e6;
  // A norm reads its input twice. Its first pass moves 100 MB, which fit into neither cache and take 100 us from
  // memory. Its second pass reads the 50 MB of input again. Each of 100 processors has 16 rows of 5 kB in flight and as
  // many results, which is 16 MB in all. This fits into the large cache only, so the second pass takes 10 us from the
  // large cache, or 50 us from memory.
  DeviceWork norm = piece(165'000, KernelClass::kElementwise, 0, 100e6);
  norm.row = 5'000;
  EXPECT_DOUBLE_EQ(scaled(norm, large, small), 165'000.0 * 150 / 110);
  norm.recorded = Duration{300'000};
  EXPECT_DOUBLE_EQ(scaled(norm, small, large), 300'000.0 * 110 / 150);
  norm.row = 0;
  EXPECT_DOUBLE_EQ(scaled(norm, small, large), 300'000) << "nothing is gone over twice";
}

TEST(CacheTheoryTest, PassesThatFitFollowTheCachesToAnotherDevice) {
  const Accelerator plain = device(100, 1000, 0);
  // 30 MB take 30 us from memory and 6 us from the cache.
  EXPECT_DOUBLE_EQ(scaled(piece(45'000, KernelClass::kElementwise, 0, 30e6), plain, cached()), 45'000.0 / 5);
  EXPECT_DOUBLE_EQ(scaled(piece(9'000, KernelClass::kElementwise, 0, 30e6), cached(), plain), 9'000.0 * 5);
  EXPECT_DOUBLE_EQ(scaled(piece(45'000, KernelClass::kGather, 0, 30e6), plain, cached()), 45'000)
      << "a table was not in use right before";
}

TEST(CacheTheoryTest, OnItsOwnDeviceAKernelShowsWhetherTheCacheHelpsIt) {
  const Accelerator on = cached();
  const auto ten_times = [&](double recorded_ns) {
    const DeviceWork before = piece(recorded_ns, KernelClass::kElementwise, 0, 10e6);
    DeviceWork after = before;
    after.work->bytes = 100e6;
    return roofline_scaled(before, on, after, on).nanoseconds;
  };
  // 10 MB take 2 us from the cache and 10 us from memory.
  EXPECT_DOUBLE_EQ(ten_times(2'000), 100'000) << "it has to go to memory now";
  EXPECT_DOUBLE_EQ(ten_times(6'000), 100'000) << "half of the saving shows";
  EXPECT_DOUBLE_EQ(ten_times(20'000), 200'000) << "slower than memory: something else keeps it";
}

// ---------------------------------------------------------------- convolutions

TEST(DeviceTheoryTest, ConvolutionsInSinglePrecisionAreRoundedWhereFrameworksDoSo) {
  Accelerator early = device(20, 1000, 0);
  Accelerator late = early;
  add_matrix_units(late, Precision::kTensor32, 160);
  late.convolves_in_tf32 = true;
  const auto work = [](KernelClass kind, Precision precision) {
    return DeviceWork{Duration{100'000'000}, kind, precision, Work{kind, 1.6e12, 1e6, precision}};
  };
  // 1.6e12 operations take 80 ms in fp32 and 10 ms in tf32.
  EXPECT_DOUBLE_EQ(scaled(work(KernelClass::kConvolution, Precision::kFloat32), early, late), 1e8 * 10 / 80);
  EXPECT_DOUBLE_EQ(scaled(work(KernelClass::kConvolution, Precision::kTensor32), late, early), 1e8)
      << "off the units: what memory makes of it, which is as fast, or 80 ms";
  EXPECT_DOUBLE_EQ(scaled(work(KernelClass::kGemm, Precision::kFloat32), early, late), 1e8) << "products are exact";
  EXPECT_DOUBLE_EQ(scaled(work(KernelClass::kConvolution, Precision::kFloat32), late, late), 1e8);
}

// ---------------------------------------------------------------- errors

double error(const DeviceWork& work, std::string_view from, std::string_view to) {
  return roofline_scaled(work, accelerator_named(from), accelerator_named(to)).error;
}

TEST(DeviceErrorTest, WorkThatLibrariesDoInDifferentWaysIsFurtherOff) {
  const Work shaped{KernelClass::kGemm, 2e12, 1e6, Precision::kFloat16, {1, 10'000, 10'000, 10'000}};
  Work batched = shaped;
  batched.shape = {100, 1'000, 1'000, 10'000};
  const auto of = [](KernelClass kind, const Work& work) {
    return DeviceWork{Duration{30'000'000}, kind, Precision::kFloat16, work};
  };
  const DeviceWork product = of(KernelClass::kGemm, shaped);
  EXPECT_GT(error(of(KernelClass::kGemm, batched), "A100", "H100"), error(product, "A100", "H100"));
  EXPECT_GT(error(of(KernelClass::kConvolution, shaped), "A100", "H100"), error(product, "A100", "H100"));
  const Work pass{KernelClass::kElementwise, 0, 1e9, Precision::kFloat16};
  const DeviceWork norm = of(KernelClass::kNormalisation, pass);
  EXPECT_GT(error(norm, "A100", "H100"), error(of(KernelClass::kElementwise, pass), "A100", "H100"));
  EXPECT_GT(error(norm, "A100", "MI300X"), error(norm, "A100", "H100")) << "another vendor's";
  EXPECT_GT(error(product, "A100", "RTX 4080"), error(product, "A100", "RTX 4090")) << "not measured";
}

TEST(DeviceErrorTest, NearlyTheSameWorkOnTheSameDeviceIsNearlyCertain) {
  const Accelerator& a100 = accelerator_named("A100");
  const auto of = [](double bytes) {
    return DeviceWork{Duration{10'000'000}, KernelClass::kElementwise, Precision::kFloat16,
                      Work{KernelClass::kElementwise, 0, bytes, Precision::kFloat16}};
  };
  const auto error = [&](double factor) { return roofline_scaled(of(1e9), a100, of(factor * 1e9), a100).error; };
  EXPECT_EQ(error(1), 0);
  EXPECT_LT(error(1.01), 0.01);
  EXPECT_GT(error(2), 0.1);
  EXPECT_NEAR(error(4), error(8), 1e-12);
}

}  // namespace
}  // namespace stepsim
