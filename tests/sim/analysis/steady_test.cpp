#include "sim/analysis/steady.h"

#include <gtest/gtest.h>

#include "sim/engine/engine.h"
#include "tests/sim/stepped_job.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::SteppedJob;

std::optional<Duration> steady(const Capture& capture) {
  const auto found = steady_iteration(capture, replay(capture.dag, Machine(capture.dag)));
  return found ? std::optional(found->length) : std::nullopt;
}

/// Returns a job of two steps, each with a call of 10 ns and a kernel of 30 ns.
SteppedJob two_steps() {
  SteppedJob job;
  for (const int step : {0, 1}) job.kernel(step, 30, {job.call(step, 10)});
  return job;
}

TEST(SteadyTest, MedianOverStepsLeavesOutOneThatTakesLonger) {
  SteppedJob job;
  for (int step = 0; step < 4; ++step) job.kernel(step, step == 1 ? 500 : 30, {job.call(step, 10)});
  EXPECT_EQ(steady(job.capture()), Duration{30});
}

TEST(SteadyTest, TaskOfNoStepBetweenTwoStepsIsPartOfTheFirst) {
  SteppedJob job;
  job.kernel(0, 30, {job.call(0, 10)});
  job.call(-1, 50);
  job.kernel(1, 30, {job.call(1, 10)});
  EXPECT_EQ(steady(job.capture()), Duration{10 + 50});
}

TEST(SteadyTest, LagBetweenTwoStepsIsThereInEveryRound) {
  SteppedJob job;
  const TaskId kernel = job.kernel(0, 30, {job.call(0, 10)});
  const TaskId next = job.call(1, 10);
  job.builder().add_edge(kernel, next, EdgeKind::kSync, Duration{5});
  job.kernel(1, 30, {next});
  EXPECT_EQ(steady(job.capture()), Duration{10 + 30 + 5});
}

TEST(SteadyTest, MessageThatHasLeftLetsItsSenderGoOn) {
  // A sender may continue when its message has left, which is before the message ends. The test imitates this: it moves
  // the second call of this replay to 6 ns before the end of the first call.
  SteppedJob job;
  job.kernel(0, 1, {job.call(0, 10)});
  job.call(0, 20);
  const Capture capture = job.capture();
  Timeline timeline = replay(capture.dag, Machine(capture.dag));
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    if (timeline.start[i] != Time{Duration{10}} || capture.dag.kind(TaskId{i}) == TaskKind::kKernel) continue;
    timeline.start[i] -= Duration{6};
    timeline.finish[i] -= Duration{6};
  }
  EXPECT_EQ(steady_iteration(capture, timeline).value().length, Duration{10 - 6 + 20});
}

TEST(SteadyTest, OneStepDoesNotShowHowTheNextOneFollows) {
  SteppedJob one;
  one.kernel(0, 30, {one.call(0, 10)});
  for (const auto& [job, follows] : {std::pair{one.capture(), false}, std::pair{two_steps().capture(), true}})
    EXPECT_EQ(steady_iteration(job, replay(job.dag, Machine(job.dag))).value().follows, follows);
}

TEST(SteadyTest, StepsWithoutMarksOrDeviceWorkAreNotRepeated) {
  Capture capture = two_steps().capture();
  EXPECT_TRUE(steady(capture).has_value());
  for (RecordedStep& step : capture.recording.steps) step.marked = false;
  EXPECT_EQ(steady(capture), std::nullopt);
  SteppedJob host_only;
  for (const int step : {0, 1}) host_only.call(step, 10);
  EXPECT_EQ(steady(host_only.capture()), std::nullopt);
}

TEST(SteadyTest, CollectiveOfTwoStepsIsNotRepeated) {
  SteppedJob job;
  const TaskId first = job.kernel(0, 30, {job.call(0, 10, {}, 0)}, 0);
  job.kernel(0, 30, {job.call(0, 10, {}, 1)}, 1);
  job.kernel(1, 30, {job.call(1, 10, {}, 0)}, 0);
  job.join({first, job.kernel(1, 30, {job.call(1, 10, {}, 1)}, 1)});
  EXPECT_EQ(steady(job.capture()), std::nullopt);
}

TEST(SteadyTest, LaneWithAQueueIsNotRepeated) {
  SteppedJob job = two_steps();
  job.builder().lane(LaneId{1U}).order = LaneOrder::kFifo;
  EXPECT_EQ(steady(job.capture()), std::nullopt);
}

TEST(SteadyTest, RanksWithDifferentStepsAreNotRepeated) {
  SteppedJob job;
  job.kernel(0, 30, {job.call(0, 10, {}, 0)}, 0);
  job.kernel(1, 30, {job.call(1, 10, {}, 1)}, 1);
  EXPECT_EQ(steady(job.capture()), std::nullopt);
}

TEST(SteadyTest, StepsOfMoreThanAYearAreNotRepeated) {
  SteppedJob job;
  job.kernel(0, Duration{std::chrono::hours{24 * 366}}.count(), {job.call(0, 10)});
  EXPECT_EQ(steady(job.capture()), std::nullopt);
}

TEST(SteadyTest, TasksWithoutStepsOrRecordingAreNotRepeated) {
  Capture capture = two_steps().capture();
  capture.recording.step.clear();
  EXPECT_EQ(steady(capture), std::nullopt);
  capture.recording = {};
  EXPECT_EQ(steady(capture), std::nullopt);
}

TEST(SteadyTest, PartsOfARankAreNoLongerThanItsIteration) {
  const RankBreakdown rank{
      .iteration = Duration{100}, .compute = Duration{90}, .host = Duration{30}, .idle = Duration{5}};
  const RankBreakdown shorter = at_pace(rank, Duration{70});
  EXPECT_EQ(shorter.iteration, Duration{70});
  EXPECT_EQ(shorter.compute, Duration{70});
  EXPECT_EQ(shorter.host, Duration{30});
  EXPECT_EQ(shorter.idle, Duration{0});
  EXPECT_EQ(at_pace(rank, Duration{110}).idle, Duration{5 + 10});
}

TEST(SteadyTest, AShorterIterationHasLessIdleTimeAndThenLessWorkOfOtherSteps) {
  const IterationParts parts{.compute = Duration{50}, .other_steps = Duration{40}, .idle = Duration{10}};
  const IterationParts shorter = at_pace(parts, Duration{70});
  EXPECT_EQ(shorter.compute, Duration{50});
  EXPECT_EQ(shorter.other_steps, Duration{20});
  EXPECT_EQ(shorter.idle, Duration{0});
}

TEST(SteadyTest, PartsSumToTheIterationOfTheLongRun) {
  const IterationParts parts{.compute = Duration{50}, .communication = Duration{30}, .idle = Duration{20}};
  EXPECT_EQ(at_pace(parts, Duration{90}).idle, Duration{10});
  EXPECT_EQ(at_pace(parts, Duration{130}).idle, Duration{50});
  const IterationParts shorter = at_pace(parts, Duration{41});
  EXPECT_EQ(shorter.sum(), Duration{41});
  EXPECT_EQ(shorter.idle, Duration{});
  EXPECT_NEAR(static_cast<double>(shorter.compute.count()), 41.0 * 5 / 8, 1);
  EXPECT_EQ(at_pace(IterationParts{}, Duration{7}).idle, Duration{7});
}

}  // namespace
}  // namespace stepsim::sim
