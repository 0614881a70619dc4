#include <gtest/gtest.h>

#include "ingest/parts/names.h"

namespace stepsim::ingest {
namespace {

TEST(RankNamesTest, TheRankIsTheNumberAfterTheWord) {
  EXPECT_EQ(rank_named_in("traces/rank-3.json.gz"), 3);
  EXPECT_EQ(rank_named_in("rank3_trace.json"), 3);
  EXPECT_EQ(rank_named_in("trace_Rank_12.json"), 12);
  EXPECT_EQ(rank_named_in("job.rank.7.pt.trace.json"), 7);
  EXPECT_EQ(rank_named_in("pipeline_rank1_data_rank5.json"), 5) << "the last one";
  EXPECT_EQ(rank_named_in("rank0of2.json"), 0);
}

TEST(RankNamesTest, OtherNumbersAreNoRank) {
  EXPECT_EQ(rank_named_in("rank3/trace.json"), std::nullopt) << "a folder";
  EXPECT_EQ(rank_named_in("trace3.json"), std::nullopt);
  EXPECT_EQ(rank_named_in("crank3.json"), std::nullopt);
  EXPECT_EQ(rank_named_in("local_rank3.json"), std::nullopt);
  EXPECT_EQ(rank_named_in("rank.json"), std::nullopt);
  EXPECT_EQ(rank_named_in("rank"), std::nullopt);
  EXPECT_EQ(rank_named_in("rank99999999999999999999.json"), std::nullopt);
}

TEST(RankNamesTest, ExecutionTracesEndWithTheirRank) {
  EXPECT_EQ(rank_of_execution_trace("workload.3.et"), 3);
  EXPECT_EQ(rank_of_execution_trace("dlrm_eg_3.json"), 3);
  EXPECT_EQ(rank_of_execution_trace("et_rank3_20240101.json.gz"), 3);
  EXPECT_EQ(rank_of_execution_trace("graph.json"), std::nullopt);
}

}  // namespace
}  // namespace stepsim::ingest
