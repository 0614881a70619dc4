#include "sim/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/sim/dag_maker.h"
#include "tests/thrown_by.h"

namespace stepsim::sim::engine_test {
namespace {

using stepsim::testing::thrown_by;

using By = Release::By;
using stepsim::testing::DagMaker;

Time at(std::int64_t nanoseconds) { return Time{Duration{nanoseconds}}; }

/// A replay whose results can be looked up by the ids that the maker returned.
class Replayed {
 public:
  explicit Replayed(DagMaker& maker) : maker_(maker), dag_(maker.build()), timeline_(replay(dag_, Machine{dag_})) {}

  [[nodiscard]] Time start(TaskId task) const { return timeline_.start[maker_.new_id(task).index()]; }
  [[nodiscard]] Time finish(TaskId task) const { return timeline_.finish[maker_.new_id(task).index()]; }
  [[nodiscard]] Release release(TaskId task) const { return timeline_.released_by[maker_.new_id(task).index()]; }
  [[nodiscard]] bool released(TaskId task, By by, TaskId releaser) const {
    return release(task).by() == by && release(task).task() == maker_.new_id(releaser);
  }
  [[nodiscard]] const Timeline& timeline() const { return timeline_; }

 private:
  const DagMaker& maker_;
  Dag dag_;
  Timeline timeline_;
};

TEST(EngineTest, EmptyDagReplaysToEmptyTimeline) {
  DagMaker maker;
  const Replayed replayed{maker};
  EXPECT_EQ(replayed.timeline().size(), 0U);
}

TEST(EngineTest, TaskStartsWhenItsLatestPredecessorEnds) {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  const TaskId quick = maker.task(lane, 10);
  const TaskId slow = maker.task(lane, 30);
  const TaskId join = maker.task(lane, 5, {quick, slow});
  const Replayed replayed{maker};
  EXPECT_EQ(replayed.start(join), at(30));
  EXPECT_EQ(replayed.finish(join), at(35));
  EXPECT_TRUE(replayed.released(join, By::kEdge, slow));
  EXPECT_EQ(replayed.release(quick).by(), By::kNothing);
}

TEST(EngineTest, LagCountsAfterThePredecessorsEnd) {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  const TaskId early = maker.task(lane, 10);
  const TaskId late = maker.task(lane, 30);
  const TaskId join = maker.task(lane, 5, {late});
  maker.builder.add_edge(early, join, EdgeKind::kLaunch, Duration{25});
  const Replayed replayed{maker};
  EXPECT_EQ(replayed.start(join), at(35));  // `early` and its lag end at 10 + 25 ns, `late` at 30 ns
  EXPECT_TRUE(replayed.released(join, By::kEdge, early));
}

TEST(EngineTest, OfPredecessorsThatEndTogetherTheSmallestIdReleases) {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  const TaskId first = maker.task(lane, 10);
  const TaskId second = maker.task(lane, 10);
  const TaskId join = maker.task(lane, 5, {second, first});
  const Replayed replayed{maker};
  EXPECT_TRUE(replayed.released(join, By::kEdge, first));
}

TEST(EngineTest, FifoLaneServesWhoWasReadyFirst) {
  DagMaker maker;
  const LaneId free = maker.lane(0);
  const LaneId fifo = maker.lane(0, LaneOrder::kFifo);
  const TaskId holder = maker.task(fifo, 100);
  const TaskId before_b = maker.task(free, 50);
  const TaskId before_a = maker.task(free, 20);
  const TaskId ready_at_50 = maker.task(fifo, 7, {before_b});
  const TaskId ready_at_20 = maker.task(fifo, 3, {before_a});
  const Replayed replayed{maker};
  EXPECT_EQ(replayed.start(ready_at_20), at(100));
  EXPECT_EQ(replayed.start(ready_at_50), at(103));
  EXPECT_TRUE(replayed.released(ready_at_20, By::kLane, holder));
  EXPECT_TRUE(replayed.released(ready_at_50, By::kLane, ready_at_20));
}

TEST(EngineTest, FifoLaneServesSmallestIdOfThoseReadyAtOneInstant) {
  // Both tasks become ready at 10 ns. The engine learns first that the task with the larger id is ready.
  DagMaker maker;
  const LaneId free = maker.lane(0);
  const LaneId fifo = maker.lane(0, LaneOrder::kFifo);
  const TaskId p = maker.task(free, 10);
  const TaskId q = maker.task(free, 10);
  const TaskId small = maker.task(fifo, 5, {q});
  const TaskId large = maker.task(fifo, 5, {p});
  const Replayed replayed{maker};
  ASSERT_LT(maker.new_id(small), maker.new_id(large));
  EXPECT_EQ(replayed.start(small), at(10));
  EXPECT_EQ(replayed.start(large), at(15));
}

TEST(EngineTest, TaskWhoseLagStillRunsDoesNotJumpAhead) {
  // At 10 ns the ends of all predecessors of `lagging` are known, but because of a lag it is ready only at 40 ns.
  // `other` is ready at 30 ns and goes first, although its id is larger.
  DagMaker maker;
  const LaneId free = maker.lane(0);
  const LaneId fifo = maker.lane(0, LaneOrder::kFifo);
  const TaskId source = maker.task(free, 10);
  const TaskId lagging = maker.task(fifo, 5);
  maker.builder.add_edge(source, lagging, EdgeKind::kLaunch, Duration{30});
  const TaskId wait = maker.task(free, 30);
  const TaskId other = maker.task(fifo, 100, {wait});
  const Replayed replayed{maker};
  EXPECT_EQ(replayed.start(other), at(30));
  EXPECT_EQ(replayed.start(lagging), at(130));
  EXPECT_TRUE(replayed.released(lagging, By::kLane, other));
}

TEST(EngineTest, TaskReadyTheInstantItsLaneGetsFreeDidNotQueue) {
  DagMaker maker;
  const LaneId fifo = maker.lane(0, LaneOrder::kFifo);
  const TaskId first = maker.task(fifo, 10);
  const TaskId second = maker.task(fifo, 10, {first});
  const Replayed replayed{maker};
  EXPECT_EQ(replayed.start(second), at(10));
  EXPECT_TRUE(replayed.released(second, By::kEdge, first));
}

TEST(EngineTest, RendezvousEndsTheirOwnDurationAfterTheLastArrival) {
  DagMaker maker;
  const LaneId a = maker.lane(0);
  const LaneId b = maker.lane(1);
  const TaskId early = maker.task(a, 10);
  const TaskId late = maker.task(b, 70);
  const TaskId member_a = maker.task(a, 5, {early});
  const TaskId member_b = maker.task(b, 6, {late});
  const TaskId next = maker.task(a, 1, {member_a});
  maker.rendezvous({member_a, member_b});
  const Replayed replayed{maker};
  EXPECT_EQ(replayed.start(member_a), at(10));
  EXPECT_EQ(replayed.finish(member_a), at(75));
  EXPECT_EQ(replayed.start(member_b), at(70));
  EXPECT_EQ(replayed.finish(member_b), at(76));
  EXPECT_EQ(replayed.start(next), at(75));
  EXPECT_EQ(replayed.timeline().last_arrival.at(0), maker.new_id(member_b));
}

TEST(EngineTest, RendezvousMemberHoldsItsFifoLaneWhileItWaits) {
  DagMaker maker;
  const LaneId fifo = maker.lane(0, LaneOrder::kFifo);
  const LaneId other = maker.lane(1);
  const TaskId late = maker.task(other, 50);
  const TaskId member_a = maker.task(fifo, 5);
  const TaskId member_b = maker.task(other, 5, {late});
  const TaskId queued = maker.task(fifo, 1);
  maker.rendezvous({member_a, member_b});
  const Replayed replayed{maker};
  EXPECT_EQ(replayed.finish(member_a), at(55));
  EXPECT_EQ(replayed.start(queued), at(55));
  EXPECT_TRUE(replayed.released(queued, By::kLane, member_a));
}

TEST(EngineTest, LaneIsServedAtTheInstantAnotherLanesRendezvousEndsAtOnce) {
  // A collective of zero duration ends at the instant at which the FIFO lane serves its last member. The task that it
  // releases on a second FIFO lane starts at that instant, not at the next event.
  DagMaker maker;
  const LaneId fifo = maker.lane(0, LaneOrder::kFifo);
  const LaneId second_fifo = maker.lane(0, LaneOrder::kFifo);
  const LaneId free = maker.lane(1);
  maker.task(fifo, 10);
  const TaskId member_a = maker.task(fifo, 0);
  const TaskId member_b = maker.task(free, 0);
  const TaskId next = maker.task(second_fifo, 3, {member_b});
  maker.task(free, 1000);
  maker.rendezvous({member_a, member_b});
  const Replayed replayed{maker};
  EXPECT_EQ(replayed.start(member_a), at(10));
  EXPECT_EQ(replayed.start(next), at(10));
}

TEST(EngineTest, CollectivesInOppositeOrderOnFifoLanesAreADeadlock) {
  DagMaker maker;
  const LaneId a = maker.lane(0, LaneOrder::kFifo, "stream 7");
  const LaneId b = maker.lane(1, LaneOrder::kFifo);
  const TaskId late_a = maker.task(maker.lane(0), 5);
  const TaskId late_b = maker.task(maker.lane(1), 5);
  const TaskId x0 = maker.task(a, 1, {}, "x0");
  const TaskId y0 = maker.task(a, 1, {late_a}, "y0");
  const TaskId y1 = maker.task(b, 1, {}, "y1");
  const TaskId x1 = maker.task(b, 1, {late_b}, "x1");
  maker.rendezvous({x0, x1});
  maker.rendezvous({y0, y1});
  const Dag dag = maker.build();
  EXPECT_THAT(thrown_by<DeadlockError>([&] { return replay(dag, Machine{dag}); }),
              ::testing::HasSubstr("x0 on stream 7 of rank 0"));
}

TEST(EngineTest, SourcesStartAtTheirOrigins) {
  DagMaker maker;
  const LaneId free = maker.lane(0);
  const LaneId fifo = maker.lane(1, LaneOrder::kFifo);
  const TaskId a = maker.task(free, 10);
  const TaskId b = maker.task(fifo, 10);
  const Dag dag = maker.build();
  Machine machine{dag};
  machine.set_origins({{maker.new_id(a), at(5)}, {maker.new_id(b), at(8)}});
  const Timeline timeline = replay(dag, machine);
  EXPECT_EQ(timeline.start[maker.new_id(a).index()], at(5));
  EXPECT_EQ(timeline.finish[maker.new_id(b).index()], at(18));
}

TEST(EngineTest, HostileDurationsDoNotOverflow) {
  constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();
  DagMaker maker;
  const LaneId fifo = maker.lane(0, LaneOrder::kFifo);
  const TaskId a = maker.task(fifo, kLongest);
  const TaskId b = maker.task(fifo, kLongest, {a});
  maker.builder.add_edge(a, b, EdgeKind::kLaunch, Duration{kLongest});
  const Replayed replayed{maker};
  EXPECT_EQ(replayed.finish(b), at(kLongest / 2));
}

TEST(EngineTest, StopFlagInterrupts) {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  for (int i = 0; i < 70'000; ++i) maker.task(lane, 1);
  const Dag dag = maker.build();
  const std::atomic<bool> stop{true};
  EXPECT_THROW(static_cast<void>(replay(dag, Machine{dag}, {.stop = &stop})), Interrupted);
}

TEST(EngineTest, ProgressIsReportedNowAndThen) {
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  for (int i = 0; i < 140'000; ++i) maker.task(lane, 1);
  const Dag dag = maker.build();
  std::vector<std::size_t> seen;
  static_cast<void>(replay(dag, Machine{dag}, {.progress = [&seen](std::size_t done) { seen.push_back(done); }}));
  EXPECT_EQ(seen, (std::vector<std::size_t>{65'536, 131'072}));
}

TEST(MachineTest, AsRecordedGivesEachRankItsFirstRecordedStart) {
  DagMaker maker;
  const LaneId rank0 = maker.lane(0);
  const LaneId rank3 = maker.lane(3);
  const TaskId a = maker.task(rank0, 10);
  const TaskId b = maker.task(rank0, 10, {a});
  const TaskId c = maker.task(rank3, 10);
  Capture capture;
  capture.dag = maker.build();
  capture.recording.start.resize(3);
  capture.recording.start[maker.new_id(a).index()] = at(1'000);
  capture.recording.start[maker.new_id(b).index()] = at(1'010);
  capture.recording.start[maker.new_id(c).index()] = at(1'250);
  const Machine machine = Machine::as_recorded(capture);
  EXPECT_EQ(machine.origin(maker.new_id(a)), at(0));
  EXPECT_EQ(machine.origin(maker.new_id(b)), at(0));  // b has a predecessor, so its recorded start is not used
  EXPECT_EQ(machine.origin(maker.new_id(c)), at(250));
}

}  // namespace
}  // namespace stepsim::sim::engine_test
