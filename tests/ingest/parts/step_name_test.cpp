#include "ingest/parts/step_name.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace stepsim::ingest {
namespace {

TEST(StepNameTest, StepsAreToldByTheirWords) {
  const std::vector<std::pair<std::string, std::int64_t>> numbered{
      {"Iteration 12", 12},     {"iter=3", 3},         {"step_7", 7},
      {"train_step: 41", 41},   {"ProfilerStep#4", 4}, {"Step 5/100", 5},
      {"global step [19]", 19}, {"epoch 3 batch 8", 8}};
  for (const auto& [range, number] : numbered) {
    const auto step = step_name(range);
    ASSERT_TRUE(step) << range;
    EXPECT_EQ(step->number, number) << range;
  }
  EXPECT_EQ(step_name("Iteration 12")->family, step_name("iteration 13")->family);
  EXPECT_NE(step_name("epoch 3 batch 8")->family, step_name("epoch 4 batch 8")->family);
  for (const std::string range : {"train_step", "Iteration", "training step", "train/batch", "batch", "train_one_step",
                                  "Trainer.step", "run_step", "loop/iteration", "Trainer::run_step"}) {
    const auto step = step_name(range);
    ASSERT_TRUE(step) << range;
    EXPECT_EQ(step->number, std::nullopt) << range;
  }
}

TEST(StepNameTest, OtherRangesAreNoSteps) {
  for (const std::string range :
       {"forward", "Optimizer.step#SGD.step", "timestep 5", "microbatch 3", "iteration 3 forward", "BatchNorm2d 1",
        "step 99999999999999999999", "", "aten::mm, seq = 7", "layer 3", "optimizer_step", "model.step", "train", "run",
        "one"}) {
    EXPECT_FALSE(step_name(range)) << range;
  }
}

}  // namespace
}  // namespace stepsim::ingest
