#include "sim/analysis/critical_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/analysis/where_to_look.h"
#include "sim/engine/engine.h"
#include "sim/report/path_sections.h"
#include "sim/report/table_text.h"
#include "tests/sim/sample_capture.h"
#include "tests/sim/texts.h"

namespace stepsim::sim {
namespace {

using std::chrono::microseconds;
using stepsim::testing::DagMaker;
using stepsim::testing::sample_capture;
using stepsim::testing::texts;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Returns the step at index `step` of rank 0.
TimedStep timed_step(const Capture& capture, const Timeline& timeline, std::size_t step) {
  const auto ranks = rank_steps(capture.dag, capture.recording, timeline);
  for (const TimedStep& one : ranks.at(0).steps) {
    if (one.step == step) return one;
  }
  throw std::out_of_range("rank 0 has no such step");
}

struct Path {
  explicit Path(Capture made, std::size_t step)
      : capture(std::move(made)),
        timeline(replay(capture.dag, Machine::as_recorded(capture))),
        path(critical_path_of_step(capture, timeline, timed_step(capture, timeline, step))) {}

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const PathTask& task : path.tasks) result.emplace_back(capture.dag.name(task.task));
    return result;
  }
  Capture capture;
  Timeline timeline;
  CriticalPath path;
};

TEST(CriticalPathTest, GoesThroughTheLastRankToArriveAtACollective) {
  // In step 0, gemm takes 100 us on rank 0 and 150 us on rank 1, so the path of rank 0's step goes through rank 1 until
  // the collective begins. The collective is followed by 20 us of waiting and 10 us of host work.
  const Path path{sample_capture(), 0};
  ASSERT_THAT(path.names(), ElementsAre("gemm", "ncclAllReduce", "optimizer"));
  const Dag& dag = path.capture.dag;
  EXPECT_EQ(dag.lane(path.path.tasks[0].task).rank, 1);
  EXPECT_EQ(dag.lane(path.path.tasks[1].task).rank, 0);
  EXPECT_EQ(path.path.tasks[1].start, Time{microseconds{150}});
  EXPECT_EQ(released_by_text(dag, path.path.tasks[1]), "rank 1, the last to arrive, after gemm (stream)");
}

TEST(CriticalPathTest, SaysHowMuchOfItIsPauses) {
  Capture capture = sample_capture();
  for (const TaskId task : capture.dag.tasks()) {
    if (capture.dag.name(task) == "optimizer") capture.recording.pauses.push_back({task, microseconds{7}});
  }
  Path path{capture, 0};
  EXPECT_EQ(path.path.paused, microseconds{7}) << "of the 10 us of the optimizer";
  // A replay in which the optimizer pauses for 3 us only.
  std::vector<Duration> durations;
  for (const TaskId task : capture.dag.tasks()) durations.push_back(capture.dag.duration(task));
  for (const Recording::Pause& pause : capture.recording.pauses) durations[pause.task.index()] -= microseconds{4};
  Machine machine = Machine::as_recorded(capture);
  machine.set_durations(durations);
  path.timeline = replay(capture.dag, machine);
  EXPECT_EQ(critical_path_of_step(capture, path.timeline, timed_step(capture, path.timeline, 0)).paused,
            microseconds{3});
}

TEST(CriticalPathTest, ClassesSumToTheLength) {
  const Path path{sample_capture(), 0};
  EXPECT_EQ(path.path.length, microseconds{210});
  EXPECT_EQ(path.path[PathClass::kCompute], microseconds{150});
  EXPECT_EQ(path.path[PathClass::kCommunication], microseconds{30});
  EXPECT_EQ(path.path[PathClass::kWait], microseconds{20});
  EXPECT_EQ(path.path[PathClass::kHost], microseconds{10});
  EXPECT_EQ(path.path[PathClass::kQueueing], microseconds{0});
}

TEST(CriticalPathTest, UnexplainedWaitOnThePathIsTold) {
  EXPECT_EQ((Path{sample_capture(), 0}.path.unexplained), microseconds{20});
}

TEST(CriticalPathTest, PathOfALaterStepBeginsWithTheStep) {
  const Path path{sample_capture(), 1};
  EXPECT_EQ(path.path.begin, Time{microseconds{210}});
  EXPECT_EQ(path.path.length, microseconds{210});
  EXPECT_THAT(path.names(), ElementsAre("gemm", "ncclAllReduce", "optimizer"));
}

TEST(CriticalPathTest, WholeCaptureIsOnePath) {
  const Capture capture = sample_capture();
  const Timeline timeline = replay(capture.dag, Machine::as_recorded(capture));
  const CriticalPath path = critical_path(capture, timeline);
  EXPECT_EQ(path.length, microseconds{420});
  EXPECT_EQ(path.tasks.size(), 6U);
}

TEST(CriticalPathTest, EmptyCaptureHasAnEmptyPath) { EXPECT_TRUE(critical_path(Capture{}, Timeline{}).tasks.empty()); }

TEST(CriticalPathTest, LateStartOfARankIsWaiting) {
  DagMaker maker;
  const TaskId task = maker.task(maker.lane(3), 10);
  const Dag dag = maker.build();
  Machine machine{dag};
  machine.set_origins({{maker.new_id(task), Time{Duration{40}}}});
  const CriticalPath path = critical_path(dag, machine, replay(dag, machine), maker.new_id(task));
  EXPECT_EQ(path.length, Duration{50});
  EXPECT_EQ(path[PathClass::kWait], Duration{40});
  EXPECT_EQ(released_by_text(dag, path.tasks.front()), "the start of rank 3");
}

TEST(CriticalPathTest, QueueingCountsFromWhenTheTaskWasReady) {
  // `second` is ready at 30 ns and waits in the queue until `first` ends at 100 ns. So 70 of the 100 ns of `first` are
  // queueing.
  DagMaker maker;
  const LaneId fifo = maker.lane(0, LaneOrder::kFifo, "PUSH");
  const TaskId first = maker.task(fifo, 100, {}, "first", TaskKind::kTransfer);
  const TaskId before = maker.task(maker.lane(0), 30);
  const TaskId second = maker.task(fifo, 50, {before}, "second", TaskKind::kTransfer);
  const Dag dag = maker.build();
  const Machine machine{dag};
  const CriticalPath path = critical_path(dag, machine, replay(dag, machine), maker.new_id(second));
  ASSERT_EQ(path.tasks.size(), 2U);
  EXPECT_EQ(path.tasks[0].task, maker.new_id(first));
  EXPECT_EQ(path[PathClass::kQueueing], Duration{70});
  EXPECT_EQ(path[PathClass::kCommunication], Duration{30 + 50});
  EXPECT_EQ(released_by_text(dag, path.tasks[1]), "first (same thread or stream)");
}

TEST(CriticalPathTest, SourceInALineIsReadyAtItsOrigin) {
  DagMaker maker;
  const LaneId fifo = maker.lane(0, LaneOrder::kFifo);
  const TaskId first = maker.task(fifo, 100);
  const TaskId second = maker.task(fifo, 50);
  const Dag dag = maker.build();
  Machine machine{dag};
  machine.set_origins({{maker.new_id(first), Time{}}, {maker.new_id(second), Time{Duration{60}}}});
  const CriticalPath path = critical_path(dag, machine, replay(dag, machine), maker.new_id(second));
  EXPECT_EQ(path[PathClass::kQueueing], Duration{40});
}

TEST(StragglerTest, RankThatArrivesLastIsNamedWithWhatItCosts) {
  // Rank 1 arrives 50 us after rank 0 at each of the two collectives.
  const Capture capture = sample_capture();
  const std::vector<Straggler> ranks = stragglers(capture.dag, replay(capture.dag, Machine::as_recorded(capture)));
  ASSERT_EQ(ranks.size(), 2U);
  EXPECT_EQ(ranks[0].rank, 1);
  EXPECT_EQ(ranks[0].each, microseconds{100});
  EXPECT_EQ(ranks[0].last_in, 2U);
  EXPECT_EQ(ranks[0].collectives, 2U);
  EXPECT_EQ(ranks[1].last_in, 0U);
}

TEST(StragglerTest, OneLateRankOfEightIsFound) {
  DagMaker maker;
  const RendezvousId rendezvous = maker.builder.add_rendezvous();
  for (Rank rank = 0; rank < 8; ++rank) {
    const LaneId lane = maker.lane(rank);
    const TaskId compute = maker.task(lane, rank == 5 ? 900 : 100);
    maker.builder.join(rendezvous, maker.task(lane, 10, {compute}));
  }
  const Dag dag = maker.build();
  const std::vector<Straggler> ranks = stragglers(dag, replay(dag, Machine{dag}));
  EXPECT_EQ(ranks.front().rank, 5);
  EXPECT_EQ(ranks.front().each, Duration{800});
}

/// 64 ranks in groups of 8, as in tensor parallelism: rank 13 is 5.08 ms late at its group's collective. Seven others
/// wait for it, and the other 56 ranks do not count.
TEST(StragglerTest, TheAverageWaitIsThatOfTheMembersAndNotOfAllRanks) {
  DagMaker maker;
  for (Rank first = 0; first < 64; first += 8) {
    const RendezvousId group = maker.builder.add_rendezvous();
    for (Rank rank = first; rank < first + 8; ++rank) {
      const LaneId lane = maker.lane(rank);
      const TaskId compute = maker.task(lane, rank == 13 ? 6'080'000 : 1'000'000);
      maker.builder.join(group, maker.task(lane, 10, {compute}));
    }
  }
  const Dag dag = maker.build();
  const std::vector<Straggler> ranks = stragglers(dag, replay(dag, Machine{dag}));
  EXPECT_EQ(ranks.front().rank, 13);
  EXPECT_EQ(ranks.front().each, microseconds{5'080});
  EXPECT_EQ(ranks.front().collectives, 1U);
}

/// Returns the stragglers of a job whose ranks take part in one collective. Before it, each rank computes for one of
/// the given times.
std::vector<Straggler> stragglers_after(std::initializer_list<std::int64_t> nanoseconds) {
  DagMaker maker;
  const RendezvousId rendezvous = maker.builder.add_rendezvous();
  Rank rank = 0;
  for (const std::int64_t before : nanoseconds) {
    const LaneId lane = maker.lane(rank++);
    maker.builder.join(rendezvous, maker.task(lane, 10, {maker.task(lane, before)}));
  }
  const Dag dag = maker.build();
  return stragglers(dag, replay(dag, Machine{dag}));
}

TEST(StragglerTest, RanksThatArriveLastTogetherShareIt) {
  const std::vector<Straggler> ranks = stragglers_after({900, 100, 900, 300});
  ASSERT_EQ(ranks.size(), 4U);
  EXPECT_EQ(ranks[0].rank, 0);
  EXPECT_EQ(ranks[1].rank, 2);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(ranks[i].last_in, 1U);
    EXPECT_EQ(ranks[i].each, Duration{(800 + 600) / 2 / 2});
  }
  EXPECT_EQ(ranks[2].last_in, 0U);
}

TEST(StragglerTest, RanksThatArriveTogetherHoldNobodyUp) {
  for (const Straggler& rank : stragglers_after({500, 500, 500})) {
    EXPECT_EQ(rank.last_in, 0U);
    EXPECT_EQ(rank.each, Duration{});
    EXPECT_EQ(rank.collectives, 1U);
  }
}

TEST(StragglerTest, CollectiveOfOneRankHasNone) {
  DagMaker maker;
  const TaskId alone = maker.task(maker.lane(0), 10);
  maker.rendezvous({alone});
  const Dag dag = maker.build();
  EXPECT_TRUE(stragglers(dag, replay(dag, Machine{dag})).empty());
}

TEST(PathTableTest, KeepsTheLongestTasksInOrderOfTime) {
  // The path consists of gemm, quick and slow, in this order of time. The table keeps the two longest.
  DagMaker maker;
  const LaneId lane = maker.lane(0);
  const TaskId gemm = maker.task(lane, 20, {}, "gemm");
  const TaskId quick = maker.task(lane, 1, {gemm}, "quick");
  const TaskId slow = maker.task(lane, 30, {quick}, "slow");
  const Dag dag = maker.build();
  const Machine machine{dag};
  const CriticalPath path = critical_path(dag, machine, replay(dag, machine), maker.new_id(slow));
  EXPECT_EQ(to_text(path_table(dag, path, 2)),
            "start  duration  class  rank  thread or stream  task  waited for\n"
            "    0     20 ns  CPU       0  lane              gemm  the start of rank 0\n"
            "21 ns     30 ns  CPU       0  lane              slow  quick (data)\n");
}

TEST(PathTableTest, RanksAreListedByTheirTimeOnThePath) {
  const Path path{sample_capture(), 0};
  const Table table = rank_table(path.capture.dag, path.path);
  ASSERT_EQ(table.rows().size(), 2U);
  EXPECT_THAT(texts(table.rows()[0]), ElementsAre("1", "150 us", "71.4 %"));
  EXPECT_THAT(texts(table.rows()[1]), ElementsAre("0", "60 us", "28.6 %"));
}

}  // namespace
}  // namespace stepsim::sim
