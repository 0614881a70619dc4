#include "cli/sweep/part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <vector>

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

scenarios::Points grid(const std::vector<std::size_t>& sizes) {
  scenarios::Points points;
  for (const std::size_t size : sizes)
    points.axes.push_back({"axis" + std::to_string(points.axes.size()), std::vector<std::string>(size, "1x")});
  return points;
}

TEST(ShardTest, ValuesOfEachAxisAreDividedEvenly) {
  const scenarios::Points points = grid({6, 6});
  for (const std::size_t shards : {2U, 3U, 6U}) {
    std::map<std::array<std::size_t, 3>, std::size_t> points_of;  // axis, value, shard
    for (std::size_t point = 0; point < points.size(); ++point) {
      for (const std::size_t axis : {0U, 1U})
        ++points_of[{axis, points.place(point, axis), shard_of(points, point, shards)}];
    }
    ASSERT_EQ(points_of.size(), std::size_t{2} * 6 * shards);
    for (const auto& [key, count] : points_of) EXPECT_EQ(count, 6 / shards);
  }
}

TEST(ShardTest, SharesOfAnyGridDifferByAtMostAPoint) {
  for (const auto& sizes :
       std::vector<std::vector<std::size_t>>{{1}, {7}, {12}, {4, 6}, {5, 7}, {8, 3, 2}, {6, 4, 10}}) {
    const scenarios::Points points = grid(sizes);
    for (std::size_t shards = 1; shards <= 13; ++shards) {
      std::vector<std::size_t> all;
      for (std::size_t index = 0; index < shards; ++index) {
        const std::vector<std::size_t> share = Shard{index, shards, {}}.deal(points);
        EXPECT_GE(share.size(), points.size() / shards);
        EXPECT_LE(share.size(), (points.size() + shards - 1) / shards);
        all.insert(all.end(), share.begin(), share.end());
      }
      std::sort(all.begin(), all.end());
      std::vector<std::size_t> numbers(points.size());
      std::iota(numbers.begin(), numbers.end(), 0U);
      EXPECT_EQ(all, numbers) << shards << " shards";
    }
  }
}

TEST(ShardTest, ListedPointsAreDealtInTurn) {
  scenarios::Points points;
  points.listed.resize(8);
  // Each round begins one shard later: 0, 1, 2, then 1, 2, 0, then 2, 0.
  EXPECT_THAT(parse_shard("1/3").deal(points), ElementsAre(1, 3));
  EXPECT_THAT(parse_shard("0/1").deal(points), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(parse_shard("8/9").deal(points), IsEmpty());
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
