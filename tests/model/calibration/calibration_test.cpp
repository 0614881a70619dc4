#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "model/calibration/calibration.h"
#include "model/job/dag_builder.h"
#include "model/job/topology.h"
#include "tests/thrown_by.h"

namespace stepsim {
namespace {

using stepsim::testing::thrown_by;

using ::testing::HasSubstr;

Job job_with_network() {
  Job job;
  job.bandwidth = Bandwidth::from_bits_per_second(1e9);
  return job;
}

/// Returns a capture with `count` ranks, each with one task of 1 ns.
Capture ranks(Rank count) {
  DagBuilder builder;
  for (Rank rank = 0; rank < count; ++rank) {
    builder.add_task({.name = builder.intern("work"),
                      .lane = builder.add_lane({.name = "main", .rank = rank}),
                      .duration = Duration{1}});
  }
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  capture.inputs = {{"trace.json", 0, 0}};
  return capture;
}

std::string refused(const Capture& capture) {
  return thrown_by<InputError>([&] { return calibrate(capture); }, "");
}

TEST(CalibrateTest, WithoutMessagesTheNetworkIsTheOneOfJobYaml) {
  Capture capture = ranks(3);
  capture.job = job_with_network();
  capture.job.latency = Duration{20'000};
  const Calibration found = calibrate(capture);
  ASSERT_EQ(found.cluster.endpoints.size(), 3U);
  const Route route = found.cluster.route(EndpointId{0}, EndpointId{2}).value();
  ASSERT_EQ(route.size(), 2U);
  for (const LinkId link : route) {
    EXPECT_EQ(found.cluster.links[link.index()].bandwidth, Bandwidth::from_bits_per_second(1e9));
    EXPECT_EQ(found.cluster.links[link.index()].latency, Duration{20'000});
    EXPECT_EQ(found.cluster.links[link.index()].efficiency, kTcpEfficiency);
  }
}

TEST(CalibrateTest, WorkersComeBeforeServers) {
  Capture capture = ranks(1);
  capture.job = job_with_network();
  capture.job.workers = 2;
  capture.job.servers = 3;
  EXPECT_EQ(endpoint_count(capture), 5U);
  EXPECT_EQ(calibrate(capture).cluster.hosts.size(), 5U);
}

TEST(CalibrateTest, RanksOfOneHostShareItsLink) {
  Capture capture = ranks(4);
  capture.job = job_with_network();
  capture.job.workers = 2;
  capture.job.local_size = 2;
  const Cluster cluster = calibrate(capture).cluster;
  ASSERT_EQ(cluster.hosts.size(), 2U);
  ASSERT_EQ(cluster.endpoints.size(), 4U);
  EXPECT_TRUE(cluster.route(EndpointId{0}, EndpointId{1}).value().empty());
  EXPECT_EQ(cluster.route(EndpointId{0}, EndpointId{2}), cluster.route(EndpointId{1}, EndpointId{3}));
}

TEST(CalibrateTest, ATaskGraphsClusterIsTakenAsItIs) {
  Capture capture = ranks(2);
  capture.cluster = star(2, {.name = {}, .bandwidth = Bandwidth::from_bits_per_second(5e9)});
  const Calibration found = calibrate(capture);
  EXPECT_EQ(found.cluster, *capture.cluster);
  EXPECT_EQ(found.assumptions.size(), 1U);
}

/// Returns a capture of two ranks and a message between them without measured times.
Capture unmeasured_message() {
  DagBuilder builder;
  const LaneId link = builder.add_lane(
      {.name = "link", .rank = 1, .kind = LaneKind::kLink, .from = EndpointId{0}, .to = EndpointId{1}});
  builder.add_task({.kind = TaskKind::kTransfer, .name = builder.intern("send"), .lane = link, .bytes = Bytes{1000}});
  Capture capture;
  capture.dag = std::move(builder).build().dag;
  capture.inputs = {{"trace.json", 0, 0}};
  return capture;
}

TEST(CalibrateTest, RanksWithoutTransfersHaveNoNetwork) {
  const Calibration found = calibrate(ranks(2));
  EXPECT_EQ(found.cluster.endpoints.size(), 2U);
  EXPECT_TRUE(found.cluster.links.empty());
  EXPECT_THAT(found.assumptions,
              ::testing::ElementsAre(::testing::Field(&Assumption::sentence, HasSubstr("The network is unknown"))));
}

TEST(CalibrateTest, ACaptureThatShowsNothingIsRefusedWithTheRemedy) {
  const std::string message = refused(unmeasured_message());
  EXPECT_THAT(message, HasSubstr("trace.json: "));
  EXPECT_THAT(message, HasSubstr("'network: {bandwidth: 25Gb/s}' in job.yaml"));
}

TEST(CalibrateTest, ARankAloneNeedsNoNetwork) {
  const Calibration found = calibrate(ranks(1));
  EXPECT_EQ(found.cluster.endpoints.size(), 1U);
  EXPECT_TRUE(found.cluster.links.empty());
  EXPECT_EQ(found.assumptions.size(), 1U);
}

TEST(CalibrateTest, MoreRanksThanACaptureCanHaveAreRefused) {
  Capture capture = ranks(1);
  capture.job = job_with_network();
  capture.job.workers = 1'000'000'000;
  capture.job.local_size = 1'000'000'000;
  EXPECT_THAT(refused(capture), HasSubstr("expected at most 100000"));
}

/// Makes a capture with copies and launches and calibrates the rates of the host from it.
class HostRatesTest : public ::testing::Test {
 protected:
  void add(TaskKind kind, std::string_view name, std::int64_t bytes, std::int64_t nanoseconds) {
    builder_.add_task({.kind = kind,
                       .name = builder_.intern(name),
                       .lane = lane_,
                       .duration = Duration{nanoseconds},
                       .bytes = Bytes{bytes}});
  }
  Calibration calibration() {
    Capture capture;
    capture.dag = std::move(builder_).build().dag;
    capture.cluster = star(1, {.name = {}, .bandwidth = Bandwidth::from_bits_per_second(1e9)});
    return calibrate(capture);
  }

  DagBuilder builder_;
  LaneId lane_ = builder_.add_lane({.name = "stream 7", .kind = LaneKind::kStream});
};

TEST_F(HostRatesTest, ALaunchTakesTheMedianOfItsCalls) {
  for (const std::int64_t time : {4000, 5000, 6000, 90'000, 5000}) {
    add(TaskKind::kRuntime, "cudaLaunchKernel", 0, time);
  }
  add(TaskKind::kRuntime, "cudaMemcpyAsync", 0, 20'000);
  const Calibration found = calibration();
  EXPECT_EQ(found.cluster.rates.launch_overhead, Duration{5000});
  ASSERT_EQ(found.fits.size(), 1U);
  EXPECT_EQ(found.fits[0].samples, 5U);
  EXPECT_NEAR(found.fits[0].residual, 1.0 / 6, 1e-12);  // the median of the relative errors 1/4, 0, 1/6, 17/18 and 0
}

TEST_F(HostRatesTest, CopiesHaveARateEachWayAndOneOverhead) {
  // A copy takes 2 us, plus its bytes at 10 GB/s to the device or at 5 GB/s to the host.
  for (const std::int64_t bytes : {1'000, 50'000, 1'000'000}) {
    add(TaskKind::kCopy, "Memcpy HtoD (Pinned -> Device)", bytes, 2000 + bytes / 10);
    add(TaskKind::kCopy, "Memcpy DtoH (Device -> Pageable)", bytes, 2000 + bytes / 5);
    add(TaskKind::kCopy, "Memcpy DtoD (Device -> Device)", bytes, bytes);
  }
  const HostRates rates = calibration().cluster.rates;
  EXPECT_EQ(rates.copy_overhead, Duration{2000});
  EXPECT_NEAR(rates.copy_to_device.value().bytes_per_second(), 10e9, 1e3);
  EXPECT_NEAR(rates.copy_to_host.value().bytes_per_second(), 5e9, 1e3);
}

TEST_F(HostRatesTest, WhatWasNotSeenIsNotKnown) {
  add(TaskKind::kKernel, "gemm", 0, 1000);
  const Calibration found = calibration();
  EXPECT_EQ(found.cluster.rates, HostRates{});
  EXPECT_TRUE(found.fits.empty());
}

}  // namespace
}  // namespace stepsim
