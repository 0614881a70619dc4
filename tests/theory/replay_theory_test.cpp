#include <gtest/gtest.h>

#include <algorithm>

#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"
#include "tests/sim/workloads.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::DagMaker;
using stepsim::testing::ring_workload;
using stepsim::testing::RingShape;

Duration makespan(const Dag& dag) {
  const Timeline timeline = replay(dag, Machine{dag});
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{};
}

TEST(ReplayTheoryTest, ChainTakesTheSumOfItsTasksAndLags) {
  // n tasks of d ns and n - 1 lags of g ns take n d + (n - 1) g ns.
  for (const LaneOrder order : {LaneOrder::kEdges, LaneOrder::kFifo}) {
    DagMaker maker;
    const LaneId lane = maker.lane(0, order);
    TaskId before = maker.task(lane, 7);
    for (int i = 1; i < 1000; ++i) {
      const TaskId next = maker.task(lane, 7);
      maker.builder.add_edge(before, next, EdgeKind::kProgram, Duration{3});
      before = next;
    }
    EXPECT_EQ(makespan(maker.build()), Duration{1000 * 7 + 999 * 3});
  }
}

TEST(ReplayTheoryTest, ChainOfTwoHundredThousandTasksNeedsNoDeepStack) {
  for (const LaneOrder order : {LaneOrder::kEdges, LaneOrder::kFifo}) {
    DagMaker maker;
    const LaneId lane = maker.lane(0, order);
    TaskId before = maker.task(lane, 1, {}, "link");
    for (int i = 1; i < 200'000; ++i) before = maker.task(lane, 1, {before}, "link");
    EXPECT_EQ(makespan(maker.build()), Duration{200'000});
  }
}

TEST(ReplayTheoryTest, ChainOfZeroLengthTasksTakesNoTime) {
  for (const LaneOrder order : {LaneOrder::kEdges, LaneOrder::kFifo}) {
    DagMaker maker;
    const LaneId lane = maker.lane(0, order);
    TaskId before = maker.task(lane, 0, {}, "nothing");
    for (int i = 1; i < 100'000; ++i) before = maker.task(lane, 0, {before}, "nothing");
    EXPECT_EQ(makespan(maker.build()), Duration{0});
  }
}

TEST(ReplayTheoryTest, DiamondTakesItsLongerSide) {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  const TaskId top = maker.task(lane, 10);
  const TaskId left = maker.task(lane, 20, {top});
  const TaskId right = maker.task(lane, 35, {top});
  maker.task(lane, 5, {left, right});
  EXPECT_EQ(makespan(maker.build()), Duration{10 + 35 + 5});
}

TEST(ReplayTheoryTest, TasksOfOneFifoLaneTakeTheirSum) {
  // The lane is never idle while tasks wait, so in every order they take the sum of their durations.
  DagMaker maker;
  const LaneId lane = maker.lane(0, LaneOrder::kFifo);
  for (int i = 0; i < 500; ++i) maker.task(lane, i);
  EXPECT_EQ(makespan(maker.build()), Duration{500 * 499 / 2});
}

TEST(ReplayTheoryTest, TasksOfKFifoLanesTakeTheLongestLane) {
  DagMaker maker;
  for (int lane = 1; lane <= 8; ++lane) {
    const LaneId id = maker.lane(lane, LaneOrder::kFifo);
    for (int i = 0; i < 10; ++i) maker.task(id, lane);
  }
  EXPECT_EQ(makespan(maker.build()), Duration{8 * 10});
}

TEST(ReplayTheoryTest, RendezvousChainTakesTheSlowestMemberEachTime) {
  // Rank r computes for r + 1 ns before each of k collectives of duration c, which take k (max r + 1 + c) ns in all.
  constexpr int kRanks = 5;
  constexpr int kCollectives = 20;
  DagMaker maker;
  std::vector<LaneId> lanes;
  std::vector<TaskId> last(kRanks);
  lanes.reserve(kRanks);
  for (int r = 0; r < kRanks; ++r) lanes.push_back(maker.lane(r));
  for (int k = 0; k < kCollectives; ++k) {
    const RendezvousId rendezvous = maker.builder.add_rendezvous();
    for (std::size_t r = 0; r < kRanks; ++r) {
      const TaskId compute = maker.task(lanes[r], static_cast<std::int64_t>(r) + 1);
      if (last[r].valid()) maker.builder.add_edge(last[r], compute, EdgeKind::kProgram);
      last[r] = maker.task(lanes[r], 11, {compute});
      maker.builder.join(rendezvous, last[r]);
    }
  }
  EXPECT_EQ(makespan(maker.build()), Duration{kCollectives * (kRanks + 11)});
}

TEST(ReplayTheoryTest, RingAllReduceTakesTwoTimesRanksLessOneMessages) {
  // An all-reduce of R ranks has 2 (R - 1) rounds, each as long as one message. A rank sends one message per round, so
  // no message waits for its lane, and both kinds of lanes give the same result.
  for (const LaneOrder order : {LaneOrder::kEdges, LaneOrder::kFifo}) {
    for (const int ranks : {2, 3, 8, 64}) {
      const Dag dag = ring_workload({.ranks = ranks, .all_reduces = 3, .message = Duration{1000}, .order = order});
      EXPECT_EQ(dag.task_count(), static_cast<std::size_t>(3 * 2 * (ranks - 1) * ranks));
      EXPECT_EQ(makespan(dag), Duration{3 * 2 * (ranks - 1) * 1000});
    }
  }
}

TEST(ReplayTheoryTest, RingAllReduceWaitsForOneSlowSender) {
  // Rank 0's messages take 1000 + 250 ns. Each of them follows its message of the previous round, so each of the 2 (R -
  // 1) rounds takes 1250 ns.
  const int ranks = 8;
  const Dag dag =
      ring_workload({.ranks = ranks, .all_reduces = 1, .message = Duration{1000}, .slow_sender = Duration{250}});
  EXPECT_EQ(makespan(dag), Duration{2 * (ranks - 1) * 1250});
}

}  // namespace
}  // namespace stepsim::sim
