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
      nccl_estimate({op, ranks, Bytes{bytes}}, {.inside = kLink, .device = "A100"}, kLink, NcclRates::kOfTables);
  return {op, ranks, 1, "A100", Bytes{bytes}, Duration{std::llround(estimate.us() * 1e3)}};
}

std::vector<TimedCollective> exact_table(CollectiveOp op, std::uint32_t ranks) {
  std::vector<TimedCollective> timings;
  for (std::int64_t bytes = 1 << 13; bytes <= std::int64_t{1} << 28U; bytes *= 2)
    timings.push_back(exact(op, ranks, bytes));
  return timings;
}

/// Rows whose two times are equal, from output that names no devices.
std::vector<NcclTestsRow> rows_of(const std::vector<TimedCollective>& timings) {
  std::vector<NcclTestsRow> rows;
  rows.reserve(timings.size());
  for (const TimedCollective& one : timings) rows.push_back({one, one.time, 0});
  return rows;
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
  const Calibration calibration = calibrate_nccl_tables(rows_of(two_and_four()));
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
  const Cluster cluster = calibrate_nccl_tables(rows_of(two_and_four())).cluster;
  EXPECT_EQ(cluster.hosts.size(), 1U);
  ASSERT_EQ(cluster.endpoints.size(), 8U);
  EXPECT_EQ(cluster.devices.front().model, "A100");
  const Route route = cluster.route(EndpointId{0}, EndpointId{7}).value();
  EXPECT_NEAR(cluster.links[route.front().index()].goodput().bytes_per_second(), 235e9, 1);  // rounded to bytes
}

TEST(NcclTablesTest, NodesHaveTheDevicesThatTheTablesName) {
  std::vector<NcclTestsRow> rows = rows_of(two_and_four());
  for (NcclTestsRow& row : rows) row.devices = 2;
  EXPECT_EQ(calibrate_nccl_tables(rows).cluster.endpoints.size(), 4U) << "four ranks had one each";
  rows.back().devices = 6;
  EXPECT_EQ(calibrate_nccl_tables(rows).cluster.endpoints.size(), 6U);
}

TEST(NcclTablesTest, BusBandwidthIsThatOfTheFastestRow) {
  // 1 GiB among 4 ranks: 2 * 3 / 4 * 1.073741824 GB in 4.76 ms are 338.4 GB/s; 64 MiB in 0.2 ms would be 503.3 GB/s.
  std::vector<NcclTestsRow> rows = rows_of(exact_table(CollectiveOp::kAllReduce, 4));
  rows.back() = {{CollectiveOp::kAllReduce, 4, 1, "", Bytes{1 << 30}, Duration{4'800'000}}, Duration{4'760'000}, 0};
  EXPECT_EQ(calibrate_nccl_tables(rows).fits.front().value, "338.4GB/s");
  rows.push_back({{CollectiveOp::kAllReduce, 4, 1, "", Bytes{1 << 26}, Duration{210'000}}, Duration{200'000}, 0});
  EXPECT_EQ(calibrate_nccl_tables(rows).fits.front().value, "503.3GB/s");
}

TEST(NcclTablesTest, ErrorsAreThoseOfSizesAndTablesThatWereLeftOut) {
  const Calibration calibration = calibrate_nccl_tables(rows_of(two_and_four()));
  ASSERT_EQ(calibration.fits.size(), 4U);
  EXPECT_EQ(calibration.fits[1].what, "all_reduce of 2 ranks, held out");
  EXPECT_LT(calibration.fits[1].residual, 0.001);
  EXPECT_LT(calibration.fits[3].residual, 0.001);
  // Between sizes a factor of 4 apart, the logarithm of latency + bytes is off by at most that of the root of
  // (1 + 1/2)(1 + 2) / (1 + 1)^2, where both parts are equal: 6 %.
  EXPECT_LT(calibration.fits[0].residual, 0.061);
  EXPECT_LT(calibration.fits[2].residual, 0.061);
  // If all times of 4 ranks are doubled, the prediction from the table of 2 ranks is half of the measured time.
  std::vector<TimedCollective> timings = two_and_four();
  for (TimedCollective& one : timings) one.time *= one.ranks == 4 ? 2 : 1;
  EXPECT_NEAR(calibrate_nccl_tables(rows_of(timings)).fits[3].residual, 0.5, 0.05);
  // If every second size takes twice as long, it is predicted as half of that from the others, and they as twice.
  timings = exact_table(CollectiveOp::kAllReduce, 4);
  for (std::size_t i = 0; i < timings.size(); i += 2) timings[i].time *= 2;
  EXPECT_GT(calibrate_nccl_tables(rows_of(timings)).fits[0].residual, 0.4);
  EXPECT_LT(calibrate_nccl_tables(rows_of(timings)).fits[0].residual, 1.1);
}

TEST(NcclTablesTest, ASingleSizeHasNoErrorEvenIfItWasMeasuredTwice) {
  const std::vector<TimedCollective> timings(2, exact(CollectiveOp::kAllReduce, 4, 1 << 30));
  EXPECT_TRUE(std::isnan(calibrate_nccl_tables(rows_of(timings)).fits.front().residual));
}

TEST(NcclTablesTest, WhatNcclsModelDoesNotHaveIsLeftOut) {
  std::vector<TimedCollective> timings{{CollectiveOp::kSendRecv, 8, 1, "", Bytes{1024}, Duration{10'000}}};
  EXPECT_TRUE(measured_tables(timings).empty());
  EXPECT_THROW((void)calibrate_nccl_tables(rows_of(timings)), InputError);
}

}  // namespace
}  // namespace stepsim
