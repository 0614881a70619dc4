#include "cli/sweep/part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "model/base/error.h"
#include "tests/thrown_by.h"

namespace stepsim::cli {
namespace {

using stepsim::testing::thrown_by;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Variables = std::map<std::string, std::string>;

Shard shard_in(const Variables& variables) {
  return shard_of_environment([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string error_in(const Variables& variables) {
  return thrown_by<UsageError>([&] { return shard_in(variables); }, "no error");
}

TEST(ShardTest, PointsAreDealtByTheirNumber) {
  EXPECT_THAT(parse_shard("1/3").deal(8), ElementsAre(1, 4, 7));
  EXPECT_THAT(parse_shard("0/1").deal(3), ElementsAre(0, 1, 2));
  EXPECT_THAT(parse_shard("3/4").deal(3), IsEmpty());
}

TEST(ShardTest, WhatIsNoShardIsRefused) {
  for (const char* const text :
       {"", "1", "1/", "/4", "4/4", "-1/4", "1/4x", "0/0", "1/99999999999999999999", "0/1000001"}) {
    EXPECT_THROW(static_cast<void>(parse_shard(text)), UsageError) << text;
  }
}

TEST(ShardTest, EachLauncherIsUnderstood) {
  EXPECT_EQ(shard_in({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}).to_text(), "2/4");
  EXPECT_EQ(shard_in({{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}}).to_text(), "2/4");
  EXPECT_EQ(shard_in({{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}}).to_text(), "2/4");
  EXPECT_EQ(shard_in({{"JOB_COMPLETION_INDEX", "2"}, {"JOB_COMPLETIONS", "4"}}).to_text(), "2/4");
  EXPECT_EQ(shard_in({{"SLURM_ARRAY_TASK_ID", "2"}, {"SLURM_ARRAY_TASK_COUNT", "4"}}).to_text(), "2/4");
  EXPECT_EQ(shard_in({}).to_text(), "0/1");
  EXPECT_EQ(shard_in({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}).from, "") << "one process is no shard";
}

TEST(ShardTest, ArrayIdsAreRankedWhereverTheyBegin) {
  const Variables array{{"SLURM_ARRAY_TASK_ID", "13"},
                        {"SLURM_ARRAY_TASK_COUNT", "4"},
                        {"SLURM_ARRAY_TASK_MIN", "7"},
                        {"SLURM_ARRAY_TASK_MAX", "16"},
                        {"SLURM_ARRAY_TASK_STEP", "3"}};
  EXPECT_EQ(shard_in(array).to_text(), "2/4");  // the array's ids are 7, 10, 13 and 16
}

TEST(ShardTest, UnevenArraysAreRefused) {
  const Variables uneven{{"SLURM_ARRAY_TASK_ID", "5"},
                         {"SLURM_ARRAY_TASK_COUNT", "3"},
                         {"SLURM_ARRAY_TASK_MIN", "1"},
                         {"SLURM_ARRAY_TASK_MAX", "6"}};
  EXPECT_THAT(error_in(uneven), HasSubstr("not evenly spaced"));
}

TEST(ShardTest, WhatWasStartedLastKnowsBest) {
  // If mpirun runs within a Slurm job, SLURM_PROCID is the number of the batch script, not of this process.
  EXPECT_EQ(
      shard_in(
          {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}})
          .to_text(),
      "3/4");
}

TEST(ShardTest, ProcessesOfArrayTasksShareAll) {
  const auto shard = [](int task, int process) {
    return shard_in({{"SLURM_ARRAY_TASK_ID", std::to_string(task)},
                     {"SLURM_ARRAY_TASK_COUNT", "2"},
                     {"SLURM_PROCID", std::to_string(process)},
                     {"SLURM_NTASKS", "3"}})
        .to_text();
  };
  EXPECT_EQ(shard(0, 0), "0/6");
  EXPECT_EQ(shard(0, 2), "2/6");
  EXPECT_EQ(shard(1, 0), "3/6");
  EXPECT_EQ(shard(1, 2), "5/6");
}

TEST(ShardTest, VariablesThatMakeNoSenseAreNamed) {
  EXPECT_THAT(error_in({{"PMI_RANK", "four"}, {"PMI_SIZE", "4"}}), HasSubstr("PMI_RANK is 'four'"));
  EXPECT_THAT(error_in({{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}}), HasSubstr("shard 4 of 4"));
  EXPECT_THAT(error_in({{"JOB_COMPLETION_INDEX", "1"}}), HasSubstr("set JOB_COMPLETIONS too, or give --shard I/N"));
}

}  // namespace
}  // namespace stepsim::cli
