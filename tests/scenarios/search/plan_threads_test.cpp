// Tests that the number of threads changes nothing of a search for a plan, and neither does a continued search.

#include <gtest/gtest.h>

#include <cstddef>
#include <map>

#include "tests/scenarios/search/plan_question.h"

namespace stepsim::scenarios {
namespace {

using testing::Question;
using testing::plans::question;
using testing::plans::scenario;
using testing::plans::times;

TEST(PlanThreadsTest, ThreadsAndKnownOutcomesDoNotChangeTheFindings) {
  const Question asked = question();
  const Scenario plans = scenario(asked, {.devices = {8}, .gpus_per_host = 8, .batches = 8},
                                  {"parallel.zero=0,3", "parallel.interleave=1", "parallel.recompute=none",
                                   "parallel.sequence=false", "comm.bucket_bytes=25MiB"});
  std::map<std::size_t, Outcome> simulated;
  const auto note = [&simulated](std::size_t point, const Outcome& outcome) { simulated[point] = outcome; };
  PlanSearch search(asked.predictor(), plans, {});
  const PlanFindings alone = search.run({}, {.done = note});
  const PlanFindings with_threads = PlanSearch(asked.predictor(), plans, {.threads = 7}).run({}, {.threads = 7});
  EXPECT_EQ(times(alone), times(with_threads));
  EXPECT_EQ(alone.states, with_threads.states);
  const std::size_t count = simulated.size();
  std::map<std::size_t, Outcome> half;
  for (const auto& entry : simulated) {
    if (half.size() < count / 2) half.insert(entry);
  }
  simulated.clear();
  const PlanFindings resumed = search.run(half, {.done = note});
  EXPECT_EQ(simulated.size(), count - half.size());
  EXPECT_EQ(times(resumed), times(alone));
  EXPECT_EQ(resumed.states, alone.states);
}

}  // namespace
}  // namespace stepsim::scenarios
