#include "ingest/stitch/parameter_server/gpu_passes.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace stepsim::ingest::stage_chains_test {
namespace {

Time at(std::int64_t microseconds) { return Time{Duration{microseconds * 1'000}}; }

/// Builds stages of 5 us of one partition of one tensor. Each stage is given with its start in microseconds.
StageTrace trace_of(const std::vector<std::pair<Stage, std::int64_t>>& stages) {
  StageTrace trace;
  trace.tensors = {"byteps.gradient_0"};
  trace.processes = {""};
  for (const auto& [stage, start] : stages) {
    const std::int64_t key = stage == Stage::kTotal ? -1 : 65'537;
    trace.events.push_back({0, stage, key, 0, at(start), Duration{5'000}});
  }
  return trace;
}

TEST(StageChainsTest, AChainBeginsWhereThePipelinesOrderGoesBack) {
  Diagnostics diagnostics;
  const std::vector<StageChain> chains = stage_chains(
      trace_of({{Stage::kPush, 0}, {Stage::kPull, 10}, {Stage::kPush, 100}, {Stage::kPull, 110}}), diagnostics);
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_EQ(chains[0].stages.size(), 2U);
  EXPECT_EQ(chains[1].occurrence, 1U);
  EXPECT_EQ(chains[1].stages.front().start, at(100));
  EXPECT_EQ(chains[1].step, kNoStep);
}

TEST(StageChainsTest, AMissingStageMovesNoOtherStage) {
  Diagnostics diagnostics;
  const std::vector<StageChain> chains =
      stage_chains(trace_of({{Stage::kPush, 0}, {Stage::kPull, 10}, {Stage::kPull, 110}}), diagnostics);
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_EQ(chains[1].find(Stage::kPush), nullptr);
  EXPECT_EQ(chains[1].find(Stage::kPull)->start, at(110));
}

TEST(StageChainsTest, AStageThatIsRecordedTwiceIsUsedOnce) {
  Diagnostics diagnostics;
  const std::vector<StageChain> chains =
      stage_chains(trace_of({{Stage::kPush, 0}, {Stage::kPush, 0}, {Stage::kPull, 10}}), diagnostics);
  ASSERT_EQ(chains.size(), 1U);
  EXPECT_EQ(chains[0].stages.size(), 2U);
  EXPECT_EQ(diagnostics.count_of("duplicate_record"), 1U);
}

TEST(StageChainsTest, ATotalCountsOnlyForATensorWithoutStages) {
  Diagnostics diagnostics;
  EXPECT_EQ(stage_chains(trace_of({{Stage::kTotal, 0}, {Stage::kPush, 0}}), diagnostics).front().key, 65'537);
  const std::vector<StageChain> chains = stage_chains(trace_of({{Stage::kTotal, 0}}), diagnostics);
  ASSERT_EQ(chains.size(), 1U);
  EXPECT_EQ(chains[0].key, StageChain::key_of_whole(0));
}

// 65537 = 1 * 65536 + 1 is the key of the second partition of the tensor that was declared second.
TEST(StageChainsTest, AKeyHoldsTheDeclaredKeyAndThePartition) {
  Diagnostics diagnostics;
  const std::vector<StageChain> chains = stage_chains(trace_of({{Stage::kPush, 0}}), diagnostics);
  EXPECT_EQ(chains.front().declared_key(), 1);
  EXPECT_EQ(chains.front().partition(), 1);
}

}  // namespace
}  // namespace stepsim::ingest::stage_chains_test
