#include "cli/work/saved_answer.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "sim/analysis/critical_path.h"
#include "tests/growth.h"

namespace stepsim::cli {
namespace {

/// Returns an answer of replay about a job in which rank k iterates in 1,000 + k ns and, unless it is the last one, has
/// three steps of that length.
std::string replay_of(std::size_t ranks) {
  std::string breakdown;
  std::string steps;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    breakdown += fmt::format(R"({}{{"rank":{},"iteration_ns":{}}})", rank == 0 ? "" : ",", rank, 1000 + rank);
    for (int step = 0; step < 3 && rank + 1 < ranks; ++step) {
      steps += fmt::format(R"({}{{"rank":{},"step":{},"measured_ns":{}}})", steps.empty() ? "" : ",", rank, step,
                           1000 + rank);
    }
  }
  std::string classes;
  for (std::size_t i = 0; i < sim::kPathClassCount; ++i) {
    classes += fmt::format(R"({}"{}":1)", i == 0 ? "" : ",", sim::to_text(static_cast<sim::PathClass>(i)));
  }
  return fmt::format(
      R"({{"schema":"stepsim.replay/1","iteration":{{"measured_ns":5000}},"breakdown":[{}],"steps":[{}],)"
      R"("critical_path":{{"classes":{{{}}}}}}})",
      breakdown, steps, classes);
}

TEST(SavedAnswerTest, StepsAreThoseOfTheSlowestRankThatHasSome) {
  const sim::Side side = parse_saved_answer(replay_of(10), "answer.json");
  EXPECT_EQ(side.steps, std::vector(3, Duration{1008}));
  EXPECT_EQ(side.ranks, 9U);
}

TEST(SavedAnswerTest, ReadingGrowsWithTheNumberOfRanks) {
  EXPECT_LT(
      testing::growth(1'000, [](std::size_t ranks) { (void)parse_saved_answer(replay_of(ranks), "answer.json"); }),
      testing::kLessThanQuadratic);
}

}  // namespace
}  // namespace stepsim::cli
