#include "model/cost/collective/nccl_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace stepsim {
namespace {

constexpr Bandwidth gb_s(double rate) { return Bandwidth::from_bytes_per_second(rate * 1e9); }

CollectiveShape all_reduce(std::uint32_t members, std::int64_t bytes) {
  return {CollectiveOp::kAllReduce, members, Bytes{bytes}};
}

CollectivePlace one_host(double rate, std::string_view device = "A100") {
  return {.inside = gb_s(rate), .device = device};
}

NcclEstimate estimate(const CollectiveShape& shape, const CollectivePlace& place) {
  return nccl_estimate(shape, place, bus_of(place));
}

/// The estimate to which the excess of a table is added.
NcclEstimate carried(const CollectiveShape& shape, const CollectivePlace& place) {
  return nccl_estimate(shape, place, bus_of(place), NcclRates::kOfTables);
}

double us(Duration time) { return static_cast<double>(time.count()) / 1e3; }

/// The pipeline's part of a time, from the other two.
double pipeline(double latency, double transfer) {
  return 1.45 * std::sqrt(latency * std::min(transfer, 4.5 * latency));
}

TEST(NcclEstimateTest, ShortAllReducesPayHopsNotBytes) {
  // The latency is 6 us plus, for each of 14 hops, 1.35 us or the latency of the links; of all, 1.12 on Ampere.
  const NcclEstimate found = estimate(all_reduce(8, 1000), one_host(235));
  EXPECT_NEAR(found.latency_us, 1.12 * (6 + 14 * 1.35), 1e-9);
  EXPECT_NEAR(found.us(), found.latency_us, 0.7);
  EXPECT_NEAR(estimate(all_reduce(4, 1000), one_host(235, "H100")).latency_us, 0.85 * (6 + 6 * 1.35), 1e-9);
  CollectivePlace slow = one_host(235);
  slow.latency_inside = Duration{2'000};
  EXPECT_NEAR(estimate(all_reduce(8, 1000), slow).latency_us, 1.12 * (6 + 14 * 2), 1e-9);
}

TEST(NcclEstimateTest, LongCollectivesPayTheBytesOfARingAndTheirOwnPart) {
  const NcclEstimate reduce = estimate(all_reduce(8, 1'000'000'000), one_host(235));
  EXPECT_EQ(reduce.algorithm, "ring");
  EXPECT_NEAR(reduce.bytes_us, (14 + 0.3) / 8 * 1e6 / 235, 1e-6);
  EXPECT_NEAR(reduce.pipeline_us, 1.45 * std::sqrt(4.5) * 1.12 * (6 + 14 * 1.35), 1e-9);
  const NcclEstimate gather = estimate({CollectiveOp::kAllGather, 2, Bytes{1'000'000}}, one_host(235));
  EXPECT_NEAR(gather.bytes_us, (1 + 0.3) / 2 * 1e3 / 235, 1e-9);
  EXPECT_NEAR(gather.pipeline_us, pipeline(1.12 * (6 + 1.35), gather.bytes_us), 1e-9);
}

TEST(NcclEstimateTest, HopperReducesInItsSwitchBetweenThreeRanksOrMore) {
  const NcclEstimate eight = estimate(all_reduce(8, 1'000'000'000), one_host(360, "NVIDIA H100 80GB HBM3"));
  EXPECT_EQ(eight.algorithm, "nvls");
  EXPECT_NEAR(eight.latency_us, 0.85 * 25, 1e-9);
  EXPECT_NEAR(eight.bytes_us, 1.125e6 / (360 * 0.93), 1e-6);
  EXPECT_EQ(estimate(all_reduce(4, 1'000), one_host(360, "H100")).algorithm, "ring");
  EXPECT_EQ(estimate(all_reduce(2, 1'000'000'000), one_host(360, "H200")).algorithm, "ring");
  EXPECT_EQ(estimate({CollectiveOp::kAllGather, 8, Bytes{1'000'000'000}}, one_host(360, "H200")).algorithm, "ring");
  EXPECT_EQ(estimate(all_reduce(8, 1'000'000'000), one_host(360, "A100")).algorithm, "ring");
}

TEST(NcclEstimateTest, HopsBetweenHostsTakeWhatTheNetworkTakes) {
  // An all-gather of two hosts with four ranks each has 7 hops, one of them between the hosts. The other 6 take 3.7 us
  // each, more than on a single host.
  CollectivePlace place = one_host(235);
  place.hosts = 2;
  place.between = gb_s(50);
  const CollectiveShape shape{CollectiveOp::kAllGather, 8, Bytes{1000}};
  EXPECT_NEAR(estimate(shape, place).latency_us, 1.12 * (6 + 6 * 3.7 + 3), 1e-9);
  place.latency = Duration{20'000};
  EXPECT_NEAR(estimate(shape, place).latency_us, 1.12 * (6 + 6 * 3.7 + 20), 1e-9);
}

TEST(NcclEstimateTest, BroadcastsAndReductionsMoveThePayloadOnce) {
  for (const CollectiveOp op : {CollectiveOp::kBroadcast, CollectiveOp::kReduce}) {
    const NcclEstimate found = estimate({op, 8, Bytes{1'000'000}}, one_host(235));
    EXPECT_NEAR(found.latency_us, 1.12 * (6 + 7 * 1.35), 1e-9);
    EXPECT_NEAR(found.bytes_us, 1e3 / 235, 1e-9);
  }
}

TEST(NcclEstimateTest, MessagesAndAllToAllsHaveABaseTime) {
  const NcclEstimate message = estimate({CollectiveOp::kSendRecv, 2, Bytes{1'000'000}}, one_host(235));
  EXPECT_NEAR(message.latency_us, 1.12 * (8.4 + 0.05), 1e-9);
  EXPECT_NEAR(message.bytes_us, 1e3 / 235, 1e-9);
  const NcclEstimate exchange = estimate({CollectiveOp::kAllToAll, 8, Bytes{8'000'000}}, one_host(235));
  EXPECT_NEAR(exchange.latency_us, 1.12 * (8.4 + 7 * 0.05), 1e-9);
  EXPECT_NEAR(exchange.bytes_us, (7 + 0.3) * 1e3 / 235, 1e-9);
}

TEST(NcclEstimateTest, AllToAllsBetweenHostsPayWhatLeavesTheHost) {
  // Two hosts of four with NICs of 100 GB/s together: each of 8 ranks sends four of its eight parts of 1 MB over a
  // quarter of them, at 0.9 of its rate.
  CollectivePlace place = one_host(235);
  place.hosts = 2;
  place.between = gb_s(100);
  const NcclEstimate found = estimate({CollectiveOp::kAllToAll, 8, Bytes{8'000'000}}, place);
  EXPECT_NEAR(found.latency_us, 1.12 * (8.4 + 3 * 0.05 + 4 * 1.1), 1e-9);
  EXPECT_NEAR(found.bytes_us, 4 * 1e3 / (25 * 0.9), 1e-9);
  place.latency = Duration{50'000};
  EXPECT_NEAR(estimate({CollectiveOp::kAllToAll, 8, Bytes{8'000'000}}, place).latency_us, found.latency_us + 1.12 * 47,
              1e-9);
  CollectivePlace there{.hosts = 2, .between = gb_s(50), .device = "A100"};
  there.latency = Duration{50'000};
  EXPECT_NEAR(estimate({CollectiveOp::kSendRecv, 2, Bytes{1000}}, there).latency_us, 1.12 * (8.4 + 1.1 + 47), 1e-9);
}

TEST(NcclTimeTest, HostsWithoutLinksBetweenThemMoveNothing) {
  CollectivePlace place = one_host(235);
  place.hosts = 2;
  for (const CollectiveOp op : {CollectiveOp::kAllToAll, CollectiveOp::kAllReduce, CollectiveOp::kSendRecv}) {
    const Duration time = nccl_time({op, op == CollectiveOp::kSendRecv ? 2U : 8U, Bytes{1 << 20}}, place);
    EXPECT_LT(time, Duration{1'000'000}) << static_cast<int>(op);
  }
}

TEST(NcclEstimateTest, WithoutPeerAccessDevicesShareTheMemoryOfTheirHost) {
  EXPECT_TRUE(has_peer_access("NVIDIA H100 80GB HBM3"));
  EXPECT_TRUE(has_peer_access(""));
  EXPECT_FALSE(has_peer_access("NVIDIA L40S"));
  EXPECT_EQ(through_host_memory(2), 1);
  EXPECT_EQ(through_host_memory(4), 0.25);
}

TEST(NcclTimeTest, LinksUpToTheFastestPcieArePcieForAllQuestions) {
  // Links of these rates count as PCIe (kFastestPcie). An unknown device on PCIe is taken for an Ampere; an NVLink of
  // the same rate would be taken for Volta's.
  for (const double rate : {40.0, 52.0, 63.0}) EXPECT_EQ(generation_of("", gb_s(rate)), GpuGeneration::kAmpere) << rate;
}

TEST(NcclTimeTest, KernelsOfTwoRanksTakeWhatTheyTakeInCapturesThatItWasNotFittedTo) {
  // The times are from fresh/README.md, which describes captures: all-reduces without other work, on two A100 over
  // NVLink and on two RTX 3090 over PCIe. An earlier fit of the model was 114 % off for the first time in this list,
  // and the error ranges that it gave did not contain the times of the RTX 3090.
  struct Measured {
    double rate;
    std::int64_t bytes;
    double us;
  };
  for (const Measured& one : {Measured{240, 6'400, 13.5}, Measured{240, 10'240'000, 93}, Measured{240, 40'960'000, 261},
                              Measured{9.6, 1'536, 12.4}, Measured{9.6, 1'179'648, 133.0},
                              Measured{9.6, 4'718'592, 490.5}, Measured{9.6, 15'360'000, 1641.6}}) {
    const NcclTime found = nccl_time_and_error(all_reduce(2, one.bytes), one_host(one.rate, "A100"));
    EXPECT_NEAR(found.us / one.us, 1, 0.35) << one.bytes;
    EXPECT_LE(std::abs(found.us - one.us), found.error_us) << one.bytes;
  }
}

/// Hosts of four GH200, whose NICs carry 100 GB/s together (shared/truth/cluster/alps).
CollectivePlace alps(std::uint32_t hosts) {
  return {.hosts = hosts, .inside = gb_s(328), .between = gb_s(100), .device = "GH200"};
}

TEST(NcclEstimateTest, TwoHostsSendThePayloadOnceThroughATreeAndMoreHostsARing) {
  // Measured: 1 GiB takes 12.16 ms on two hosts, 22.12 ms on four and 22.68 ms on eight. A tree reaches 0.78 of a data
  // sheet's rate, and 0.88 of the rate that tables show.
  const NcclEstimate two = carried(all_reduce(8, 1 << 30), alps(2));
  EXPECT_EQ(two.algorithm, "tree");
  EXPECT_NEAR(two.bytes_us, (1 << 30) / (0.88 * 100e3), 1e-6);
  EXPECT_NEAR(two.us(), 12'160, 0.05 * 12'160);
  const NcclEstimate by_data_sheet = estimate(all_reduce(8, 1 << 30), alps(2));
  EXPECT_EQ(by_data_sheet.algorithm, "tree");
  EXPECT_NEAR(by_data_sheet.bytes_us, (1 << 30) / (0.78 * 100e3), 1e-6);
  const NcclEstimate four = estimate(all_reduce(16, 1 << 30), alps(4));
  EXPECT_EQ(four.algorithm, "ring");
  EXPECT_NEAR(four.us(), 22'120, 0.08 * 22'120);
  EXPECT_NEAR(estimate(all_reduce(32, 1 << 30), alps(8)).us(), 22'680, 0.08 * 22'680);
}

TEST(NcclEstimateTest, TwoHostsWithPcieTakeARing) {
  // Measured with four GPUs per host and 10 Gb/s (shared/truth/fabrics/hkbu): 1.15 GB/s of ring traffic on two hosts,
  // as on four and eight.
  const CollectivePlace place{.hosts = 2, .inside = gb_s(4.58), .between = gb_s(1.15), .device = "RTX 2080 Ti"};
  const NcclEstimate found = estimate(all_reduce(8, 1'344'000'000), place);
  EXPECT_EQ(found.algorithm, "ring");
  EXPECT_NEAR(found.us(), 1.75 * 1'344'000 / 1.15, 0.04 * found.us());
}

TEST(NcclTimeTest, ATableOfTwoHostsGivesTheTimesOfMore) {
  const std::vector<MeasuredCollective> tables{
      {CollectiveOp::kAllReduce, 8, 2, gb_s(100), gb_s(100), {{Bytes{1 << 30}, Duration{12'160'000}}}}};
  CollectivePlace place = alps(4);
  place.measured = tables;
  EXPECT_NEAR(us(nccl_time(all_reduce(16, 1 << 30), place)), 22'120, 0.1 * 22'120);
  // And the reverse.
  const std::vector<MeasuredCollective> of_four{
      {CollectiveOp::kAllReduce, 16, 4, gb_s(94), gb_s(94), {{Bytes{1 << 30}, Duration{22'120'000}}}}};
  place = alps(2);
  place.between = gb_s(94);
  place.measured = of_four;
  EXPECT_NEAR(us(nccl_time(all_reduce(8, 1 << 30), place)), 12'160, 0.1 * 12'160);
}

TEST(NcclTimeTest, LinksOfFTimesTheRateSaveAtMostThatFactor) {
  // Of tables that are faster and slower than the model, at some sizes.
  for (const double share : {0.2, 0.9, 1.0, 1.1, 5.0}) {
    for (const std::uint32_t hosts : {1U, 2U, 4U}) {
      std::vector<MeasuredCollective> tables{{CollectiveOp::kAllReduce, 4 * hosts, hosts, gb_s(100), gb_s(100), {}}};
      CollectivePlace place = alps(hosts);
      if (hosts == 1) place.inside = gb_s(100);
      for (const std::int64_t bytes : {1 << 12, 1 << 18, 1 << 24, 1 << 30}) {
        const double model = carried(all_reduce(4 * hosts, bytes), place).us();
        tables[0].times.emplace_back(Bytes{bytes},
                                     Duration{std::llround(model * (bytes == 1 << 18 ? 1 / share : share) * 1e3)});
      }
      for (const std::uint32_t members : {4 * hosts, 8 * hosts}) {
        for (const std::int64_t bytes : {1 << 10, 1 << 18, 1 << 21, 1 << 26, 1 << 30}) {
          place.measured = tables;
          const double before = us(nccl_time(all_reduce(members, bytes), place));
          for (const double factor : {1.1, 2.0, 10.0, 100.0}) {
            CollectivePlace faster = place;
            faster.inside = gb_s(place.inside.bytes_per_second() / 1e9 * factor);
            faster.between = gb_s(place.between.bytes_per_second() / 1e9 * factor);
            const double after = us(nccl_time(all_reduce(members, bytes), faster));
            EXPECT_GE(after, before / factor - 2e-3) << share << ' ' << hosts << ' ' << members << ' ' << bytes;
            EXPECT_LE(after, before + 2e-3);
          }
        }
      }
    }
  }
}

TEST(NcclEstimateTest, TreesWinBetweenManyHosts) {
  // The latency of a ring grows with the number of hosts, that of a tree only with its logarithm.
  CollectivePlace place = one_host(235);
  place.hosts = 64;
  place.between = gb_s(100);
  EXPECT_EQ(estimate(all_reduce(512, 1 << 16), place).algorithm, "tree");
}

TEST(NcclTimeTest, NeverFallsWithTheBytesNorWithASlowerLink) {
  for (const CollectiveOp op : {CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter, CollectiveOp::kAllGather,
                                CollectiveOp::kBroadcast, CollectiveOp::kReduce, CollectiveOp::kAllToAll}) {
    for (const std::string_view device : {"V100", "A100", "H100", "B200"}) {
      for (const std::uint32_t hosts : {1U, 2U, 8U}) {
        CollectivePlace place = one_host(200, device);
        place.hosts = hosts;
        place.between = hosts > 1 ? gb_s(100) : Bandwidth{};
        Duration before{};
        for (std::int64_t bytes = 1; bytes < std::int64_t{1} << 36U; bytes *= 2) {
          const CollectiveShape shape{op, 16, Bytes{bytes}};
          const Duration now = nccl_time(shape, place);
          EXPECT_GE(now, before) << device << " " << bytes;
          const auto slower = [&](auto change) {
            CollectivePlace other = place;
            change(other);
            EXPECT_GE(nccl_time(shape, other), now) << device << " " << bytes << " on " << hosts;
          };
          slower([](CollectivePlace& other) { other.inside = gb_s(100); });
          slower([](CollectivePlace& other) { other.between = gb_s(10); });
          slower([](CollectivePlace& other) { other.latency = Duration{10'000}; });
          slower([](CollectivePlace& other) { other.latency_inside = Duration{10'000}; });
          before = now;
        }
      }
    }
  }
}

TEST(NcclTimeTest, NothingIsKnownWithoutALink) {
  EXPECT_EQ(nccl_time(all_reduce(8, 1000), {}), Duration{});
  EXPECT_EQ(nccl_time(all_reduce(1, 1000), one_host(235)), Duration{});
}

MeasuredCollective table(std::uint32_t ranks, std::vector<std::pair<Bytes, Duration>> times) {
  return {CollectiveOp::kAllReduce, ranks, 1, gb_s(240), gb_s(240), std::move(times)};
}

TEST(NcclTimeTest, TableOfAsManyRanksIsTakenAsItIs) {
  const std::vector<MeasuredCollective> tables{
      table(2, {{Bytes{1 << 20}, Duration{900'000}}}),
      table(8, {{Bytes{1 << 20}, Duration{70'000}}, {Bytes{1 << 22}, Duration{100'000}}})};
  CollectivePlace place = one_host(240);
  place.measured = tables;
  EXPECT_EQ(nccl_time(all_reduce(8, 1 << 20), place), Duration{70'000});
  EXPECT_EQ(nccl_time(all_reduce(8, 1 << 22), place), Duration{100'000});
}

TEST(NcclTimeTest, BetweenTwoSizesTheLogarithmsAreStraight) {
  const std::vector<MeasuredCollective> tables{
      table(8, {{Bytes{1 << 20}, Duration{50'000}}, {Bytes{1 << 22}, Duration{200'000}}})};
  CollectivePlace place = one_host(240);
  place.measured = tables;
  EXPECT_NEAR(us(nccl_time(all_reduce(8, 1 << 21), place)), 100, 0.01);
}

TEST(NcclTimeTest, NearerRankCountsCountMore) {
  // 8 ranks are two doublings from the table of 2 ranks and one doubling from that of 4. Weights fall with the square
  // of the doublings, so they are 1/4 and 1. The times in the tables exceed the model's by 100 us and 10 us.
  const CollectivePlace alone = one_host(240);
  const auto model = [&](std::uint32_t ranks) { return carried(all_reduce(ranks, 1 << 20), alone).us(); };
  const auto above = [&](std::uint32_t ranks, double excess) {
    return table(ranks, {{Bytes{1 << 20}, Duration{std::llround((model(ranks) + excess) * 1e3)}}});
  };
  const std::vector<MeasuredCollective> tables{above(2, 100), above(4, 10)};
  CollectivePlace place = alone;
  place.measured = tables;
  const double expected = std::exp((std::log(model(8) + 100) / 4 + std::log(model(8) + 10)) / 1.25);
  EXPECT_NEAR(us(nccl_time(all_reduce(8, 1 << 20), place)), expected, 0.01);
}

TEST(NcclTimeTest, TheTableOfTheSameLayoutIsTakenInAnyOrder) {
  const auto of_16_ranks_on = [](std::uint32_t hosts, std::int64_t time_us) {
    return MeasuredCollective{
        CollectiveOp::kAllReduce, 16, hosts, gb_s(25), gb_s(25), {{Bytes{1 << 24}, Duration{time_us * 1000}}}};
  };
  std::vector<MeasuredCollective> tables{of_16_ranks_on(2, 900), of_16_ranks_on(16, 3000)};
  for (int order = 0; order < 2; ++order) {
    CollectivePlace place = one_host(240);
    place.between = gb_s(25);
    place.measured = tables;
    for (const auto& [hosts, time_us] : {std::pair{2U, 900}, std::pair{16U, 3000}}) {
      place.hosts = hosts;
      EXPECT_EQ(nccl_time(all_reduce(16, 1 << 24), place), Duration{time_us * 1000}) << hosts;
    }
    std::swap(tables[0], tables[1]);
  }
}

TEST(NcclTimeTest, TablesOfOneLayoutAreAveraged) {
  const std::vector<MeasuredCollective> tables{table(8, {{Bytes{1 << 20}, Duration{100'000}}}),
                                               table(8, {{Bytes{1 << 20}, Duration{400'000}}})};
  CollectivePlace place = one_host(240);
  place.measured = tables;
  const NcclTime found = nccl_time_and_error(all_reduce(8, 1 << 20), place);
  EXPECT_NEAR(found.us, 200, 1e-6);
  EXPECT_NEAR(found.error_us, 200, 1e-6);  // both are within a factor of 1 + 200 / 200
}

/// The error without a table of the same ranks, hosts and sizes, `doublings` beyond all that was measured.
double usual_error(double us, double doublings) {
  return us * (std::pow(1 + (25 + 0.15 * us) / us, 1 + 0.3 * doublings) - 1);
}

TEST(NcclErrorTest, GrowsWithTheDistanceFromWhatWasMeasured) {
  const auto error_beyond = [](std::uint32_t hosts, std::uint32_t per_host, double doublings,
                               std::span<const MeasuredCollective> tables = {}) {
    CollectivePlace place = one_host(240);
    place.hosts = hosts;
    place.between = hosts > 1 ? gb_s(100) : Bandwidth{};
    place.measured = tables;
    const NcclTime found = nccl_time_and_error(all_reduce(hosts * per_host, 1 << 24), place);
    EXPECT_NEAR(found.error_us, usual_error(found.us, doublings), 1e-6 * found.us) << hosts << " x " << per_host;
  };
  error_beyond(10, 8, 0);  // the largest of the fit
  error_beyond(20, 8, 1);
  error_beyond(640, 8, 6);
  error_beyond(640, 1, 6);
  error_beyond(1, 32, 2);
  error_beyond(20, 16, 2);
  const std::vector<MeasuredCollective> tables{
      {CollectiveOp::kAllReduce, 160, 20, gb_s(100), gb_s(100), {{Bytes{1 << 24}, Duration{2'000'000}}}}};
  error_beyond(5, 8, 0, tables);
  error_beyond(40, 8, 1, tables);
}

// Links of 24 GB/s, of which eight devices that share their host's memory have a sixteenth and four a quarter.
TEST(NcclTimeTest, TablesOfDevicesThatShareTheirHostsMemoryContainTheSharing) {
  const std::vector<MeasuredCollective> tables{
      {CollectiveOp::kAllReduce, 8, 1, gb_s(24), gb_s(1.5), {{Bytes{1 << 30}, Duration{1'250'000'000}}}}};
  CollectivePlace place = one_host(24.0 / 16);
  place.shares_host_memory = true;
  place.measured = tables;
  const NcclTime same = nccl_time_and_error(all_reduce(8, 1 << 30), place);
  EXPECT_NEAR(same.us, 1'250'000, 1);
  EXPECT_NEAR(same.error_us, 6 + 0.05 * same.us, 1) << "the table has these ranks and links";
  place.inside = gb_s(24.0 / 4);
  const double fewer = nccl_time_and_error(all_reduce(4, 1 << 30), place).us;
  EXPECT_NEAR(fewer / same.us, (1.5 / 1.75) / 4, 0.01);
}

TEST(NcclErrorTest, MoreHostsThanWereMeasuredMayBeCongested) {
  CollectivePlace place = one_host(240);
  place.between = gb_s(100);
  for (const auto& [hosts, factor] : {std::pair{10U, 1.0}, std::pair{20U, 1.2}, std::pair{40U, 1.44}}) {
    place.hosts = hosts;
    const CollectiveShape shape = all_reduce(hosts * 8, 1 << 30);
    const NcclTime found = nccl_time_and_error(shape, place);
    EXPECT_NEAR(found.congestion, factor, 1e-9) << hosts;
    const auto end = [&](double side) {
      place.side = side;
      return static_cast<double>(nccl_time(shape, place).count()) / 1e3;
    };
    EXPECT_NEAR(end(1), (found.us + found.error_us) * factor, 1e-3) << hosts;
    EXPECT_NEAR(end(0), found.us, 1e-3) << hosts;
    EXPECT_NEAR(end(-1), found.us * found.us / (found.us + found.error_us), 1e-3) << hosts;
  }
}

TEST(NcclErrorTest, DoublesWithEachDoublingOfTheRanksPerHost) {
  const std::vector<MeasuredCollective> tables{
      {CollectiveOp::kAllReduce, 10, 10, gb_s(25), gb_s(25), {{Bytes{1 << 24}, Duration{3'000'000}}}}};
  CollectivePlace place = one_host(240);
  place.between = gb_s(25);
  place.hosts = 10;
  place.measured = tables;
  for (const std::uint32_t per_host : {2U, 8U}) {
    const NcclTime found = nccl_time_and_error(all_reduce(10 * per_host, 1 << 24), place);
    EXPECT_NEAR(found.us + found.error_us, (found.us + 25 + 0.15 * found.us) * per_host, 1e-6);
  }
  place.hosts = 5;  // one rank per host, as in the table
  const NcclTime found = nccl_time_and_error(all_reduce(5, 1 << 24), place);
  EXPECT_NEAR(found.error_us, 25 + 0.15 * found.us, 1e-6);
}

TEST(NcclTimeTest, SlowerLinksSlowDownTheBytesOfATable) {
  const std::vector<MeasuredCollective> tables{table(8, {{Bytes{1 << 30}, Duration{9'000'000}}})};
  CollectivePlace place = one_host(240);
  place.measured = tables;
  CollectivePlace half = one_host(120);
  half.measured = tables;
  const double more =
      carried(all_reduce(8, 1 << 30), one_host(120)).us() - carried(all_reduce(8, 1 << 30), one_host(240)).us();
  EXPECT_NEAR(us(nccl_time(all_reduce(8, 1 << 30), half)), 9'000 + more, 0.01);
}

TEST(NcclTimeTest, FasterLinksSaveAtMostTheirFactorOfAMeasuredTime) {
  // Two hosts reduced 100 MB in 3.000 ms, which is 33.3 GB/s of bus bandwidth. The formula's tree, which reaches 0.88
  // of that rate, is above the measured time: 1.12 (6 + 2 * 3) us, 3 / 0.88 ms and the pipeline.
  const Bandwidth link = gb_s(100.0 / 3);
  const std::vector<MeasuredCollective> tables{
      {CollectiveOp::kAllReduce, 2, 2, link, link, {{Bytes{100'000'000}, Duration{3'000'000}}}}};
  const auto time = [&](double factor) {
    const CollectivePlace place{.hosts = 2, .between = gb_s(100.0 / 3 * factor), .measured = tables};
    return us(nccl_time(all_reduce(2, 100'000'000), place));
  };
  const auto model = [](double factor) {
    const double latency = 1.12 * (6 + 2 * 3);
    const double transfer = 3'000 / 0.88 / factor;
    return latency + transfer + pipeline(latency, transfer);
  };
  EXPECT_EQ(time(1), 3'000);
  for (const double factor : {0.25, 0.5, 2.0, 4.0, 10.0, 100.0})
    EXPECT_NEAR(time(factor), 3'000 * model(factor) / model(1), 0.01) << factor;
  EXPECT_GT(time(10), 300);
  EXPECT_LT(time(0.5), 6'000);
}

TEST(NcclTimeTest, LinksThatAWhatIfChangesStayOfTheirKind) {
  // NVLinks of A100 with three times their rate do not reduce in the switch, and have the latencies of Ampere.
  CollectivePlace faster = one_host(3 * 219, "");
  faster.built = {gb_s(219), Bandwidth{}};
  const NcclEstimate ring = estimate(all_reduce(8, 1'000'000'000), faster);
  EXPECT_EQ(ring.algorithm, "ring");
  EXPECT_NEAR(ring.latency_us, 1.12 * (6 + 14 * 1.35), 1e-9);
  // PCIe stays PCIe, whose latencies have no factor.
  CollectivePlace pcie = one_host(100, "");
  pcie.built = {gb_s(25), Bandwidth{}};
  EXPECT_NEAR(estimate(all_reduce(8, 1'000'000'000), pcie).latency_us, 6 + 14 * 1.35, 1e-9);
}

TEST(NcclTimeTest, AllGatherTakesTheExcessOfAnAllReduceOfTheSameTraffic) {
  const std::vector<MeasuredCollective> tables{
      table(8, {{Bytes{1 << 20}, Duration{80'000}}, {Bytes{1 << 22}, Duration{80'000}}})};
  CollectivePlace place = one_host(240);
  place.measured = tables;
  // An all-gather moves half as many bytes as an all-reduce of the same payload, so 4 MiB correspond to 2 MiB.
  const CollectiveShape gather{CollectiveOp::kAllGather, 8, Bytes{1 << 22}};
  const auto model = [](const CollectiveShape& of) { return carried(of, one_host(240)).us(); };
  const double beyond = 80 - model(all_reduce(8, 1 << 21));
  EXPECT_NEAR(us(nccl_time(gather, place)), model(gather) + beyond, 0.01);
}

TEST(NcclEstimateTest, MeasuredRatesAndOverheadsAreThoseOfTheRing) {
  // If the overhead and the links' rates were measured with ring collectives, the rest is the formula of a ring: its
  // hops, and its bytes at the full rate.
  CollectivePlace place = one_host(400, "H100");
  place.latency_inside = Duration{3'000};
  place.overhead_is_given = true;
  place.rates_are_measured = true;
  const NcclEstimate found = estimate(all_reduce(8, 1 << 30), place);
  EXPECT_EQ(found.algorithm, "ring");
  EXPECT_NEAR(found.us(), 14 * 1.35 + 1.75 * (1 << 30) / 400e3, 1e-6);
}

TEST(NcclEstimateTest, TreesWinBetweenManyHostsAlsoWithMeasuredRates) {
  // One rank per host; a link carries 10 GB/s with a latency of 8 us. A ring of 4,096 hosts has 8,190 hops, a tree 24.
  const CollectivePlace place{.hosts = 4096,
                              .between = Bandwidth::from_bytes_per_second(10e9),
                              .latency = Duration{8'000},
                              .overhead_is_given = true,
                              .rates_are_measured = true};
  const NcclEstimate found = estimate(all_reduce(4096, 1 << 20), place);
  EXPECT_EQ(found.algorithm, "tree");
  EXPECT_NEAR(found.us(), 24 * 8 + 2 * (1 << 20) / (0.78 * 10e3), 1e-6);
  CollectivePlace two = place;
  two.hosts = 2;
  EXPECT_EQ(estimate(all_reduce(2, 1 << 20), two).algorithm, "ring");
}

constexpr double usual_error(double time) { return 25 + 0.15 * time; }

TEST(NcclErrorTest, IsUsualWhereNothingLikeItWasMeasured) {
  CollectivePlace place = one_host(240);
  const auto expect_usual = [&](const CollectiveShape& shape) {
    const NcclTime found = nccl_time_and_error(shape, place);
    EXPECT_NEAR(found.error_us, usual_error(found.us), 1e-9);
  };
  expect_usual(all_reduce(8, 1 << 20));  // without any table
  const std::vector<MeasuredCollective> tables{
      table(8, {{Bytes{1 << 20}, Duration{80'000}}, {Bytes{1 << 22}, Duration{80'000}}})};
  place.measured = tables;
  expect_usual(all_reduce(4, 1 << 20));
  expect_usual(all_reduce(8, 1 << 19));
  expect_usual(all_reduce(8, 1 << 23));
  expect_usual({CollectiveOp::kAllGather, 8, Bytes{1 << 21}});
  place.inside = gb_s(120);
  expect_usual(all_reduce(8, 1 << 21));
}

TEST(NcclErrorTest, OfATableIsAsLargeAsItsSizesDiffer) {
  // All measured times are 100 us except one of 200 us, at 4 MiB. The times at that size and its neighbours are
  // uncertain.
  std::vector<std::pair<Bytes, Duration>> times;
  for (std::int64_t mib = 1; mib <= 256; mib *= 2) times.emplace_back(Bytes{mib << 20}, Duration{100'000});
  times[2].second = Duration{200'000};
  const std::vector<MeasuredCollective> tables{table(8, times)};
  CollectivePlace place = one_host(240);
  place.measured = tables;
  EXPECT_NEAR(nccl_time_and_error(all_reduce(8, 4 << 20), place).error_us, 200 - 100, 1e-9);
  EXPECT_NEAR(nccl_time_and_error(all_reduce(8, 64 << 20), place).error_us, 6 + 0.05 * 100, 1e-9);
  place.measured_in_capture = true;
  EXPECT_EQ(nccl_time_and_error(all_reduce(8, 4 << 20), place).error_us, 0) << "the replay of the capture shows it";
}

TEST(NcclErrorTest, SidesAreFactorsOfTheTime) {
  CollectivePlace place = one_host(240);
  const NcclTime found = nccl_time_and_error(all_reduce(8, 1 << 20), place);
  place.side = 1;
  EXPECT_NEAR(us(nccl_time(all_reduce(8, 1 << 20), place)), found.us + found.error_us, 1e-3);
  place.side = -1;
  EXPECT_NEAR(us(nccl_time(all_reduce(8, 1 << 20), place)), found.us * found.us / (found.us + found.error_us), 1e-3);
}

TEST(GenerationTest, NameTellsElseTheLinks) {
  EXPECT_EQ(generation_of("NVIDIA A100-SXM4-80GB", gb_s(720)), GpuGeneration::kAmpere);
  EXPECT_EQ(generation_of("nvidia h200", {}), GpuGeneration::kHopper);
  EXPECT_EQ(generation_of("NVIDIA GB200", {}), GpuGeneration::kBlackwell);
  EXPECT_EQ(generation_of("Tesla V100-SXM2-16GB", {}), GpuGeneration::kVolta);
  EXPECT_EQ(generation_of("", gb_s(0.73 * 150)), GpuGeneration::kVolta);
  EXPECT_EQ(generation_of("", gb_s(0.73 * 300)), GpuGeneration::kAmpere);
  EXPECT_EQ(generation_of("", gb_s(0.73 * 450)), GpuGeneration::kHopper);
  EXPECT_EQ(generation_of("", gb_s(0.73 * 900)), GpuGeneration::kBlackwell);
}

}  // namespace
}  // namespace stepsim
