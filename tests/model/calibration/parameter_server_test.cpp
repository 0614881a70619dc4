#include "model/calibration/parameter_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/model/rewrite/parameter_server/workload_maker.h"

namespace stepsim::testing {
namespace {

using ::testing::HasSubstr;

constexpr double kRate = 1e8;  // bytes per second
constexpr Bytes kPush{1'000'000};
constexpr Duration kTransfer{10'000'000};  // the time of a push of kPush bytes at kRate

/// Adds `count` pushes that are ready at the same time, and that a link of kRate carries one after another.
void add_pushes(PsWorkload& workload, std::uint32_t gpu, std::int64_t count, Time begin) {
  for (std::int64_t i = 0; i < count; ++i)
    workload.stages.push_back({gpu, 0, i, PsStage::kPush, kPush, {begin, begin + kTransfer * (i + 1)}});
}

Capture with(PsWorkload workload) {
  Capture capture;
  capture.inputs = {{"capture", 0, 0}};
  capture.job = workload.job;
  capture.parameter_server = std::make_shared<const PsWorkload>(std::move(workload));
  return capture;
}

PsWorkload two_servers() {
  WorkloadMaker maker;
  maker.servers = 2;
  return *maker.capture().parameter_server;
}

TEST(PushRate, IsWhatALinkCarriedWhilePushesNeverRanOut) {
  PsWorkload workload = two_servers();
  add_pushes(workload, 0, 20, Time{});
  add_pushes(workload, 0, 20, Time{std::chrono::seconds{5}});  // the gap between the two groups is not transfer time
  const PushRate rate = sustained_push_rate(workload);
  EXPECT_NEAR(rate.bytes_per_second, kRate, 1);
  EXPECT_EQ(rate.samples, 2U);
  EXPECT_NEAR(rate.residual, 0, 1e-9);
}

TEST(PushRate, IsUnknownWhereTooFewPushesWereUnderWay) {
  PsWorkload workload = two_servers();
  add_pushes(workload, 0, 3, Time{});
  EXPECT_EQ(sustained_push_rate(workload).samples, 0U);
}

TEST(PsCalibration, TakesTheBandwidthOfTheJobFileUnlessPushesExceedIt) {
  PsWorkload workload = two_servers();
  add_pushes(workload, 0, 20, Time{});
  workload.job.bandwidth = Bandwidth::from_bytes_per_second(kRate / kTcpEfficiency);
  const Calibration agreed = calibrate(with(workload));
  EXPECT_NEAR(agreed.cluster.links.front().goodput().bytes_per_second(), kRate, 1);
  EXPECT_EQ(agreed.cluster.endpoints.size(), 3U);
  workload.job.bandwidth = Bandwidth::from_bytes_per_second(kRate / 2);
  const Calibration contradicted = calibrate(with(workload));
  EXPECT_NEAR(contradicted.cluster.links.front().goodput().bytes_per_second(), kRate, 1);
  EXPECT_THAT(contradicted.assumptions.front().sentence, HasSubstr("more than job.yaml's bandwidth"));
}

TEST(PsCalibration, TakesTheRateOfPushesWhereTheJobFileNamesNone) {
  PsWorkload workload = two_servers();
  add_pushes(workload, 0, 20, Time{});
  EXPECT_NEAR(calibrate(with(workload)).cluster.links.front().goodput().bytes_per_second(), kRate, 1);
}

// A copy of b bytes takes 20 us plus b bytes at 2 GB/s. The capture has copies of three sizes.
TEST(PsCalibration, FitsCopiesByALine) {
  PsWorkload workload = two_servers();
  workload.job.bandwidth = Bandwidth::from_bits_per_second(1e9);
  std::int64_t key = 0;
  for (const std::int64_t bytes : {100'000, 500'000, 1'000'000}) {
    const Duration time{20'000 + bytes / 2};
    for (const PsStage stage : {PsStage::kCopyToHost, PsStage::kCopyToDevice})
      workload.stages.push_back({0, 0, key, stage, Bytes{bytes}, {Time{}, Time{time}}});
    ++key;
  }
  const HostRates rates = calibrate(with(workload)).cluster.rates;
  EXPECT_NEAR(rates.copy_to_host.value().bytes_per_second(), 2e9, 2e6);
  EXPECT_NEAR(rates.copy_to_device.value().bytes_per_second(), 2e9, 2e6);
  EXPECT_NEAR(static_cast<double>(rates.copy_overhead.count()), 20'000, 100);
}

TEST(StageCosts, AreOfTheShareThatAGpuCopies) {
  EXPECT_EQ(share_of(Bytes{1'000}, 0, 1), Bytes{1'000});
  // 1,004 bytes are 251 elements of 4 bytes. Two GPUs copy 125 and 126 of them, three GPUs 83, 83 and 85.
  EXPECT_EQ(share_of(Bytes{1'004}, 0, 2), Bytes{500});
  EXPECT_EQ(share_of(Bytes{1'004}, 1, 2), Bytes{504});
  EXPECT_EQ(share_of(Bytes{1'004}, 2, 3), Bytes{340});
}

TEST(StageCosts, CountAsHandOverOnlyWhatTheThreadWasIdle) {
  PsWorkload workload = two_servers();
  const auto at = [](std::int64_t microseconds) { return Time{Duration{microseconds * 1'000}}; };
  // Both copies are ready at 0. The first one starts after 5 us, which is the hand-over; the second one starts when the
  // first has ended, 105 us after the start.
  for (std::int64_t key : {0, 1}) {
    workload.stages.push_back({0, 0, key, PsStage::kReduce, kPush, {at(0), at(0)}});
    workload.stages.push_back({0, 0, key, PsStage::kCopyToHost, kPush, {at(5 + 100 * key), at(105 + 100 * key)}});
  }
  const PsStageCost cost = stage_costs(workload, true)[static_cast<std::size_t>(PsStage::kCopyToHost)];
  EXPECT_EQ(cost.hand_over, Duration{5'000});
  EXPECT_EQ(cost.of(kPush), Duration{100'000});
  EXPECT_EQ(stage_costs(workload, false)[static_cast<std::size_t>(PsStage::kCopyToHost)].of(kPush), Duration{});
}

}  // namespace
}  // namespace stepsim::testing
