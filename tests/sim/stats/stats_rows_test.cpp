#include "sim/stats/stats_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/base/error.h"
#include "sim/analysis/task_names.h"
#include "tests/sim/stats/measured_maker.h"
#include "tests/sim/stats/traced_calls.h"

namespace stepsim::testing {
namespace {

using sim::StatsKey;
using sim::StatsOrder;
using sim::StatsRow;
using sim::WorkPart;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names_of(const std::vector<StatsRow>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const StatsRow& row : rows) names.push_back(row.name);
  return names;
}

/// Returns a capture of two steps of a BytePS worker. In the first step, BW.a takes 10 ns, BW.b 30 ns and a push 40 ns.
/// In the second, each takes twice as long.
Capture two_steps() {
  MeasuredMaker maker;
  const LaneId operators = maker.lane(0, LaneKind::kOperators, "operators");
  const LaneId pushes = maker.lane(0, LaneKind::kLink, "PUSH");
  TaskId first[2];
  for (const std::int32_t step : {0, 1}) {
    const std::int64_t begin = std::int64_t{1000} * step;
    const std::int64_t length = step + 1;
    first[step] = maker.add(operators, TaskKind::kOperator, "BW.a", begin, begin + 10 * length, step);
    maker.add(operators, TaskKind::kOperator, "BW.b", begin + 100, begin + 100 + 30 * length, step);
    maker.add(pushes, TaskKind::kTransfer, "Comm.w.x.PUSH.3", begin + 200, begin + 200 + 40 * length, step);
  }
  Capture capture = maker.make();
  for (const std::int32_t step : {0, 1}) {
    capture.recording.steps.push_back(
        {.rank = 0, .number = 5 + step, .first = maker.dag.new_id(first[step]), .next_follows = step == 0});
  }
  return capture;
}

TEST(StatsRowsTest, ByNameWithSharesOfTheirPartAndMeansOfSteps) {
  const Capture capture = two_steps();
  const auto rows = sim::stats_rows(sim::measured_work(capture, {}), StatsKey::kName, StatsOrder::kSelf);
  EXPECT_THAT(names_of(rows), ElementsAre("Comm.w.x.PUSH.3", "BW.b", "BW.a"));
  EXPECT_EQ(rows[0].kind, "transfer");
  EXPECT_EQ(rows[0].part, WorkPart::kCommunication);
  EXPECT_DOUBLE_EQ(rows[0].share, 1);
  EXPECT_EQ(rows[1].times.count, 2U);
  EXPECT_EQ(rows[1].times.total, Duration{90});
  EXPECT_EQ(rows[1].times.shortest, Duration{30});
  EXPECT_EQ(rows[1].times.longest, Duration{60});
  EXPECT_EQ(rows[1].self, Duration{90});
  EXPECT_DOUBLE_EQ(rows[1].share, 0.75);  // 90 of the 120 ns of compute
  EXPECT_EQ(rows[1].per_step, Duration{45});
}

TEST(StatsRowsTest, EachKeyGroupsByWhatItSays) {
  const Capture capture = two_steps();
  const TraceDetails details;
  const sim::MeasuredWork work = sim::measured_work(capture, details);
  const auto by = [&work](StatsKey key) { return names_of(sim::stats_rows(work, key, StatsOrder::kName)); };
  EXPECT_THAT(by(StatsKey::kKind), ElementsAre("operator", "transfer"));
  EXPECT_THAT(by(StatsKey::kClass), ElementsAre("operator", "transfer"));
  EXPECT_THAT(by(StatsKey::kLayer), ElementsAre("(none)", "a", "b"));
  EXPECT_THAT(by(StatsKey::kTensor), ElementsAre("(none)", "w.x"));
  EXPECT_THAT(by(StatsKey::kStage), ElementsAre("(none)", "PUSH"));
  EXPECT_THAT(by(StatsKey::kLane), ElementsAre("rank 0, PUSH", "rank 0, operators"));
  EXPECT_THAT(by(StatsKey::kRank), ElementsAre("rank 0"));
  EXPECT_THAT(by(StatsKey::kStep), ElementsAre("step 5", "step 6"));
}

TEST(StatsRowsTest, AGroupOfSeveralPartsHasAShareOfAll) {
  const Capture capture = two_steps();
  const auto rows = sim::stats_rows(sim::measured_work(capture, {}), StatsKey::kStep, StatsOrder::kSelf);
  EXPECT_EQ(rows.front().name, "step 6");
  EXPECT_FALSE(rows.front().part.has_value());
  EXPECT_TRUE(rows.front().kind.empty());
  EXPECT_DOUBLE_EQ(rows.front().share, 160.0 / 240);
}

TEST(StatsRowsTest, WhatACaptureLacksCannotBeAnswered) {
  const Capture capture = two_steps();
  const TraceDetails details;
  const sim::MeasuredWork work = sim::measured_work(capture, details);
  for (const StatsKey key : {StatsKey::kModule, StatsKey::kOperator, StatsKey::kAnnotation})
    EXPECT_THROW((void)sim::stats_rows(work, key, StatsOrder::kSelf), CannotAnswer);
}

TEST(StatsRowsTest, CallsStandForTheSegmentsOfTheirThread) {
  TracedCalls calls;
  const auto step = calls.add(CallKind::kAnnotation, "ProfilerStep#7", 0, 100);
  const auto linear = calls.add(CallKind::kOperator, "aten::linear", 10, 60, step);
  calls.add(CallKind::kOperator, "aten::addmm", 20, 60, linear);
  calls.add(CallKind::kAnnotation, "ProfilerStep#8", 100, 180);
  MeasuredMaker maker;
  maker.add(maker.lane(0, LaneKind::kThread, "thread 1"), TaskKind::kHost, "aten::addmm", 0, 100);
  maker.add(maker.stream(0, 0, "stream 7"), TaskKind::kKernel, "gemm", 0, 7);
  const Capture capture = maker.make();
  const auto rows = sim::stats_rows(sim::measured_work(capture, calls.details), StatsKey::kName, StatsOrder::kTotal);
  EXPECT_THAT(names_of(rows), ElementsAre("ProfilerStep#", "aten::linear", "aten::addmm", "gemm"));
  EXPECT_EQ(rows[0].times.count, 2U);
  EXPECT_EQ(rows[0].self, Duration{});  // its time counts as that of the calls inside it
  EXPECT_EQ(rows[1].times.total, Duration{50});
  EXPECT_EQ(rows[1].self, Duration{10});
  EXPECT_DOUBLE_EQ(rows[1].share, 0.2);
}

TEST(StatsRowsTest, OnlyStepsThatWereAskedForCount) {
  Capture capture = two_steps();
  capture.recording.steps[1].asked = false;
  const auto rows = sim::stats_rows(sim::measured_work(capture, {}), StatsKey::kName, StatsOrder::kSelf);
  EXPECT_EQ(rows[0].times.total, Duration{40});
  EXPECT_EQ(sim::whole_steps(capture.recording), 1U);
}

TEST(StatsRowsTest, CallsBelongToTheStepInWhichTheyBegin) {
  TracedCalls calls;
  calls.add(CallKind::kOperator, "before", 0, 5);
  calls.add(CallKind::kOperator, "first", 10, 15);
  calls.add(CallKind::kOperator, "second", 30, 35);
  calls.add(CallKind::kOperator, "after", 60, 65);  // belongs to a step that is left out
  MeasuredMaker maker;
  const LaneId thread = maker.lane(0, LaneKind::kThread, "thread 1");
  const TaskId first = maker.add(thread, TaskKind::kHost, "x", 10, 20, 0);
  const TaskId second = maker.add(thread, TaskKind::kHost, "x", 25, 50, 1);
  maker.add(maker.stream(0, 0, "stream 7"), TaskKind::kKernel, "gemm", 40, 90, 1);
  Capture capture = maker.make();
  capture.recording.steps = {{.rank = 0, .number = 1, .first = maker.dag.new_id(first), .asked = false},
                             {.rank = 0, .number = 2, .first = maker.dag.new_id(second)}};
  const auto rows = sim::stats_rows(sim::measured_work(capture, calls.details), StatsKey::kName, StatsOrder::kName);
  EXPECT_THAT(names_of(rows), ElementsAre("gemm", "second"));
}

TEST(StatsRowsTest, ATaskGraphHasTheLengthsItGives) {
  Capture capture = two_steps();
  capture.recording = {};
  const auto rows = sim::stats_rows(sim::measured_work(capture, {}), StatsKey::kName, StatsOrder::kSelf);
  EXPECT_EQ(rows[0].times.total, Duration{120});
}

TEST(StatsRowsTest, NamesOfStagesAreDividedFromBehind) {
  const sim::StagedTask task = sim::staged_task("Comm.layer.0.weight.COPYD2H.12");
  EXPECT_EQ(task.tensor, "layer.0.weight");
  EXPECT_EQ(task.stage, "COPYD2H");
  EXPECT_EQ(task.partition, "12");
  EXPECT_EQ(sim::staged_task("Comm.x.PUSH").tensor, "x");
  EXPECT_TRUE(sim::staged_task("Comm.x").stage.empty());
  EXPECT_TRUE(sim::staged_task("Comm.x.SUM.0").stage.empty());
  EXPECT_TRUE(sim::staged_task("FW.x.PUSH.0").stage.empty());
}

}  // namespace
}  // namespace stepsim::testing
