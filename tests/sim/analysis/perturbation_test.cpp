#include "sim/analysis/perturbation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/dag_maker.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::DagMaker;

constexpr std::int64_t kHost = 10;

/// Returns a recording of the replay of a graph. Step k consists of launches[k] and works[k].
Capture recorded_steps(DagMaker& maker, const std::vector<TaskId>& launches, const std::vector<TaskId>& works) {
  Capture capture;
  capture.dag = maker.build();
  const Timeline recorded = replay(capture.dag, Machine(capture.dag));
  Recording& recording = capture.recording;
  recording.start = recorded.start;
  recording.finish = recorded.finish;
  recording.step.assign(recorded.size(), -1);
  for (std::size_t k = 0; k < works.size(); ++k) {
    const TaskId first = maker.new_id(launches[k]);
    recording.step[first.index()] = recording.step[maker.new_id(works[k]).index()] = static_cast<std::int32_t>(k);
    recording.steps.push_back(
        {.rank = 0, .number = static_cast<std::int64_t>(k), .first = first, .next_follows = k + 1 < works.size()});
  }
  recording.ranks = {0};
  return capture;
}

/// Returns a capture with steps in which a thread works for 10 ns and then waits for a kernel that it launched.
/// `kernels` has the durations of the kernels in ns. If `knows_the_wait`, the next step depends on the kernel;
/// otherwise the wait is a lag between the thread's tasks.
Capture steps_with(const std::vector<std::int64_t>& kernels, bool knows_the_wait) {
  DagMaker maker;
  const LaneId thread = maker.lane(0);
  const LaneId stream = maker.builder.add_lane({.name = "stream 7", .rank = 0, .kind = LaneKind::kStream});
  std::vector<TaskId> launches;
  std::vector<TaskId> works;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    launches.push_back(maker.task(thread, kHost, {}, "launch", TaskKind::kRuntime));
    works.push_back(maker.task(stream, kernels[k], {}, "kernel", TaskKind::kKernel));
    maker.builder.add_edge(launches[k], works[k], EdgeKind::kLaunch);
    if (k == 0) continue;
    const Duration lag{knows_the_wait ? 0 : kernels[k - 1]};
    maker.builder.add_edge(launches[k - 1], launches[k], EdgeKind::kProgram, lag);
    if (knows_the_wait) maker.builder.add_edge(works[k - 1], launches[k], EdgeKind::kSync);
  }
  return recorded_steps(maker, launches, works);
}

std::optional<Perturbation> test_of(const Capture& capture) {
  const Machine machine = Machine::as_recorded(capture);
  const Timeline timeline = replay(capture.dag, machine);
  const Time zero = *std::min_element(capture.recording.start.begin(), capture.recording.start.end());
  for (std::size_t i = 0; i < timeline.size(); ++i)
    EXPECT_EQ(timeline.start[i], Time{capture.recording.start[i] - zero}) << "the test's own graph";
  return perturbation_test(capture, machine, timeline, {});
}

TEST(PerturbationTest, AGraphThatKnowsItsWaitsPredictsTheOtherSteps) {
  const auto test = test_of(steps_with({400, 200, 100}, true));
  ASSERT_TRUE(test);
  EXPECT_EQ(test->steps, 3U);
  EXPECT_EQ(test->error, 0);
  EXPECT_EQ(test->worst_error, 0);
  // The steps take 410, 210 and 110 ns. Each is compared with the previous one, and the first with the last.
  EXPECT_DOUBLE_EQ(test->difference, (200.0 / 210 + 100.0 / 110 + 300.0 / 410) / 3);
}

TEST(PerturbationTest, ALagInPlaceOfADependencyIsFoundOut) {
  const Capture capture = steps_with({400, 200, 100}, false);
  const auto test = test_of(capture);
  ASSERT_TRUE(test);
  // Each step is predicted by the graph of the previous one, the first by that of the last. The lags keep the graphs of
  // the first two steps at their recorded lengths. The graph of the last step ends with its kernel and has no lag, so
  // it predicts the first step exactly.
  EXPECT_DOUBLE_EQ(test->error, (200.0 / 210 + 100.0 / 110 + 0.0) / 3);
}

/// Returns a capture of one step on two ranks. Rank 1 begins 50 ns later, and its kernel takes 300 ns instead of 100
/// ns.
Capture two_ranks(const std::string& stream_of_rank_1) {
  DagMaker maker;
  std::vector<TaskId> launches;
  std::vector<TaskId> works;
  for (const Rank rank : {0, 1}) {
    const LaneId thread = maker.lane(rank, LaneOrder::kEdges, "thread " + std::to_string(100 + rank));
    const LaneId stream = maker.builder.add_lane(
        {.name = rank == 0 ? "stream 7" : stream_of_rank_1, .rank = rank, .kind = LaneKind::kStream});
    launches.push_back(maker.task(thread, kHost, {}, "launch", TaskKind::kRuntime));
    works.push_back(maker.task(stream, rank == 0 ? 100 : 300, {}, "kernel", TaskKind::kKernel));
    maker.builder.add_edge(launches.back(), works.back(), EdgeKind::kLaunch);
  }
  Capture capture;
  capture.dag = maker.build();
  Machine late(capture.dag);
  std::vector<std::pair<TaskId, Time>> origins{{maker.new_id(launches[0]), Time{}},
                                               {maker.new_id(launches[1]), Time{Duration{50}}}};
  std::sort(origins.begin(), origins.end());
  late.set_origins(origins);
  const Timeline recorded = replay(capture.dag, late);
  capture.recording.start = recorded.start;
  capture.recording.finish = recorded.finish;
  capture.recording.step.resize(recorded.size());
  for (const Rank rank : {0, 1}) {
    const auto r = static_cast<std::size_t>(rank);
    capture.recording.step[maker.new_id(launches[r]).index()] = rank;
    capture.recording.step[maker.new_id(works[r]).index()] = rank;
    capture.recording.steps.push_back({.rank = rank, .number = 7, .first = maker.new_id(launches[r])});
  }
  capture.recording.ranks = {0, 1};
  return capture;
}

TEST(PerturbationTest, RanksOfOneStepPredictEachOther) {
  // Nsight Systems numbers streams differently in each process of a machine.
  for (const std::string stream : {"stream 7", "stream 15"}) {
    const auto test = test_of(two_ranks(stream));
    ASSERT_TRUE(test);
    EXPECT_TRUE(test->between_ranks);
    EXPECT_EQ(test->steps, 2U);
    EXPECT_EQ(test->error, 0) << stream;
    EXPECT_DOUBLE_EQ(test->difference, (200.0 / 310 + 200.0 / 110) / 2);
  }
}

TEST(PerturbationTest, TheLastStepIsLeftOutIfItIsTimedFromTheEndOfEarlierWork) {
  // Launches of 100, 100, 100 and 300 ns, each of a kernel of 100 ns. The device is still busy with earlier work when
  // the last step begins. That step is therefore timed from one completion to the next, 100 ns, although its launch
  // takes 300 ns.
  DagMaker maker;
  const LaneId thread = maker.lane(0);
  const LaneId stream = maker.builder.add_lane({.name = "stream 7", .rank = 0, .kind = LaneKind::kStream});
  std::vector<TaskId> launches;
  std::vector<TaskId> works;
  for (const std::int64_t host : {100, 100, 100, 300}) {
    launches.push_back(maker.task(thread, host, {}, "launch", TaskKind::kRuntime));
    works.push_back(maker.task(stream, 100, {}, "kernel", TaskKind::kKernel));
  }
  // The device works on what was launched before the capture.
  const TaskId backlog = maker.task(stream, 500, {}, "backlog", TaskKind::kKernel);
  for (std::size_t k = 0; k < launches.size(); ++k) {
    maker.builder.add_edge(launches[k], works[k], EdgeKind::kLaunch);
    maker.builder.add_edge(k == 0 ? backlog : works[k - 1], works[k], EdgeKind::kStream);
    if (k > 0) maker.builder.add_edge(launches[k - 1], launches[k], EdgeKind::kProgram);
  }
  const auto test = test_of(recorded_steps(maker, launches, works));
  ASSERT_TRUE(test);
  EXPECT_EQ(test->steps, 3U);
  EXPECT_EQ(test->error, 0);
}

TEST(PerturbationTest, OneStepIsNoTest) { EXPECT_FALSE(test_of(steps_with({100}, true))); }

TEST(PerturbationTest, StepsThatAreAlikeSayLittle) {
  const auto test = test_of(steps_with({100, 100, 100}, false));
  ASSERT_TRUE(test);
  EXPECT_EQ(test->error, 0);
  EXPECT_EQ(test->difference, 0);
}

}  // namespace
}  // namespace stepsim::sim
