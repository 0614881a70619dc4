#include "sim/stats/slow_groups.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepsim::sim {
namespace {

constexpr std::int64_t kUsual = 1'000;

/// Makes a row of a group's all-reduces with these times.
CollectiveRow row_of(std::vector<Rank> ranks, const std::vector<std::int64_t>& times, std::uint32_t hosts = 1) {
  CollectiveRow row{.group = fmt::format("{}", fmt::join(ranks, ",")),
                    .members = ranks,
                    .ranks = static_cast<std::uint32_t>(ranks.size()),
                    .hosts = hosts,
                    .op = CollectiveOp::kAllReduce,
                    .operation = "all_reduce",
                    .bytes = Bytes{1'000'000}};
  for (const std::int64_t time : times) row.times.emplace_back(time);
  const std::vector<std::uint32_t> group(times.size());
  row.time = distributions(group, row.times, 1).front();
  return row;
}
CollectiveRow row_of(std::vector<Rank> ranks, std::int64_t time) {
  return row_of(std::move(ranks), std::vector<std::int64_t>(kFewestTransfers, time));
}

/// Makes rows of four pairs: 0,1 2,3 4,5 6,7. The third one has these times.
std::vector<CollectiveRow> pairs(const std::vector<std::int64_t>& times) {
  return {row_of({0, 1}, kUsual), row_of({2, 3}, kUsual), row_of({4, 5}, times), row_of({6, 7}, kUsual)};
}

TEST(SlowGroupsTest, EqualGroupsAreNotSlow) {
  const SiblingComparison compared = compare_siblings(pairs({kUsual, kUsual, kUsual, kUsual}), {});
  EXPECT_EQ(compared.groups, 4U);
  EXPECT_TRUE(compared.slow.empty());
}

TEST(SlowGroupsTest, SlowGroupIsFoundFromTheStatedFactorOn) {
  const auto at = static_cast<std::int64_t>(kSlowFactor * kUsual);
  const SiblingComparison compared = compare_siblings(pairs({at, at, at, at}), {});
  ASSERT_EQ(compared.slow.size(), 1U);
  const SlowGroup& group = compared.slow.front().groups.front();
  EXPECT_EQ(group.group, "4,5");
  EXPECT_EQ(group.siblings, 3U);
  EXPECT_EQ(group.slow, 4U);
  EXPECT_DOUBLE_EQ(group.factor, kSlowFactor);
  EXPECT_TRUE(compare_siblings(pairs({at - 1, at - 1, at - 1, at - 1}), {}).slow.empty());
}

TEST(SlowGroupsTest, ThreeQuartersOfTheTransfersMustBeSlow) {
  EXPECT_EQ(compare_siblings(pairs({kUsual, 3'000, 3'000, 3'000}), {}).slow.size(), 1U);
  EXPECT_TRUE(compare_siblings(pairs({kUsual, kUsual, 3'000, 3'000}), {}).slow.empty());
}

TEST(SlowGroupsTest, FewTransfersOrSiblingsAreNoEvidence) {
  EXPECT_TRUE(compare_siblings(pairs({3'000, 3'000, 3'000}), {}).slow.empty());
  const SiblingComparison two = compare_siblings({row_of({0, 1}, kUsual), row_of({2, 3}, 3 * kUsual)}, {});
  EXPECT_EQ(two.groups, 0U);
  EXPECT_TRUE(two.slow.empty());
}

TEST(SlowGroupsTest, OnlyGroupsOfTheSameLayoutAndSizeAreSiblings) {
  std::vector<CollectiveRow> rows = pairs({3'000, 3'000, 3'000, 3'000});
  rows[2].hosts = 2;
  EXPECT_TRUE(compare_siblings(rows, {}).slow.empty());
  rows[2].hosts = 1;
  rows[2].bytes = Bytes{2};
  EXPECT_TRUE(compare_siblings(rows, {}).slow.empty());
}

TEST(SlowGroupsTest, WhatTheClocksMayBeWrongByIsNotSlow) {
  std::vector<CollectiveRow> rows = pairs({3'000, 3'000, 3'000, 3'000});
  rows[2].clock_error = Duration{2'000};
  EXPECT_TRUE(compare_siblings(rows, {}).slow.empty());
  rows[2].clock_error = Duration{1'999};
  EXPECT_EQ(compare_siblings(rows, {}).slow.size(), 1U);
}

TEST(SlowGroupsTest, GroupsOfWhichNotAllRanksWereCapturedAreLeftOut) {
  std::vector<CollectiveRow> rows = pairs({3'000, 3'000, 3'000, 3'000});
  for (CollectiveRow& row : rows) row.ranks = 8;
  EXPECT_EQ(compare_siblings(rows, {}).groups, 0U);
}

TEST(SlowGroupsTest, RankThatAllSlowGroupsShareIsTheCause) {
  // A ring of pairs, in which both pairs of rank 2 are slow.
  const SlowGroups slow =
      compare_siblings(
          {row_of({0, 1}, kUsual), row_of({1, 2}, 2 * kUsual), row_of({2, 3}, 2 * kUsual), row_of({0, 3}, kUsual)}, {})
          .slow.front();
  EXPECT_EQ(slow.groups.size(), 2U);
  EXPECT_EQ(slow.rank, 2);
}

TEST(SlowGroupsTest, LinkBetweenRanksWithOtherNormalLinksIsNotARank) {
  const SlowGroups slow =
      compare_siblings(
          {row_of({0, 1}, kUsual), row_of({1, 2}, 2 * kUsual), row_of({2, 3}, kUsual), row_of({0, 3}, kUsual)}, {})
          .slow.front();
  EXPECT_EQ(slow.groups.front().group, "1,2");
  EXPECT_FALSE(slow.rank);
  EXPECT_TRUE(slow.host.empty());
}

TEST(SlowGroupsTest, HostThatAllSlowGroupsShareIsTheCause) {
  const std::map<Rank, std::string> hosts{{0, "a"}, {1, "a"}, {2, "b"}, {3, "b"}, {4, "c"}, {5, "c"}};
  const auto slow_of = [&](std::int64_t of_a) {
    return compare_siblings({row_of({0, 2}, of_a), row_of({1, 4}, of_a), row_of({3, 5}, kUsual)}, hosts);
  };
  EXPECT_TRUE(slow_of(kUsual).slow.empty());
  // Two of three groups are slow, so the typical time is theirs: more than half can not be told from normal.
  EXPECT_TRUE(slow_of(2 * kUsual).slow.empty());

  std::vector<CollectiveRow> rows{row_of({0, 2}, 2 * kUsual), row_of({1, 4}, 2 * kUsual), row_of({3, 5}, kUsual),
                                  row_of({2, 5}, kUsual)};
  const SlowGroups slow = compare_siblings(rows, hosts).slow.front();
  EXPECT_FALSE(slow.rank);
  EXPECT_EQ(slow.host, "a");
}

}  // namespace
}  // namespace stepsim::sim
