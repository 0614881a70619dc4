#include "sim/stats/device_use.h"

#include <gtest/gtest.h>

#include "tests/sim/stats/measured_maker.h"

namespace stepsim::testing {
namespace {

using sim::DeviceUse;

std::vector<DeviceUse> use_of(const Capture& capture, const TraceDetails& details = {}) {
  return sim::device_use(sim::measured_work(capture, details));
}

/// The work on three streams, in nanoseconds:
///     compute  0-40          60-80
///     comm.        30-50         75-90
///     copies             45-55       85-95  and a memset 62-64
TEST(DeviceUseTest, DividesTheSpanExactly) {
  MeasuredMaker maker;
  const LaneId compute = maker.stream(0, 1, "stream 7");
  const LaneId communication = maker.stream(0, 1, "stream 20");
  const LaneId copies = maker.stream(0, 1, "stream 9");
  maker.add(compute, TaskKind::kKernel, "gemm", 0, 40);
  maker.add(compute, TaskKind::kKernel, "gemm", 60, 80);
  maker.add(communication, TaskKind::kCollective, "ncclAllReduce", 30, 50);
  maker.add(communication, TaskKind::kCollective, "ncclAllReduce", 75, 90);
  maker.add(copies, TaskKind::kCopy, "Memcpy HtoD", 45, 55);
  maker.add(copies, TaskKind::kMemset, "Memset", 62, 64);
  maker.add(copies, TaskKind::kCopy, "Memcpy HtoD", 85, 95);
  maker.add(maker.lane(0, LaneKind::kThread, "thread 1"), TaskKind::kHost, "python", 0, 500);
  const std::vector<DeviceUse> devices = use_of(maker.make());
  ASSERT_EQ(devices.size(), 1U);
  const DeviceUse& device = devices.front();
  EXPECT_EQ(device.rank, 0);
  EXPECT_EQ(device.device, 1);
  EXPECT_EQ(device.pieces, 7U);
  EXPECT_EQ(device.use.span, Duration{95});  // host work does not count
  EXPECT_EQ(device.use.compute, Duration{60});
  EXPECT_EQ(device.use.exposed_communication, Duration{20});  // 40 to 50 and 80 to 90 ns
  EXPECT_EQ(device.use.hidden_communication, Duration{15});
  EXPECT_EQ(device.use.exposed_copies, Duration{10});  // 50 to 55 and 90 to 95 ns
  EXPECT_EQ(device.use.hidden_copies, Duration{12});   // 45 to 50, 62 to 64 and 85 to 90 ns
  EXPECT_EQ(device.use.idle, Duration{5});             // 55 to 60 ns
  ASSERT_EQ(device.streams.size(), 3U);
  EXPECT_EQ(device.streams[0].name, "stream 7");
  EXPECT_EQ(device.streams[0].use.compute, Duration{60});
  EXPECT_EQ(device.streams[0].use.idle, Duration{35});
  EXPECT_EQ(device.streams[1].name, "stream 9");
  EXPECT_EQ(device.streams[1].use.exposed_copies, Duration{10});
  EXPECT_EQ(device.streams[1].use.hidden_copies, Duration{12});
  EXPECT_EQ(device.streams[2].name, "stream 20");
  EXPECT_EQ(device.streams[2].use.exposed_communication, Duration{20});
  EXPECT_EQ(device.streams[2].use.hidden_communication, Duration{15});
  EXPECT_EQ(device.streams[2].use.idle, Duration{60});
}

TEST(DeviceUseTest, WhatRunsAtOnceCountsOnce) {
  MeasuredMaker maker;
  maker.add(maker.stream(0, 0, "stream 7"), TaskKind::kKernel, "a", 0, 10);
  maker.add(maker.stream(0, 0, "stream 8"), TaskKind::kKernel, "b", 5, 12);
  const DeviceUse device = use_of(maker.make()).front();
  EXPECT_EQ(device.use.compute, Duration{12});
  EXPECT_EQ(device.use.idle, Duration{});
}

TEST(DeviceUseTest, EachDeviceOfEachRankIsOne) {
  MeasuredMaker maker;
  maker.add(maker.stream(1, 1, "stream 7"), TaskKind::kKernel, "a", 0, 10);
  maker.add(maker.stream(0, 0, "stream 7"), TaskKind::kKernel, "a", 0, 20);
  maker.add(maker.stream(0, 1, "stream 7"), TaskKind::kKernel, "a", 0, 30);
  const std::vector<DeviceUse> devices = use_of(maker.make());
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_EQ(devices[0].use.compute, Duration{20});
  EXPECT_EQ(devices[1].use.compute, Duration{30});
  EXPECT_EQ(devices[2].use.compute, Duration{10});
}

/// In BytePS jobs, operators, copies on the device and messages of a GPU belong to one device.
TEST(DeviceUseTest, OperatorsWithARowOfTheirOwnAreOneDeviceWithLinks) {
  MeasuredMaker maker;
  maker.add(maker.lane(0, LaneKind::kOperators, "operators"), TaskKind::kOperator, "BW.a", 0, 50);
  maker.add(maker.lane(0, LaneKind::kLink, "PUSH"), TaskKind::kTransfer, "Comm.a.PUSH.0", 40, 70);
  maker.add(maker.stream(0, 2, "REDUCE"), TaskKind::kCollective, "Comm.a.REDUCE.0", 30, 40);
  const std::vector<DeviceUse> devices = use_of(maker.make());
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices.front().device, 2);
  EXPECT_TRUE(devices.front().has_operators);
  EXPECT_EQ(devices.front().use.compute, Duration{50});
  EXPECT_EQ(devices.front().use.exposed_communication, Duration{20});
  EXPECT_EQ(devices.front().use.hidden_communication, Duration{20});
}

TEST(DeviceUseTest, ARankWithoutADeviceComputesOnItsHost) {
  MeasuredMaker maker;
  maker.add(maker.lane(0, LaneKind::kThread, "thread 1"), TaskKind::kHost, "aten::mm", 0, 50);
  maker.add(maker.lane(0, LaneKind::kThread, "thread 2"), TaskKind::kCollective, "gloo:all_reduce", 30, 80);
  const std::vector<DeviceUse> devices = use_of(maker.make());
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices.front().device, -1);
  EXPECT_EQ(devices.front().use.compute, Duration{50});
  EXPECT_EQ(devices.front().use.exposed_communication, Duration{30});
}

TEST(DeviceUseTest, ATaskGraphWasNotMeasured) {
  MeasuredMaker maker;
  maker.add(maker.lane(0, LaneKind::kOperators, "host 0"), TaskKind::kOperator, "a", 0, 50);
  Capture capture = maker.make();
  capture.recording = {};
  EXPECT_TRUE(use_of(capture).empty());
}

}  // namespace
}  // namespace stepsim::testing
