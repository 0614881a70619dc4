// Tests iterations that repeat one captured step against closed forms.

#include <gtest/gtest.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/rewrite/repeated_step.h"
#include "sim/analysis/steady.h"
#include "sim/analysis/step_times.h"
#include "sim/engine/engine.h"
#include "tests/sim/stepped_job.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::SteppedJob;

constexpr std::int64_t kCalls = 10;  // calls per step

/// Returns steps of ten calls of `host` ns, each of which launches a kernel of `device` ns. If `waits`, a step begins
/// when the device has finished the previous step.
Capture launching(int steps, std::int64_t host, std::int64_t device, bool waits = false) {
  SteppedJob job;
  TaskId last;
  for (int step = 0; step < steps; ++step) {
    for (std::int64_t i = 0; i < kCalls; ++i) {
      const TaskId call = job.call(step, host);
      if (waits && i == 0 && last.valid()) job.builder().add_edge(last, call, EdgeKind::kSync);
      last = job.kernel(step, device, {call});
    }
  }
  return job.capture();
}

Duration span(const Capture& capture) {
  const Timeline timeline = replay(capture.dag, Machine::as_recorded(capture));
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{};
}

TEST(RepeatedStepTheoryTest, IterationsOverlapAsTheCapturedOnesDo) {
  // n steps have n * 10 calls. If the device is slower, they take the first call and all kernels. If the host is
  // slower, they take all calls and the last kernel.
  for (const std::size_t count : {1U, 2U, 7U, 100U}) {
    const auto n = static_cast<std::int64_t>(count) * kCalls;
    EXPECT_EQ(span(with_repeated_step(launching(3, 2, 20), 1, count)), Duration{2 + n * 20});
    EXPECT_EQ(span(with_repeated_step(launching(3, 20, 2), 1, count)), Duration{n * 20 + 2});
    // A step takes 2 + 10 * 20 ns, and the next step waits for its end.
    EXPECT_EQ(span(with_repeated_step(launching(3, 2, 20, true), 0, count)),
              Duration{static_cast<std::int64_t>(count) * (2 + kCalls * 20)});
  }
}

TEST(RepeatedStepTheoryTest, PaceIsThatOfTheSteadyIteration) {
  for (const std::int64_t host : {1, 20, 30}) {
    for (const std::int64_t device : {1, 20, 30}) {
      const Capture capture = launching(3, host, device, host == device);
      const Timeline captured = replay(capture.dag, Machine::as_recorded(capture));
      const Capture repeated = with_repeated_step(capture, 1, 50);
      const Timeline timeline = replay(repeated.dag, Machine::as_recorded(repeated));
      EXPECT_EQ(simulated_steps(repeated, timeline, 1).iteration, steady_iteration(capture, captured)->length)
          << host << ' ' << device;
    }
  }
}

TEST(RepeatedStepTheoryTest, EachIterationIsAStepOfEachRankWithTheTasksOfTheCapturedOne) {
  const Capture capture = launching(2, 3, 5);
  const Capture repeated = with_repeated_step(capture, 0, 4);
  EXPECT_EQ(repeated.dag.task_count(), 4 * capture.dag.task_count() / 2);
  ASSERT_EQ(repeated.recording.steps.size(), 4U);
  EXPECT_EQ(repeated.recording.ranks.size(), capture.recording.ranks.size());
  for (std::int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(std::count(repeated.recording.step.begin(), repeated.recording.step.end(), i), 2 * kCalls);
  const Timeline timeline = replay(repeated.dag, Machine::as_recorded(repeated));
  const SimulatedSteps steps = simulated_steps(repeated, timeline, 0);
  EXPECT_EQ(steps.iterations, 4U);
  EXPECT_EQ(steps.span, Duration{3 + 4 * kCalls * 5});
}

TEST(RepeatedStepTheoryTest, WorkBetweenTwoStepsIsRepeatedWithTheLastStepBeforeIt) {
  SteppedJob job;
  const TaskId early = job.call(0, 10);
  job.kernel(1, 1, {job.call(1, 10)});
  job.call(-1, 5, {early});  // also waits for step 0
  job.kernel(2, 1, {job.call(2, 10)});
  // A thread that is never idle makes both calls of step 1, 10 + 5 ns, three times. The last kernel runs meanwhile.
  EXPECT_EQ(span(with_repeated_step(job.capture(), 1, 3)), Duration{3 * (10 + 5)});
}

TEST(RepeatedStepTheoryTest, StepsThatAnotherOneFollowsAreRepeatable) {
  EXPECT_EQ(repeatable_steps(launching(3, 1, 1)), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(repeatable_steps(launching(1, 1, 1)), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(with_repeated_step(launching(1, 1, 1), 0, 2).assumptions.size(), 1U) << "nothing follows the step";
  EXPECT_TRUE(with_repeated_step(launching(2, 1, 1), 0, 2).assumptions.empty());
}

TEST(RepeatedStepTheoryTest, WhatCannotBeRepeatedIsRefused) {
  Capture capture = launching(2, 1, 1);
  EXPECT_THROW((void)with_repeated_step(capture, 0, 0), UsageError);
  EXPECT_THROW((void)with_repeated_step(capture, 0, 1'000'000), UsageError);
  for (RecordedStep& step : capture.recording.steps) step.marked = false;
  EXPECT_THROW((void)repeatable_steps(capture), CannotAnswer);
  capture.recording.steps.clear();
  EXPECT_THROW((void)repeatable_steps(capture), CannotAnswer);
}

}  // namespace
}  // namespace stepsim::sim
