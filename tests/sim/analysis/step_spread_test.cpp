#include "sim/analysis/step_spread.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/engine/engine.h"
#include "tests/sim/stepped_job.h"

namespace stepsim::sim {
namespace {

std::vector<Duration> steps_of(const std::vector<int>& times) {
  std::vector<Duration> steps;
  steps.reserve(times.size());
  for (const int time : times) steps.emplace_back(time);
  return steps;
}

TEST(StepSpreadTest, OneStepHasADocumentedRangeBecauseItShowsNone) {
  const Factors factors = spread_of(steps_of({1000}), Duration{1000});
  EXPECT_EQ(factors.least, 1 - kOneStepSpread);
  EXPECT_EQ(factors.most, 1 + kOneStepSpread);
}

TEST(StepSpreadTest, NoIterationHasNoRange) {
  const Factors factors = spread_of({}, Duration{});
  EXPECT_EQ(factors.least, 1);
  EXPECT_EQ(factors.most, 1);
}

TEST(StepSpreadTest, HoldsBothOfTwoStepsWhicheverOfThemIsTheIteration) {
  for (const int iteration : {51, 71}) {
    const Factors factors = spread_of(steps_of({71, 51}), Duration{iteration});
    EXPECT_LE(factors.least * iteration, 51);
    EXPECT_GE(factors.most * iteration, 71);
  }
}

TEST(StepSpreadTest, ThreeStepsGiveLordsInterval) {
  // The interval is Lord's factor for three values, u(3) = 0.885, times their range of 4 ns, on each side.
  const Factors factors = spread_of(steps_of({98, 100, 102}), Duration{100});
  EXPECT_NEAR(factors.least, (100 - 0.885 * 4) / 100, 1e-12);
  EXPECT_NEAR(factors.most, (100 + 0.885 * 4) / 100, 1e-12);
}

TEST(StepSpreadTest, MoreStepsOfTheSameRangeAreNarrower) {
  double width = 1e9;
  for (std::size_t count = 3; count <= 10; ++count) {
    std::vector<Duration> steps(count, Duration{1000});
    steps.front() = Duration{990};
    steps.back() = Duration{1010};
    const Factors factors = spread_of(steps, Duration{1000});
    EXPECT_LT(factors.most - factors.least, width) << count;
    width = factors.most - factors.least;
  }
}

TEST(StepSpreadTest, OneOutlierOfManyDoesNotWidenIt) {
  std::vector<Duration> steps(40, Duration{1000});
  steps.back() = Duration{9000};
  EXPECT_EQ(spread_of(steps, Duration{1000}).most, 1);
}

TEST(TrendTest, NeedsFourStepsThatAllGoOneWay) {
  EXPECT_EQ(trend_of(steps_of({130, 120, 110}), Duration{120}), std::nullopt);
  EXPECT_EQ(trend_of(steps_of({140, 130, 135, 110}), Duration{130}), std::nullopt);
  EXPECT_EQ(trend_of(steps_of({140, 130, 120, 110}), Duration{125}), 110.0 / 125);
  EXPECT_EQ(trend_of(steps_of({100, 110, 120, 130}), Duration{115}), 130.0 / 115);
}

TEST(TrendTest, ATenthOrLessIsNoTrend) {
  EXPECT_EQ(trend_of(steps_of({100, 101, 102, 103}), Duration{101}), std::nullopt);
}

std::optional<Duration> contradicted(const Capture& capture, const Timeline& timeline) {
  return contradicted_repetition(capture, timeline, steady_iteration(capture, timeline));
}

/// Returns contradicted_repetition() of a job with two steps. Each step has a call of 10 ns and a kernel: 30 ns in the
/// first step, the parameter in the second.
std::optional<Duration> contradicted(int kernel_of_the_second) {
  stepsim::testing::SteppedJob job;
  job.kernel(0, 30, {job.call(0, 10)});
  job.kernel(1, kernel_of_the_second, {job.call(1, 10)});
  const Capture capture = job.capture();
  return contradicted(capture, replay(capture.dag, Machine(capture.dag)));
}

TEST(StepSpreadTest, RepetitionIsContradictedBeyondTheSpreadOfTheSteps) {
  EXPECT_EQ(contradicted(30), std::nullopt);
  // The repeated 30 ns differ by 3.4 % from the 29 ns between the two captured steps. From a single captured distance,
  // only a difference of more than 5 % is a contradiction.
  EXPECT_EQ(contradicted(29), std::nullopt);
  EXPECT_EQ(contradicted(20), Duration{30});
}

TEST(StepSpreadTest, CapturedStepsThatASlowerCycleDidNotReachContradictNothing) {
  // Stream 20 needs 7 ns a step. Stream 7 needs 6 ns, but began 10 ns later, so it ends last in all captured steps.
  stepsim::testing::SteppedJob job;
  for (const int step : {0, 1, 2, 3}) {
    job.kernel(step, 7, {job.call(step, 1)}, 0, "stream 20");
    const TaskId call = job.call(step, 4);
    job.builder().add_edge(call, job.kernel(step, 6, {}), EdgeKind::kLaunch, Duration{step == 0 ? 10 : 0});
  }
  const Capture capture = job.capture();
  const Timeline timeline = replay(capture.dag, Machine(capture.dag));
  EXPECT_EQ(replayed_iteration(capture, timeline), Duration{6});
  EXPECT_EQ(steady_iteration(capture, timeline).value().length, Duration{7});
  EXPECT_EQ(contradicted(capture, timeline), std::nullopt);
}

TEST(StepSpreadTest, OneStepContradictsNoRepetition) {
  stepsim::testing::SteppedJob job;
  job.kernel(0, 30, {job.call(0, 10)});
  const Capture capture = job.capture();
  EXPECT_EQ(contradicted(capture, replay(capture.dag, Machine(capture.dag))), std::nullopt);
}

}  // namespace
}  // namespace stepsim::sim
