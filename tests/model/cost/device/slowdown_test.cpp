#include "model/cost/device/slowdown.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/job/dag_builder.h"

namespace stepsim {
namespace {

Time at(std::int64_t ns) { return Time{Duration{ns}}; }

BusyTimes busy(const std::vector<std::pair<std::int64_t, std::int64_t>>& stretches) {
  std::vector<Stretch> all;
  all.reserve(stretches.size());
  for (const auto& [begin, end] : stretches) all.push_back({at(begin), at(end)});
  return BusyTimes(std::move(all));
}

TEST(BusyTimesTest, StretchesThatTouchOrOverlapCountOnce) {
  const BusyTimes times = busy({{50, 60}, {0, 10}, {5, 20}, {20, 30}, {70, 70}});
  EXPECT_EQ(times.within({at(0), at(100)}), Duration{40});  // 0 to 30 ns and 50 to 60 ns
  EXPECT_EQ(times.within({at(25), at(55)}), Duration{10});
  EXPECT_EQ(times.within({at(30), at(50)}), Duration{0});
}

TEST(BusyTimesTest, KernelOfTenHalfOfItBesideTwiceAsSlowTakesFifteen) {
  // The kernel takes 10 ns alone. During the 10 ns of communication, the kernel does 5 ns of this work. It does the
  // other 5 ns of work after the communication.
  EXPECT_EQ(busy({{0, 10}}).duration_of(at(0), 10, 2), Duration{15});
  // If communication begins during the kernel, the kernel runs 3 ns alone, 10 ns during communication and 2 ns alone.
  EXPECT_EQ(busy({{103, 113}}).duration_of(at(100), 10, 2), Duration{15});
}

TEST(BusyTimesTest, WorkBesideNothingTakesItsTimeAndWhollyBesideTheFactor) {
  EXPECT_EQ(BusyTimes().duration_of(at(7), 10, 3), Duration{10});
  EXPECT_EQ(busy({{0, 7}, {17, 20}}).duration_of(at(7), 10, 3), Duration{10});
  EXPECT_EQ(busy({{0, 1000}}).duration_of(at(7), 10, 3), Duration{30});
  EXPECT_EQ(busy({{0, 10}}).duration_of(at(0), 0, 3), Duration{0});
}

TEST(BusyTimesTest, DurationIsTheInverseOfTimeAloneToTheNanosecond) {
  // The kernel took 1,000,003 ns from 11 ns on. alone_in() converts this to the time that the kernel would take without
  // communication. duration_of() must convert that time back to the same duration, whatever part of the kernel
  // overlapped communication.
  for (const double factor : {1.0, 1.07, 1.3, 2.0, 12.5}) {
    for (const std::int64_t end : {12, 500'009, 1'000'013, 1'000'014, 1'000'015, 5'000'000}) {
      const BusyTimes times = busy({{0, 100}, {1'000, end}});
      const Duration duration{1'000'003};
      const auto beside = static_cast<double>(times.within({at(11), at(11) + duration}).count());
      const double alone = alone_in(static_cast<double>(duration.count()), beside, factor);
      EXPECT_EQ(times.duration_of(at(11), alone, factor), duration) << factor << ' ' << end;
    }
  }
}

TEST(BusyTimesTest, HostileWorkEndsAtTheEndOfTime) {
  EXPECT_EQ(busy({{0, 10}}).duration_of(at(0), 1e300, 2), kEndOfTime - Time{});
}

TEST(DeviceCommunicationTest, IsOfEachRanksCollectivesOnStreams) {
  DagBuilder builder;
  const auto lane = [&](Rank rank, LaneKind kind) { return builder.add_lane({.rank = rank, .kind = kind}); };
  const auto add = [&](LaneId on, TaskKind kind) {
    return builder.add_task({.kind = kind, .name = builder.intern("x"), .lane = on});
  };
  const TaskId collective = add(lane(3, LaneKind::kStream), TaskKind::kCollective);
  const TaskId kernel = add(lane(3, LaneKind::kStream), TaskKind::kKernel);
  // a collective of gloo, which does not run on the device
  (void)add(lane(4, LaneKind::kThread), TaskKind::kCollective);
  const Dag dag = std::move(builder).build().dag;  // tasks without edges keep their order
  const std::vector<Time> start{at(5), at(0), at(0)};
  const std::vector<Time> finish{at(9), at(7), at(7)};

  const auto found = device_communication(dag, start, finish);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.at(3).within({at(0), at(100)}), Duration{4});
  EXPECT_TRUE(is_stream_kernel(dag, kernel));
  EXPECT_FALSE(is_stream_kernel(dag, collective));
}

TEST(DeviceCommunicationTest, MessagesLeaveTheDeviceToKernels) {
  DagBuilder builder;
  const LaneId stream = builder.add_lane({.rank = 3, .kind = LaneKind::kStream});
  for (const CollectiveOp op : {CollectiveOp::kSendRecv, CollectiveOp::kAllReduce}) {
    const TaskId task = builder.add_task({.kind = TaskKind::kCollective, .name = builder.intern("x"), .lane = stream});
    builder.join(builder.add_rendezvous({.op = op}), task);
  }
  const Dag dag = std::move(builder).build().dag;
  const std::vector<Time> start{at(0), at(5)};
  const std::vector<Time> finish{at(5), at(9)};
  EXPECT_EQ(device_communication(dag, start, finish).at(3).within({at(0), at(100)}), Duration{4});
}

}  // namespace
}  // namespace stepsim
