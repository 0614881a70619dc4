// In graphs without queues, more work never shortens a replay, and less work never lengthens it. With queues either may
// happen (Graham's anomalies).

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/property/random_dag.h"
#include "tests/scenarios/question.h"

namespace stepsim::testing {
namespace {

constexpr int kDags = 200;

/// Calls `check` with a question and its answer, for each of many graphs without queues.
template <class Check>
void for_each_graph(Check check) {
  std::mt19937 generator(test_seed());
  for (int i = 0; i < kDags; ++i) {
    SCOPED_TRACE("seed " + std::to_string(test_seed()) + ", dag " + std::to_string(i));
    Capture capture;
    capture.dag = random_dag(generator, {.fifo_lanes = false, .rendezvous_on_fifo_lanes = false, .scale = 1000});
    if (capture.dag.task_count() == 0) continue;
    const Question question(std::move(capture));
    check(question, question.iteration());
  }
}

TEST(WhatIfPropertyTest, SlowerComputeIsNeverFaster) {
  for_each_graph([](const Question& question, Duration before) {
    EXPECT_GE(question.iteration({"compute.scale=2"}), before);
    EXPECT_GE(question.iteration({"compute.add=3ns"}), before);
    EXPECT_GE(question.iteration({"batch.scale=1.5"}), before);
    EXPECT_GE(question.iteration({"straggler.factor=3"}), before);
  });
}

TEST(WhatIfPropertyTest, FasterComputeIsNeverSlower) {
  for_each_graph([](const Question& question, Duration before) {
    EXPECT_LE(question.iteration({"compute.scale=0.5"}), before);
    EXPECT_LE(question.iteration({"batch.scale=0.25"}), before);
    EXPECT_LE(question.iteration({"compute.scale=0"}), question.iteration({"compute.scale=0.5"}));
  });
}

TEST(WhatIfPropertyTest, LessToDoIsNeverSlowerAndMoreNeverFaster) {
  for_each_graph([](const Question& question, Duration before) {
    EXPECT_LE(question.iteration({"remove{name=task}.share=0.5"}), before);
    EXPECT_LE(question.iteration({"remove{name=0}.share=1"}), before);
    EXPECT_GE(question.iteration({"insert{name=task}.duration=2us"}), before);
  });
}

}  // namespace
}  // namespace stepsim::testing
