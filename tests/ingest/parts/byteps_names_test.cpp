#include "ingest/parts/names.h"

#include <gtest/gtest.h>

namespace stepsim::ingest {
namespace {

TEST(BytepsNamesTest, ProcessIsDividedFromTheName) {
  EXPECT_EQ(split_process("wk1.rank0.Comm.w.PUSH").process, "wk1.rank0");
  EXPECT_EQ(split_process("wk1.rank0.Comm.w.PUSH").name, "Comm.w.PUSH");
  EXPECT_EQ(split_process("host0.rank1->BW.y").process, "host0.rank1");
  EXPECT_EQ(split_process("FW.x").process, "");
  EXPECT_EQ(split_process("ranking.FW.x").process, "");  // "ranking" has no number
}

TEST(BytepsNamesTest, StageIsTheLastPartOfTheName) {
  EXPECT_EQ(split_stage("a.b.PUSH").tensor, "a.b");
  EXPECT_EQ(split_stage("a.b.PUSH").stage, Stage::kPush);
  EXPECT_EQ(split_stage("a.b").tensor, "a.b");
  EXPECT_EQ(split_stage("a.b").stage, Stage::kTotal);
  EXPECT_EQ(split_stage("a.total").tensor, "a.total");  // "total" is not a stage: it may be part of the tensor's name
}

TEST(BytepsNamesTest, EveryStageIsReadAsItIsWritten) {
  for (int i = static_cast<int>(Stage::kCoordinateReduce); i <= static_cast<int>(Stage::kBroadcast); ++i) {
    const auto stage = static_cast<Stage>(i);
    EXPECT_EQ(split_stage("x." + std::string(stage_name(stage))).stage, stage);
  }
}

// The keys of tensor 32768 begin at 32768 * 65536 = 2147483648, which is -2147483648 in 32 bits.
TEST(BytepsNamesTest, KeyThatWasRecordedNegativeIsWhatItWas) {
  EXPECT_EQ(partition_key("65537"), 65'537);
  EXPECT_EQ(partition_key("-2147483648"), 2'147'483'648);
  for (const char* const text : {"total", "-1", "", "12x", "4294967296"}) EXPECT_FALSE(partition_key(text)) << text;
}

}  // namespace
}  // namespace stepsim::ingest
