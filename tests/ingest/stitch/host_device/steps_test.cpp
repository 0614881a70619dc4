// Tests which steps a trace has, from its step marks or from the ranges that replace them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/rank_events.h"
#include "tests/ingest/stitched.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using ::testing::ElementsAre;
using testing::stitched;
using testing::TraceMaker;
using testing::us;

using Window = std::pair<std::int64_t, std::int64_t>;  ///< in microseconds

std::vector<Window> windows_of(const RankEvents& events) {
  std::vector<Window> windows;
  for (const RankEvents::StepWindow& step : events.steps) {
    windows.emplace_back((step.begin - Time{}) / std::chrono::microseconds{1},
                         (step.end - Time{}) / std::chrono::microseconds{1});
  }
  return windows;
}

/// A thread with ranges, each of which launches one kernel.
struct Ranges {
  TraceMaker maker;
  std::int64_t launches = 0;
  void add(const std::string& name, double start_us, double length_us, double kernel_us = 10) {
    const TrackId thread = maker.thread("1");
    maker.add(EventKind::kAnnotation, name, thread, start_us, length_us);
    maker.add(EventKind::kRuntimeCall, "cudaLaunchKernel", thread, start_us + 1, 1, launches);
    maker.add(EventKind::kKernel, "gemm", maker.stream(7), start_us + 3, kernel_us, launches++);
  }
};

TEST(StepsTest, ServingMarksItsStepsByRanges) {
  Ranges ranges;
  ranges.add("step[DECODE bs=8]", 100, 50);
  ranges.add("step[EXTEND bs=2 toks=512]", 200, 90);
  EXPECT_THAT(windows_of(arrange(ranges.maker.trace)), ElementsAre(Window{100, 150}, Window{200, 290}));
  EXPECT_EQ(stitched({ranges.maker.trace}).diagnostics.count_of("steps_from_ranges"), 2U);
}

TEST(StepsTest, OfRangesThatNestThoseThatCoverMoreAreTheSteps) {
  Ranges ranges;
  ranges.add("execute_context_3", 90, 80);
  ranges.add("step[DECODE bs=8]", 100, 50);
  EXPECT_THAT(windows_of(arrange(ranges.maker.trace)), ElementsAre(Window{90, 170}));
}

TEST(StepsTest, OptimizerStepsEndIterationsAndTheFirstOneIsNotKnown) {
  Ranges ranges;
  for (const int end : {100, 300, 500}) ranges.add("Optimizer.step#SGD.step", end - 20, 20);
  EXPECT_THAT(windows_of(arrange(ranges.maker.trace)), ElementsAre(Window{100, 300}, Window{300, 500}));
}

TEST(StepsTest, MarksOfTheProfilerComeFirst) {
  Ranges ranges;
  ranges.add("ProfilerStep#7", 0, 200, 100);
  ranges.add("Optimizer.step#SGD.step", 150, 20);
  ranges.add("Optimizer.step#SGD.step", 170, 20);
  EXPECT_THAT(windows_of(arrange(ranges.maker.trace)), ElementsAre(Window{0, 200}));
}

std::vector<std::int64_t> numbers_of(const RankEvents& events) {
  std::vector<std::int64_t> numbers;
  for (const RankEvents::StepWindow& step : events.steps) numbers.push_back(step.number);
  return numbers;
}

TEST(StepsTest, TheLongestRangesThatAreNamedLikeStepsAreTheSteps) {
  Ranges ranges;
  ranges.add("iteration 7", 100, 80);
  ranges.add("batch 1", 110, 20);
  ranges.add("iteration 8", 200, 80);
  ranges.add("batch 2", 210, 20);
  ranges.add("batch 3", 240, 20);
  const RankEvents events = arrange(ranges.maker.trace);
  EXPECT_THAT(windows_of(events), ElementsAre(Window{100, 180}, Window{200, 280}));
  EXPECT_THAT(numbers_of(events), ElementsAre(7, 8));
  EXPECT_EQ(events.step_ranges, "iteration N");
}

TEST(StepsTest, RangesAreCountedWhereTheirNamesDoNotNumberThemInOrder) {
  for (const auto& [first, second] : {std::pair{"train_step", "train_step"},
                                      {"train/batch", "train/batch"},
                                      {"step 1", "step 1"},
                                      {"step 2", "step 1"}}) {
    Ranges ranges;
    ranges.add(first, 100, 80);
    ranges.add(second, 200, 80);
    EXPECT_THAT(numbers_of(arrange(ranges.maker.trace)), ElementsAre(0, 1)) << first;
  }
}

TEST(StepsTest, AWarmUpIsNoStep) {
  Ranges ranges;
  ranges.add("Warm-up Step 1", 0, 500);
  ranges.add("step 2", 20, 400);
  ranges.add("step 3", 600, 100, 100);
  EXPECT_THAT(numbers_of(arrange(ranges.maker.trace)), ElementsAre(3));
}

TEST(StepsTest, WithoutStepsForwardPassesOutsideTheWarmUpAreTheSteps) {
  for (const bool trains : {false, true}) {
    Ranges ranges;
    ranges.add("Warm-up", 0, 100);
    ranges.add("Forward", 10, 40);
    ranges.add("Backward", 50, 40);
    for (int i = 0; i < 3; ++i) ranges.add("Forward", 200 + 100 * i, 90);
    if (trains) ranges.add("Backward", 600, 90);
    EXPECT_EQ(arrange(ranges.maker.trace).steps.size(), trains ? 0U : 3U);
  }
}

TEST(StepsTest, RangesOutsideOfMostDeviceWorkGiveWayToOthers) {
  Ranges ranges;
  ranges.add("batch 1", 0, 500, 5);  // loads a batch
  ranges.add("batch 2", 1000, 500, 5);
  for (int i = 0; i < 3; ++i) ranges.add("Optimizer.step#SGD.step", 600 + 300 * i, 20, 100);
  EXPECT_THAT(windows_of(arrange(ranges.maker.trace)), ElementsAre(Window{620, 920}, Window{920, 1220}));
}

TEST(StepsTest, MarksThatOverlapAreCutWhereTheStepsAreMostAlike) {
  for (const bool early : {false, true}) {
    Ranges ranges;
    ranges.add("ProfilerStep#0", 0, early ? 100 : 103);
    ranges.add("ProfilerStep#1", early ? 97 : 100, early ? 103 : 100);
    EXPECT_THAT(windows_of(arrange(ranges.maker.trace)), ElementsAre(Window{0, 100}, Window{100, 200})) << early;
  }
}

TEST(StepsTest, MarksWithLessThanHalfOfTheDeviceTimeAreIgnored) {
  for (const double outside : {9.0, 11.0}) {
    Ranges ranges;
    ranges.add("ProfilerStep#0", 1000, 40, 10);
    ranges.add("before", 0, 40, outside);
    const RankEvents events = arrange(ranges.maker.trace);
    EXPECT_EQ(events.marked, outside < 10);
    const Capture capture = stitched({ranges.maker.trace});
    EXPECT_EQ(capture.diagnostics.count_of("device_work_outside_steps"), outside < 10 ? 0U : 1U);
    EXPECT_EQ(capture.recording.steps.front().marked, outside < 10);
  }
}

TEST(StepsTest, SeveralBusyStepsStayStepsAfterALongerWarmUp) {
  Ranges ranges;
  ranges.add("warm-up", 0, 40, 500);
  ranges.add("ProfilerStep#0", 1000, 40, 10);
  ranges.add("ProfilerStep#1", 1040, 40, 10);
  EXPECT_THAT(windows_of(arrange(ranges.maker.trace)), ElementsAre(Window{1000, 1040}, Window{1040, 1080}));
}

TEST(StepsTest, WorkBetweenTheStepsIsNoOtherPhase) {
  Ranges ranges;
  ranges.add("ProfilerStep#0", 1000, 40, 10);
  ranges.add("training", 1050, 40, 50);
  ranges.add("ProfilerStep#1", 1200, 40, 10);
  const RankEvents events = arrange(ranges.maker.trace);
  EXPECT_FALSE(events.marked);
  EXPECT_EQ(events.steps_ignored, 2U);
}

}  // namespace
}  // namespace stepsim::ingest
