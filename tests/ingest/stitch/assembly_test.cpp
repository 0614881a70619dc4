#include "ingest/stitch/assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::ingest {
namespace {

using stepsim::testing::thrown_by;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Builds a thread that launches a kernel of 30 ns every 10 ns and never waits: one launch before the first step, and
/// one in each of the steps 5, 6 and 7. The device therefore falls behind.
Assembly launching_ahead() {
  Assembly assembly;
  DagBuilder& builder = assembly.builder;
  const LaneId thread = builder.add_lane({.name = "thread", .rank = 0});
  const LaneId stream = builder.add_lane({.name = "stream", .rank = 0, .kind = LaneKind::kStream});
  const auto at = [](std::int64_t time) { return Time{Duration{time}}; };
  TaskId last_call;
  TaskId last_kernel;
  for (std::int64_t i = 0; i < 4; ++i) {
    const auto step = static_cast<std::int32_t>(i - 1);
    const std::string name = i == 0 ? "warm-up" : "step " + std::to_string(4 + i);
    const TaskId call = assembly.add_task(TaskKind::kRuntime, builder.intern(name + " call"), thread, at(10 * i),
                                          at(10 * (i + 1)), step);
    const TaskId kernel = assembly.add_task(TaskKind::kKernel, builder.intern(name + " kernel"), stream,
                                            at(10 + 30 * i), at(40 + 30 * i), step);
    assembly.add_edge(call, kernel, EdgeKind::kLaunch);
    if (i > 0) {
      assembly.add_edge(last_call, call, EdgeKind::kProgram);
      assembly.add_edge(last_kernel, kernel, EdgeKind::kStream);
      assembly.steps.push_back({.rank = 0, .number = 4 + i, .first = call, .next_follows = i < 3});
    }
    last_call = call;
    last_kernel = kernel;
  }
  return assembly;
}

std::vector<std::string> names_of(const Assembly& assembly) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < assembly.builder.task_count(); ++i)
    names.emplace_back(assembly.builder.name(assembly.builder.task(TaskId{i}).name));
  return names;
}

TEST(KeepStepsTest, WhatComesBeforeTheStepsIsReplayedWithThem) {
  Assembly assembly = launching_ahead();
  keep_steps(assembly, 6, 6);
  EXPECT_THAT(names_of(assembly), ElementsAre("warm-up call", "warm-up kernel", "step 5 call", "step 5 kernel",
                                              "step 6 call", "step 6 kernel"));
  EXPECT_THAT(assembly.step, ElementsAre(-1, -1, 0, 0, 1, 1));
  ASSERT_EQ(assembly.steps.size(), 2U);
  EXPECT_FALSE(assembly.steps[0].asked);
  EXPECT_TRUE(assembly.steps[1].asked);
  EXPECT_TRUE(assembly.steps[0].next_follows);
  EXPECT_FALSE(assembly.steps[1].next_follows);
}

/// The kernel of step 7 waits 60 ns for the kernels before it. If they were removed, nothing would explain that wait.
TEST(KeepStepsTest, WaitsForWorkOfEarlierStepsStayExplained) {
  Assembly assembly = launching_ahead();
  keep_steps(assembly, 7, 7);
  EXPECT_THAT(finish(std::move(assembly)).recording.unexplained, ::testing::IsEmpty());
}

TEST(KeepStepsTest, StepsThatAreNotThereAreRefused) {
  for (const auto& [first, last] : {std::pair{1, 4}, std::pair{8, 9}}) {
    Assembly assembly = launching_ahead();
    EXPECT_THAT(thrown_by<UsageError>([&, from = first, to = last] { keep_steps(assembly, from, to); }),
                HasSubstr("the input has steps 5 to 7"));
  }
}

TEST(KeepStepsTest, StepsWithoutATaskAreRefused) {
  Assembly assembly = launching_ahead();
  std::replace(assembly.step.begin(), assembly.step.end(), 2, -1);
  EXPECT_THAT(thrown_by<UsageError>([&] { keep_steps(assembly, 7, 7); }),
              HasSubstr("--steps 7-7: these steps have no task; expected others, or leave the option out"));
}

}  // namespace
}  // namespace stepsim::ingest
