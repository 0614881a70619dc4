#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "cli/capture/plan.h"
#include "model/base/error.h"

namespace stepsim::cli {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

class TorchPlanTest : public ::testing::Test {
 protected:
  std::map<std::string, std::string> told() {
    const auto list = torch_variables_of(
        plan,
        [this](const char* name) {
          const auto found = set.find(name);
          return found == set.end() ? nullptr : found->second.c_str();
        },
        "/ours", "12-34");
    return {list.begin(), list.end()};
  }
  CapturePlan plan{.directory = "/traces"};
  std::map<std::string, std::string> set;  ///< the variables that are set
};

TEST_F(TorchPlanTest, WithoutASchedule10StepsAreLeftAlone1IsWarmUp3AreCaptured) {
  take_torch_schedule(plan);
  EXPECT_EQ(plan.wait, 10U);
  EXPECT_EQ(plan.warm_up, 1U);
  EXPECT_EQ(plan.active, 3U);
}

TEST_F(TorchPlanTest, WhatIsSaidStays) {
  plan.skip_first = 20;
  plan.warm_up = 0;
  plan.active = 7;
  take_torch_schedule(plan);
  EXPECT_EQ(plan.wait, 0U);
  EXPECT_EQ(plan.warm_up, 0U);
  EXPECT_EQ(plan.active, 7U);
}

TEST_F(TorchPlanTest, BytepsStepsAreTheOnesThatAreCaptured) {
  set = {{"BYTEPS_TRACE_ON", "1"}, {"BYTEPS_TRACE_START_STEP", "5"}, {"BYTEPS_TRACE_END_STEP", "6"}};
  take_byteps_variables([this](const char* name) { return set.count(name) > 0 ? set[name].c_str() : nullptr; }, plan);
  take_torch_schedule(plan);
  EXPECT_EQ(plan.skip_first, 4U);  // the plan skips steps 1 to 4
  EXPECT_EQ(*plan.wait + *plan.warm_up, 0U);
  EXPECT_EQ(plan.active, 2U);
}

TEST_F(TorchPlanTest, PythonSearchesOurFolderBeforeTheirs) {
  EXPECT_THAT(told(), Contains(Pair("PYTHONPATH", "/ours")));
  set["PYTHONPATH"] = "/theirs:/more";
  EXPECT_THAT(told(), Contains(Pair("PYTHONPATH", "/ours:/theirs:/more")));
}

TEST_F(TorchPlanTest, TellsTheRecorderAndNotCuda) {
  plan.torch_options = {"with_flops", "with_stack"};
  plan.step_call = "loop.train_step";
  plan.ranks = "0-3";
  const auto variables = told();
  EXPECT_THAT(variables, Contains(Pair("STEPSIM_CAPTURE_TORCH", "1")));
  EXPECT_THAT(variables, Contains(Pair("STEPSIM_CAPTURE_TORCH_OPTIONS", "with_flops,with_stack")));
  EXPECT_THAT(variables, Contains(Pair("STEPSIM_CAPTURE_STEP_CALL", "loop.train_step")));
  EXPECT_THAT(variables, Contains(Pair("STEPSIM_CAPTURE_RANKS", "0-3")));
  EXPECT_THAT(variables, Contains(Pair("STEPSIM_CAPTURE_RUN", "12-34")));
  EXPECT_THAT(variables, Not(Contains(Key("CUDA_INJECTION64_PATH"))));
}

TEST_F(TorchPlanTest, AnotherToolInTheProgramIsAnError) {
  set["CUDA_INJECTION64_PATH"] = "/opt/nsys/libToolsInjection64.so";
  EXPECT_THROW(static_cast<void>(told()), UsageError);
}

}  // namespace
}  // namespace stepsim::cli
