#include <gtest/gtest.h>

#include <vector>

#include "model/base/error.h"
#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"

/// Tests lanes (resources that run tasks in turn) on which tasks queue: their capacity, priorities and credit.
namespace stepsim::sim::engine_queue_test {
namespace {

using stepsim::testing::DagMaker;

Time at(std::int64_t nanoseconds) { return Time{Duration{nanoseconds}}; }

class EngineQueueTest : public ::testing::Test {
 protected:
  LaneId queue(LaneOrder order, std::uint32_t capacity, Bytes credit = {}) {
    return maker.builder.add_lane({.name = "queue", .order = order, .capacity = capacity, .credit = credit});
  }
  TaskId task(LaneId lane, std::int64_t nanoseconds, std::int32_t priority = 0, Bytes bytes = {}) {
    return maker.builder.add_task({.kind = TaskKind::kHost,
                                   .name = maker.builder.intern("task"),
                                   .lane = lane,
                                   .duration = Duration{nanoseconds},
                                   .bytes = bytes,
                                   .priority = priority});
  }
  void run() {
    dag = maker.build();
    timeline = replay(dag, Machine{dag});
  }
  Time start(TaskId task) const { return timeline.start[maker.new_id(task).index()]; }
  Release release(TaskId task) const { return timeline.released_by[maker.new_id(task).index()]; }

  DagMaker maker;
  Dag dag;
  Timeline timeline;
};

TEST_F(EngineQueueTest, APoolRunsAsManyAsItHoldsAndTheNextWhenTheFirstOfThemEnds) {
  const LaneId pool = queue(LaneOrder::kFifo, 2);
  const TaskId longer = task(pool, 30);
  const TaskId shorter = task(pool, 10);
  const TaskId third = task(pool, 10);
  const TaskId fourth = task(pool, 10);
  run();
  EXPECT_EQ(start(longer), at(0));
  EXPECT_EQ(start(shorter), at(0));
  EXPECT_EQ(start(third), at(10));
  EXPECT_EQ(start(fourth), at(20));
  EXPECT_EQ(release(third).by(), Release::By::kLane);
  EXPECT_EQ(release(third).task(), maker.new_id(shorter));
}

TEST_F(EngineQueueTest, TheSmallestPriorityGoesFirstAndInterruptsNothing) {
  const LaneId host = maker.lane(1);
  const LaneId lane = queue(LaneOrder::kPriority, 1);
  const TaskId running = task(lane, 10, 9);
  const TaskId late = maker.task(host, 4);
  const TaskId ordinary = task(lane, 10, 5);
  const TaskId urgent = task(lane, 10, 1);
  const TaskId tied = task(lane, 10, 5);
  for (const TaskId waiting : {ordinary, urgent, tied}) maker.builder.add_edge(late, waiting, EdgeKind::kData);
  run();
  EXPECT_EQ(start(running), at(0));
  EXPECT_EQ(start(urgent), at(10));
  EXPECT_EQ(start(ordinary), at(20)) << "of equal ones the smaller id";
  EXPECT_EQ(start(tied), at(30));
}

/// Three tasks of 60 bytes and 10 ns run on a lane with 100 bytes of credit. Each is followed by a task that returns
/// the credit 50 ns later, so they start 60 ns apart.
TEST_F(EngineQueueTest, CreditHoldsTheNextOneBackUntilItIsReturned) {
  const LaneId lane = queue(LaneOrder::kFifo, 1, Bytes{100});
  const LaneId answers = maker.lane(1);
  std::vector<TaskId> takers;
  std::vector<TaskId> givers;
  for (int i = 0; i < 3; ++i) {
    takers.push_back(task(lane, 10, 0, Bytes{60}));
    givers.push_back(maker.task(answers, 50, {takers.back()}));
    maker.builder.return_credit(givers.back(), takers.back());
  }
  run();
  EXPECT_EQ(start(takers[0]), at(0));
  EXPECT_EQ(start(takers[1]), at(60));
  EXPECT_EQ(start(takers[2]), at(120));
  EXPECT_EQ(release(takers[1]).task(), maker.new_id(givers[0])) << "who gave the credit back let it go on";
}

TEST_F(EngineQueueTest, TwoThatFitIntoTheCreditTogetherDoNotWait) {
  const LaneId lane = queue(LaneOrder::kFifo, 4, Bytes{120});
  const TaskId first = task(lane, 10, 0, Bytes{60});
  const TaskId second = task(lane, 10, 0, Bytes{60});
  run();
  EXPECT_EQ(start(first), at(0));
  EXPECT_EQ(start(second), at(0));
}

TEST_F(EngineQueueTest, ATaskLargerThanAllCreditGoesWhenAllOfItIsThere) {
  const LaneId lane = queue(LaneOrder::kFifo, 1, Bytes{100});
  const LaneId answers = maker.lane(1);
  const TaskId small = task(lane, 10, 0, Bytes{1});
  const TaskId answer = maker.task(answers, 50, {small});
  maker.builder.return_credit(answer, small);
  const TaskId large = task(lane, 10, 0, Bytes{1000});
  run();
  EXPECT_EQ(start(large), at(60));
}

TEST_F(EngineQueueTest, OfThoseThatLeaveAtOneInstantTheLargestIdLetsTheNextOneGo) {
  const LaneId pool = queue(LaneOrder::kFifo, 3);
  for (int i = 0; i < 3; ++i) task(pool, 10);
  const TaskId next = task(pool, 10);
  const TaskId last = task(pool, 10);
  run();
  EXPECT_EQ(start(next), at(10));
  EXPECT_EQ(release(next).task(), TaskId{2});
  EXPECT_EQ(release(last).task(), TaskId{2}) << "nobody has left since";
}

TEST_F(EngineQueueTest, NobodyGivesCreditToALaneThatHasNone) {
  const LaneId lane = queue(LaneOrder::kFifo, 1);
  const TaskId running = task(lane, 10, 0, Bytes{60});
  const TaskId waiting = task(lane, 10, 0, Bytes{60});
  const TaskId giver = maker.task(maker.lane(1), 10);
  maker.builder.return_credit(giver, running);
  run();
  ASSERT_LT(maker.new_id(running), maker.new_id(giver)) << "both end at 10";
  EXPECT_EQ(start(waiting), at(10));
  EXPECT_EQ(release(waiting).task(), maker.new_id(running));
}

/// The chain has more tasks than the engine computes in advance. The engine computes the remaining tasks later, with
/// the same results.
TEST_F(EngineQueueTest, AThousandsOfTasksLongChainIsInLineTaskByTask) {
  constexpr std::int64_t kChain = 5'000;
  const LaneId host = maker.lane(1);
  const LaneId lane = queue(LaneOrder::kFifo, 1);
  const TaskId first = task(lane, 25);
  std::vector<TaskId> in_line;
  TaskId before = maker.task(host, 10);
  for (std::int64_t i = 0; i < kChain; ++i) {
    in_line.push_back(task(lane, 10));
    maker.builder.add_edge(before, in_line.back(), EdgeKind::kStage);
    before = maker.task(host, 10, {before});
  }
  run();
  EXPECT_EQ(start(first), at(0));
  // Task i joins the queue at 10 (i + 1) ns and starts 15 ns later, because the first task of 25 ns delays all others.
  for (std::int64_t i = 0; i < kChain; ++i)
    ASSERT_EQ(start(in_line[static_cast<std::size_t>(i)]), at(10 * (i + 1) + 15));
  EXPECT_EQ(timeline.finish[maker.new_id(before).index()], at(10 * (kChain + 1)));
}

TEST_F(EngineQueueTest, CreditThatNobodyGivesBackIsADeadlockThatIsNamed) {
  const LaneId lane = queue(LaneOrder::kFifo, 1, Bytes{100});
  task(lane, 10, 0, Bytes{100});
  task(lane, 10, 0, Bytes{100});
  EXPECT_THROW(run(), DeadlockError);
}

}  // namespace
}  // namespace stepsim::sim::engine_queue_test
