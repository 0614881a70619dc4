#include "model/cost/collective/nccl_times.h"

#include <gtest/gtest.h>

#include <cmath>

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

double us(Duration time) { return static_cast<double>(time.count()) / 1e3; }

TEST(NcclEstimateTest, ShortAllReducesGoByLlAndPayHopsNotBytes) {
  // The latency is 6.6 us plus 0.6 us for each of 14 steps. A rank sends 1.75 kB at 87.7 GB/s, the largest rate of
  // protocol LL on Ampere.
  const NcclEstimate found = estimate(all_reduce(8, 1000), one_host(235));
  EXPECT_EQ(found.protocol, "LL");
  EXPECT_NEAR(found.latency_us, 6.6 + 14 * 0.6, 1e-9);
  EXPECT_NEAR(found.bytes_us, 1.75 / 87.7, 1e-9);
}

TEST(NcclEstimateTest, LongAllReducesGoByTheSimpleRing) {
  const NcclEstimate found = estimate(all_reduce(8, 1'000'000'000), one_host(235));
  EXPECT_EQ(found.algorithm, "ring");
  EXPECT_EQ(found.protocol, "Simple");
  EXPECT_NEAR(found.latency_us, 8.4 + 14 * 3.4, 1e-9);
  EXPECT_NEAR(found.bytes_us, 1.75e6 / 235, 1e-6);
}

TEST(NcclEstimateTest, HopperReducesInItsSwitchBetweenThreeRanksOrMore) {
  const NcclEstimate eight = estimate(all_reduce(8, 1'000'000'000), one_host(360, "NVIDIA H100 80GB HBM3"));
  EXPECT_EQ(eight.algorithm, "nvls");
  EXPECT_NEAR(eight.us(), 25 + 1.125e6 / (360 * 0.85), 1e-6);
  EXPECT_EQ(estimate(all_reduce(2, 1'000'000'000), one_host(360, "H200")).algorithm, "ring");
  EXPECT_EQ(estimate({CollectiveOp::kAllGather, 8, Bytes{1'000'000'000}}, one_host(360, "H200")).algorithm, "ring");
}

TEST(NcclEstimateTest, PcieHasNoLl128) {
  for (std::int64_t bytes = 1; bytes < std::int64_t{1} << 36U; bytes *= 2) {
    EXPECT_NE(estimate(all_reduce(4, bytes), one_host(24)).protocol, "LL128") << bytes;
  }
}

TEST(NcclEstimateTest, StepsBetweenHostsTakeWhatTheNetworkTakes) {
  // An all-gather of two hosts with four ranks each has 7 steps, one of them between the hosts. The other 6 take 1 us
  // each: posting to the network takes at least that long (tuning.cc, getNetOverhead), while NVLink alone takes 0.6 us.
  CollectivePlace place = one_host(235);
  place.hosts = 2;
  place.between = gb_s(50);
  const CollectiveShape shape{CollectiveOp::kAllGather, 8, Bytes{1000}};
  EXPECT_NEAR(estimate(shape, place).latency_us, 6.6 + 6 * 1.0 + 2.7, 1e-9);
  place.latency = Duration{20'000};
  EXPECT_NEAR(estimate(shape, place).latency_us, 6.6 + 6 * 1.0 + 20, 1e-9);
}

TEST(NcclEstimateTest, WithOneRankAHostTheNetworksLatencyIsATrees) {
  CollectivePlace place{.hosts = 4, .between = gb_s(1000), .device = "A100"};
  EXPECT_NEAR(estimate({CollectiveOp::kAllGather, 4, Bytes{1000}}, place).latency_us, 6.6 + 3 * 5.0, 1e-9);
}

TEST(NcclEstimateTest, BroadcastsAndReductionsPassOnAtOnce) {
  for (const CollectiveOp op : {CollectiveOp::kBroadcast, CollectiveOp::kReduce}) {
    EXPECT_NEAR(estimate({op, 8, Bytes{1000}}, one_host(235)).latency_us, 6.6 + 0.6, 1e-9);
    CollectivePlace place = one_host(235);
    place.hosts = 2;
    place.between = gb_s(50);
    EXPECT_NEAR(estimate({op, 8, Bytes{1000}}, place).latency_us, 6.6 + 2.7, 1e-9);
  }
}

TEST(NcclEstimateTest, LongSimpleRingsBetweenHostsReachAPlateau) {
  // Two hosts with two ranks each need 6 steps. Two of these are between the hosts and take 14 us each. The other 4
  // take 3.4 us each, the latency of NVLink, which is longer than the 3 us for posting to the network. The factor on
  // all steps is 1.4 from Ampere on and 1.9 on Volta.
  const auto latency_of = [](std::string_view device) {
    CollectivePlace place = one_host(1000, device);
    place.hosts = 2;
    place.between = gb_s(1000);
    const NcclEstimate found = estimate(all_reduce(4, 1'000'000'000), place);
    EXPECT_EQ(found.algorithm, "ring");
    EXPECT_EQ(found.protocol, "Simple");
    return found.latency_us;
  };
  EXPECT_NEAR(latency_of("A100"), 8.4 + 1.4 * (4 * 3.4 + 2 * 14), 1e-9);
  EXPECT_NEAR(latency_of("V100"), 8.4 + 1.9 * (4 * 3.4 + 2 * 14), 1e-9);
}

TEST(NcclEstimateTest, LlBetweenHostsCarriesWhatIsBetweenIntelsAndAmdsRows) {
  const auto rate_of = [](std::uint32_t hosts) {
    CollectivePlace place = one_host(1000);
    place.hosts = hosts;
    place.between = gb_s(1000);
    const NcclEstimate found = estimate({CollectiveOp::kAllGather, 16, Bytes{1000}}, place);
    EXPECT_EQ(found.protocol, "LL");
    return 1000.0 * 15 / 16 / found.bytes_us / 1e3;
  };
  EXPECT_NEAR(rate_of(2), std::sqrt(39 * 22.5), 0.05);
  EXPECT_NEAR(rate_of(4), std::sqrt(20.4 * 19), 0.05);
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

TEST(NcclEstimateTest, TreesWinBetweenManyHosts) {
  // The latency of a ring grows with the number of hosts, that of a tree only with its logarithm.
  CollectivePlace place = one_host(235);
  place.hosts = 64;
  place.between = gb_s(100);
  EXPECT_EQ(estimate(all_reduce(512, 1 << 16), place).algorithm, "tree");
}

TEST(NcclTimeTest, NeverFallsWithTheBytesNorWithASlowerLink) {
  for (const CollectiveOp op : {CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter, CollectiveOp::kAllGather,
                                CollectiveOp::kBroadcast, CollectiveOp::kReduce}) {
    for (const std::string_view device : {"V100", "A100", "H100", "B200"}) {
      Duration before{};
      for (std::int64_t bytes = 1; bytes < std::int64_t{1} << 36U; bytes *= 2) {
        const CollectiveShape shape{op, 8, Bytes{bytes}};
        const Duration now = nccl_time(shape, one_host(200, device));
        EXPECT_GE(now, before) << device << " " << bytes;
        EXPECT_GE(nccl_time(shape, one_host(100, device)), now) << device << " " << bytes;
        before = now;
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
  const auto model = [&](std::uint32_t ranks) {
    return with_carried_excess_us(estimate(all_reduce(ranks, 1 << 20), alone));
  };
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

TEST(NcclErrorTest, DoublesWithEachDoublingOfTheRanksPerHost) {
  const std::vector<MeasuredCollective> tables{
      {CollectiveOp::kAllReduce, 10, 10, gb_s(25), gb_s(25), {{Bytes{1 << 24}, Duration{3'000'000}}}}};
  CollectivePlace place = one_host(240);
  place.between = gb_s(25);
  place.hosts = 10;
  place.measured = tables;
  for (const std::uint32_t per_host : {2U, 8U}) {
    const NcclTime found = nccl_time_and_error(all_reduce(10 * per_host, 1 << 24), place);
    EXPECT_NEAR(found.us + found.error_us, (found.us + 25 + 0.1 * found.us) * per_host, 1e-6);
  }
  place.hosts = 5;  // one rank per host, as in the table
  const NcclTime found = nccl_time_and_error(all_reduce(5, 1 << 24), place);
  EXPECT_NEAR(found.error_us, 25 + 0.1 * found.us, 1e-6);
}

TEST(NcclTimeTest, SlowerLinksSlowDownTheBytesOfATable) {
  const std::vector<MeasuredCollective> tables{table(8, {{Bytes{1 << 30}, Duration{9'000'000}}})};
  CollectivePlace place = one_host(240);
  place.measured = tables;
  CollectivePlace half = one_host(120);
  half.measured = tables;
  const double more =
      estimate(all_reduce(8, 1 << 30), one_host(120)).us() - estimate(all_reduce(8, 1 << 30), one_host(240)).us();
  EXPECT_NEAR(us(nccl_time(all_reduce(8, 1 << 30), half)), 9'000 + more, 0.01);
}

TEST(NcclTimeTest, AllGatherTakesTheExcessOfAnAllReduceOfTheSameTraffic) {
  const std::vector<MeasuredCollective> tables{
      table(8, {{Bytes{1 << 20}, Duration{80'000}}, {Bytes{1 << 22}, Duration{80'000}}})};
  CollectivePlace place = one_host(240);
  place.measured = tables;
  // An all-gather moves half as many bytes as an all-reduce of the same payload, so 4 MiB correspond to 2 MiB.
  const CollectiveShape gather{CollectiveOp::kAllGather, 8, Bytes{1 << 22}};
  const auto carried = [](const CollectiveShape& of) { return with_carried_excess_us(estimate(of, one_host(240))); };
  const double beyond = 80 - carried(all_reduce(8, 1 << 21));
  EXPECT_NEAR(us(nccl_time(gather, place)), carried(gather) + beyond, 0.01);
}

TEST(NcclEstimateTest, MeasuredRatesAreNotLessUnderAnyProtocol) {
  // If the links' rates were measured with ring collectives, every protocol carries payload at the full measured rate.
  // So the estimate is the latency of protocol LL plus the bytes of a ring at 400 GB/s. NVLS, which reduces in the
  // switch, is not used.
  CollectivePlace place = one_host(400, "H100");
  place.rates_are_measured = true;
  const NcclEstimate found = estimate(all_reduce(8, 1 << 30), place);
  EXPECT_EQ(found.algorithm, "ring");
  EXPECT_NEAR(found.us(), 6.6 + 14 * 0.6 + 1.75 * (1 << 30) / 400e3, 1e-6);
}

constexpr double usual_error(double time) { return 25 + 0.1 * time; }

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
  EXPECT_EQ(generation_of("", gb_s(0.8 * 150)), GpuGeneration::kVolta);
  EXPECT_EQ(generation_of("", gb_s(0.8 * 300)), GpuGeneration::kAmpere);
  EXPECT_EQ(generation_of("", gb_s(0.8 * 450)), GpuGeneration::kHopper);
  EXPECT_EQ(generation_of("", gb_s(0.8 * 900)), GpuGeneration::kBlackwell);
}

}  // namespace
}  // namespace stepsim
