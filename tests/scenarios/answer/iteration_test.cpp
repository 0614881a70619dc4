// Tests that the iteration of a pipeline of many microbatches, which follows from replays of few of them, is that of a
// replay of all.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/scenarios/divided_jobs.h"
#include "tests/scenarios/search/plan_question.h"

namespace stepsim::scenarios {
namespace {

using stepsim::testing::Question;

Plan plan_of(const Question& asked, const std::vector<std::string>& sets) {
  Scenario scenario;
  for (const std::string& set : sets) add_set(scenario, "parallel." + set);
  add_set(scenario, "parallel.micro_batch=4");
  Plan plan = asked.predictor().plan();
  apply_all(scenario.changes, plan);
  return plan;
}

Transformer small_model() { return {.layers = 4, .hidden = 512, .heads = 8, .key_heads = 8, .vocabulary = 8'000}; }

/// Returns a modelled step on a device, with this time of the CPU per call.
Question modelled(Duration host) {
  Question asked = stepsim::testing::question_of_one_device(stepsim::testing::modelled_capture(
      small_model(), {.device = find_accelerator("A100"), .sequence = 256, .samples = 4}, host));
  asked.settings().interference = usual_interference();
  return asked;
}

const std::vector<std::vector<std::string>> kDivisions{
    {"data=2"},
    {"data=4", "zero=1"},
    {"data=4", "zero=2"},
    {"data=4", "zero=3"},
    {"tensor=2"},
    {"tensor=2", "sequence=true", "data=2"},
    {"pipeline=2"},
    {"pipeline=4", "recompute=all"},
    {"pipeline=2", "interleave=2"},
    {"pipeline=2", "tensor=2", "data=2", "zero=1"},
    {"pipeline=4", "schedule=gpipe"},
};

/// Compares both ways for all divisions. Returns how many of them were replayed with fewer microbatches.
std::size_t compare(const Question& asked) {
  std::size_t repeated = 0;
  for (std::vector<std::string> sets : kDivisions) {
    sets.emplace_back("microbatches=64");
    const Plan plan = plan_of(asked, sets);
    for (const double side : {-1.0, 0.0, 1.0}) {
      const Sides sides{.interference = side};
      const PredictedIteration few = asked.predictor().iteration(plan, sides);
      const Prediction all = asked.predictor().predict(plan, sides);
      EXPECT_EQ(few.length, all.iteration) << ::testing::PrintToString(sets) << " side " << side;
      if (side == 0 && few.tasks < all.graph->dag.task_count()) ++repeated;
    }
  }
  return repeated;
}

TEST(IterationTest, OfAPipelineThatTheGpuLimitsIsThatOfAllMicrobatches) {
  EXPECT_GE(compare(modelled(Duration{1'000})), 8U);
}

TEST(IterationTest, OfAPipelineThatTheCpuLimitsIsThatOfAllMicrobatches) {
  EXPECT_GE(compare(modelled(Duration{60'000})), 8U);
}

TEST(IterationTest, OfAPipelineWithEqualTimesOfCpuAndGpuIsThatOfAllMicrobatches) {
  compare(modelled(Duration{12'000}));
}

TEST(IterationTest, ReplaysAsMuchForMoreMicrobatches) {
  const Question asked = modelled(Duration{1'000});
  const auto tasks = [&](int microbatches) {
    const Plan plan = plan_of(asked, {"pipeline=4", "microbatches=" + std::to_string(microbatches)});
    return asked.predictor().iteration(plan, Sides{}).tasks;
  };
  EXPECT_EQ(tasks(64), tasks(1024));
}

}  // namespace
}  // namespace stepsim::scenarios
