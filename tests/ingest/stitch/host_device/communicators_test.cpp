#include "ingest/stitch/host_device/host_device.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ingest/parts/process_groups.h"
#include "tests/ingest/trace_maker.h"

namespace stepsim::ingest {
namespace {

using testing::TraceMaker;

/// Builds a trace with one message to `peer` in `group`. In this group, the rank has number `place` of `size` members.
RankTrace rank_of(Rank number, const std::string& group, std::int32_t place, std::int32_t size,
                  std::int32_t peer = -1) {
  TraceMaker maker;
  const std::uint32_t kernel = maker.add(EventKind::kKernel, "ncclDevKernel_SendRecv", maker.stream(7), 0, 10);
  EventDetail& detail = maker.detail(kernel);
  detail.group =
      maker.group({.name = maker.text(group), .size = static_cast<std::uint32_t>(size), .ranks = {}, .own = place});
  detail.peer = peer;
  return {std::move(maker.trace), "file", number};
}

Group group_of(const RankTrace& rank) { return group_in(rank.trace, rank.trace.details.at(0).group); }

TEST(CommunicatorsTest, TracesTogetherKnowTheMembers) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(4, "nccl 0x1", 1, 2, 0));
  ranks.push_back(rank_of(6, "nccl 0x1", 0, 2, 1));
  resolve_groups(ranks);
  EXPECT_EQ(group_of(ranks[0]), (Group{"nccl 0x1", 2, {4, 6}}));
  EXPECT_EQ(group_of(ranks[1]), (Group{"nccl 0x1", 2, {4, 6}}));
  EXPECT_EQ(ranks[0].trace.details[0].peer, 6);
  EXPECT_EQ(ranks[1].trace.details[0].peer, 4);
}

TEST(CommunicatorsTest, MembersThatWereNotReadAreCounted) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(4, "nccl 0x1", 0, 3, 2));
  ranks.back().trace.world_size = 8;
  resolve_groups(ranks);
  EXPECT_EQ(group_of(ranks[0]), (Group{"nccl 0x1", 3}));
  EXPECT_EQ(ranks[0].trace.details[0].peer, -1) << "it is not known whom that is";
}

TEST(CommunicatorsTest, AGroupOfTheWholeJobIsInItsOrder) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(1, "nccl 0x1", 1, 4, 3));
  ranks.back().trace.world_size = 4;
  resolve_groups(ranks);
  EXPECT_EQ(group_of(ranks[0]), (Group{"nccl 0x1", 4, {0, 1, 2, 3}}));
  EXPECT_EQ(ranks[0].trace.details[0].peer, 3);
}

TEST(CommunicatorsTest, AGroupOfTheWholeJobInAnotherOrderIsNot) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(1, "nccl 0x1", 0, 2));
  ranks.back().trace.world_size = 2;
  resolve_groups(ranks);
  EXPECT_EQ(group_of(ranks[0]), (Group{"nccl 0x1", 2}));
}

TEST(CommunicatorsTest, OtherGroupsStayAsTheyAre) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(0, "nccl 0x1", 0, 2));
  TraceMaker maker;
  maker.detail(maker.add(EventKind::kKernel, "k", maker.stream(7), 0, 10)).group = maker.group("[0, 1]");
  ranks.push_back({std::move(maker.trace), "file", 1});
  resolve_groups(ranks);
  EXPECT_EQ(group_of(ranks[1]), (Group{"", 2, {0, 1}}));
}

TEST(CommunicatorsTest, SizesThatCannotBeAreNotListed) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(0, "nccl 0x1", 0, 1'000'000));
  resolve_groups(ranks);
  EXPECT_EQ(group_of(ranks[0]), Group{"nccl 0x1"});
}

TEST(CommunicatorsTest, TwoGroupsOfTheSameRanksStayTwo) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(0, "nccl 0x1", 0, 1));
  ranks.push_back(rank_of(1, "nccl 0x2", 0, 1));
  resolve_groups(ranks);
  EXPECT_EQ(group_of(ranks[0]), (Group{"nccl 0x1", 1, {0}}));
  EXPECT_EQ(group_of(ranks[1]), (Group{"nccl 0x2", 1, {1}}));
}

}  // namespace
}  // namespace stepsim::ingest
