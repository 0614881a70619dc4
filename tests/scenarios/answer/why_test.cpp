// Tests the explanations of answers that differ from what one would expect of their changes.
#include "scenarios/answer/why.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/answer/predict.h"
#include "tests/scenarios/question.h"
#include "tests/sim/dag_maker.h"
#include "tests/sim/sample_capture.h"

namespace stepsim::scenarios {
namespace {

using stepsim::testing::DagMaker;
using stepsim::testing::Question;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::int64_t kMs = 1'000'000;

/// Returns a capture whose recorded times are those of its replay.
Capture captured(DagMaker& maker) {
  Capture capture;
  capture.dag = maker.build();
  const sim::Timeline timeline = sim::replay(capture.dag, sim::Machine(capture.dag));
  capture.recording.start = timeline.start;
  capture.recording.finish = timeline.finish;
  capture.recording.ranks = {0};
  capture.recording.step.assign(capture.dag.task_count(), -1);
  return capture;
}

/// Returns a capture of a thread that computes for 10 ms while a stream works, and then waits for the stream. Before
/// and after that, the thread works for 1 ms.
Capture thread_and_stream(std::int64_t milliseconds_of_stream) {
  DagMaker maker;
  const LaneId thread = maker.lane(0, LaneOrder::kEdges, "thread 1");
  const LaneId stream = maker.lane(0, LaneOrder::kEdges, "stream 7");
  const TaskId begin = maker.task(thread, 1 * kMs, {}, "begin");
  const TaskId kernel = maker.task(stream, milliseconds_of_stream * kMs, {begin}, "kernel", TaskKind::kKernel);
  const TaskId host = maker.task(thread, 10 * kMs, {begin}, "host");
  maker.task(thread, 1 * kMs, {kernel, host}, "end");
  return captured(maker);
}

/// Returns a capture of two threads that put one task each into a queue. The first thread's queued task is followed by
/// 20 ms of work.
Capture fed_queue() {
  DagMaker maker;
  const LaneId first = maker.lane(0, LaneOrder::kEdges, "thread 1");
  const LaneId second = maker.lane(0, LaneOrder::kEdges, "thread 2");
  const LaneId queue = maker.lane(0, LaneOrder::kFifo, "queue");
  const TaskId a = maker.task(first, 5 * kMs, {}, "a");
  const TaskId b = maker.task(second, 6 * kMs, {}, "b");
  const TaskId of_a = maker.task(queue, 2 * kMs, {a}, "queued 1");
  maker.task(queue, 10 * kMs, {b}, "queued 2");
  maker.task(first, 20 * kMs, {of_a}, "tail");
  return captured(maker);
}

std::vector<std::string> reasons(Capture capture, const std::string& set) {
  const Question question(std::move(capture));
  Scenario scenario;
  if (!set.empty()) add_set(scenario, set);
  ReplayMeter meter;
  return reasons_of(answer_of(question.predictor(), scenario, nullptr, meter));
}

TEST(WhyTest, AnExpectedAnswerNeedsNoReason) {
  // The step of 1 + 20 + 1 ms becomes 12 ms: the kernel's 20 ms are halved, which makes them as long as the thread's 10
  // ms.
  EXPECT_THAT(reasons(thread_and_stream(20), "compute{name=kernel}.scale=0.5"), IsEmpty());
}

TEST(WhyTest, AQuestionWithoutAChangeNeedsNone) { EXPECT_THAT(reasons(thread_and_stream(20), ""), IsEmpty()); }

TEST(WhyTest, ANeutralChangeHasNothingToActOn) {
  EXPECT_THAT(reasons(thread_and_stream(20), "compute{name=kernel}.scale=1"),
              ElementsAre(StartsWith("The changes affect no task")));
}

TEST(WhyTest, WhatIsNotOnTheCriticalPathGainsNothing) {
  EXPECT_THAT(
      reasons(thread_and_stream(5), "compute{name=kernel}.scale=0.5"),
      ElementsAre("None of the tasks whose duration changes (1) is on the critical path. Largest part of the critical "
                  "path: CPU work (100 %)."));
}

TEST(WhyTest, AnotherPathTakesOver) {
  // The kernel takes 6 ms instead of 12 ms, but the thread works for 10 ms at the same time. So the step is only 2 ms
  // shorter: 1 + 10 + 1 ms instead of 1 + 12 + 1 ms.
  EXPECT_THAT(
      reasons(thread_and_stream(12), "compute{name=kernel}.scale=0.5"),
      ElementsAre(AllOf(StartsWith("The tasks on the baseline's critical path take 6 ms less, but the step only 2 ms "
                                   "less: another path is now the longest, mostly on rank 0's thread 1"),
                        HasSubstr("CPU work takes 10 ms more"))));
}

TEST(WhyTest, LessWorkMayTakeLonger) {
  // As captured, "queued 1" runs first: a, "queued 1" and the tail take 5 + 2 + 20 = 27 ms. If b takes half of its
  // time, "queued 2" runs first: b, "queued 2", "queued 1" and the tail take 3 + 10 + 2 + 20 = 35 ms.
  EXPECT_THAT(reasons(fed_queue(), "compute{name=b}.scale=0.5"),
              ElementsAre(StartsWith("Tasks other than communication take 3 ms less per step, but the step takes "
                                     "8 ms more: on the critical path")));
}

TEST(WhyTest, AGainThatIsSmallerThanWhatIsNotKnownIsNone) {
  // Only one of two steps loses its compute, so whether a typical step changes is not known.
  EXPECT_THAT(reasons(stepsim::testing::sample_capture(), "compute{step=10}.scale=0"),
              Contains(AllOf(StartsWith("A change of "), HasSubstr(" is within the uncertainty of this prediction ("),
                             HasSubstr("the captured steps change by different amounts"))));
}

TEST(DifferenceTest, ComparesTaskByTaskWhereTheGraphIsTheSame) {
  const Question question(thread_and_stream(12));
  Scenario scenario;
  add_set(scenario, "compute{name=kernel}.scale=0.5");
  ReplayMeter meter;
  const WhatIfAnswer answer = answer_of(question.predictor(), scenario, nullptr, meter);
  const ReplayDifference difference = difference_of(answer.baseline, answer.scenario);
  EXPECT_TRUE(difference.same_graph);
  EXPECT_EQ(difference.changed, 1U);
  EXPECT_EQ(difference.changed_on_path, 1U);
  EXPECT_EQ(difference.path_tasks, Duration{-6 * kMs});
  EXPECT_EQ(difference.work[static_cast<std::size_t>(sim::PathClass::kCompute)], Duration{-6 * kMs});
  EXPECT_EQ(difference.work[static_cast<std::size_t>(sim::PathClass::kHost)], Duration{});
}

}  // namespace
}  // namespace stepsim::scenarios
