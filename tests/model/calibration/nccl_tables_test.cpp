#include "model/calibration/collectives.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/base/error.h"
#include "model/cost/collective/nccl_times.h"

namespace stepsim {
namespace {

constexpr Bandwidth kLink = Bandwidth::from_bytes_per_second(235e9);

/// Returns a measurement in which a collective takes exactly the time of the model that is used with tables.
TimedCollective exact(CollectiveOp op, std::uint32_t ranks, std::int64_t bytes) {
  const NcclEstimate estimate =
      nccl_estimate({op, ranks, Bytes{bytes}}, {.inside = kLink, .device = "A100"}, kLink, kNcclHopOfTables);
  return {op, ranks, 1, "A100", Bytes{bytes}, Duration{std::llround(estimate.us() * 1e3)}};
}

std::vector<TimedCollective> exact_table(CollectiveOp op, std::uint32_t ranks) {
  std::vector<TimedCollective> timings;
  for (std::int64_t bytes = 1 << 13; bytes <= std::int64_t{1} << 28U; bytes *= 2)
    timings.push_back(exact(op, ranks, bytes));
  return timings;
}

std::vector<TimedCollective> two_and_four() {
  std::vector<TimedCollective> timings = exact_table(CollectiveOp::kAllReduce, 2);
  const std::vector<TimedCollective> four = exact_table(CollectiveOp::kAllReduce, 4);
  timings.insert(timings.end(), four.begin(), four.end());
  return timings;
}

TEST(NcclTablesTest, BandwidthOfAMachineThatFollowsTheModelIsFound) {
  for (const MeasuredCollective& table : measured_tables(two_and_four())) {
    EXPECT_DOUBLE_EQ(table.bandwidth.bytes_per_second(), 235e9);
    EXPECT_DOUBLE_EQ(table.link.bytes_per_second(), 235e9);
  }
}

TEST(NcclTablesTest, AllToAllsAcrossHostsShareTheNicsOfTheirHost) {
  // Eight hosts of eight ranks with NICs of 400 GB/s together.
  const Bandwidth nics = Bandwidth::from_bytes_per_second(400e9);
  std::vector<TimedCollective> timings;
  for (std::int64_t bytes = 1 << 20; bytes <= std::int64_t{1} << 32U; bytes *= 4) {
    const CollectiveShape shape{CollectiveOp::kAllToAll, 64, Bytes{bytes}};
    const double time = nccl_estimate(shape, {.hosts = 8, .between = nics}, nics).us();
    timings.push_back({shape.op, 64, 8, "", shape.bytes, Duration{std::llround(time * 1e3)}});
  }
  const MeasuredCollective table = measured_tables(timings).front();
  EXPECT_EQ(table.op, CollectiveOp::kAllToAll);
  EXPECT_NEAR(table.link.bytes_per_second(), 400e9, 1e9);
}

TEST(NcclTablesTest, TableByPowersOfTwoIsKeptAsItIs) {
  const std::vector<TimedCollective> timings = exact_table(CollectiveOp::kAllReduce, 4);
  const MeasuredCollective table = measured_tables(timings).front();
  ASSERT_EQ(table.times.size(), timings.size());
  for (std::size_t i = 0; i < timings.size(); ++i) {
    EXPECT_EQ(table.times[i].first, timings[i].bytes);
    EXPECT_NEAR(static_cast<double>((table.times[i].second - timings[i].time).count()), 0, 1);
  }
}

TEST(NcclTablesTest, OtherRankCountsAndSizesOfThatMachineArePredicted) {
  const Calibration calibration = calibrate_nccl_tables(two_and_four());
  for (const std::uint32_t ranks : {3U, 8U, 16U}) {
    for (const std::int64_t bytes : {10'000, 3'000'000, 100'000'000}) {
      const CollectivePlace place{.inside = kLink, .device = "A100", .measured = calibration.cluster.measured};
      const double predicted =
          static_cast<double>(nccl_time({CollectiveOp::kAllReduce, ranks, Bytes{bytes}}, place).count());
      // The table interpolates linearly between the logarithms of sizes and times, which differs slightly from the
      // model.
      EXPECT_NEAR(predicted / static_cast<double>(exact(CollectiveOp::kAllReduce, ranks, bytes).time.count()), 1, 0.03)
          << ranks << " ranks, " << bytes << " bytes";
    }
  }
}

TEST(NcclTablesTest, ClusterIsANodeWithTheLinkThatTheModelSees) {
  const Cluster cluster = calibrate_nccl_tables(two_and_four()).cluster;
  EXPECT_EQ(cluster.hosts.size(), 1U);
  ASSERT_EQ(cluster.endpoints.size(), 8U);
  EXPECT_EQ(cluster.devices.front().model, "A100");
  const Route route = cluster.route(EndpointId{0}, EndpointId{7}).value();
  EXPECT_NEAR(cluster.links[route.front().index()].goodput().bytes_per_second(), 235e9, 1);  // rounded to bytes
}

TEST(NcclTablesTest, ResidualsAreThoseOfOwnTimesAndOfTheOtherTables) {
  const Calibration calibration = calibrate_nccl_tables(two_and_four());
  ASSERT_EQ(calibration.fits.size(), 4U);
  EXPECT_EQ(calibration.fits[1].what, "all_reduce of 2 ranks, held out");
  for (const Fit& fit : calibration.fits) EXPECT_LT(fit.residual, 0.001) << fit.what;
  // If all times of 4 ranks are doubled, the prediction from the table of 2 ranks is half of the measured time.
  std::vector<TimedCollective> timings = two_and_four();
  for (TimedCollective& one : timings) one.time *= one.ranks == 4 ? 2 : 1;
  EXPECT_NEAR(calibrate_nccl_tables(timings).fits[3].residual, 0.5, 0.05);
}

TEST(NcclTablesTest, WhatNcclsModelDoesNotHaveIsLeftOut) {
  std::vector<TimedCollective> timings{{CollectiveOp::kSendRecv, 8, 1, "", Bytes{1024}, Duration{10'000}}};
  EXPECT_TRUE(measured_tables(timings).empty());
  EXPECT_THROW((void)calibrate_nccl_tables(timings), InputError);
}

}  // namespace
}  // namespace stepsim
