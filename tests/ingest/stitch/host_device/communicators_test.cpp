#include "ingest/stitch/host_device/host_device.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/stitch/host_device/collectives.h"
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
  detail.group = maker.text(group);
  detail.peer = peer;
  maker.trace.communicators.push_back({maker.text(group), place, size});
  return {std::move(maker.trace), "file", number};
}

std::string group_of(const RankTrace& rank) { return rank.trace.text(rank.trace.details.at(0).group); }

TEST(CommunicatorsTest, TracesTogetherKnowTheMembers) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(4, "nccl 0x1", 1, 2, 0));
  ranks.push_back(rank_of(6, "nccl 0x1", 0, 2, 1));
  resolve_communicators(ranks);
  EXPECT_EQ(group_of(ranks[0]), "[6, 4] nccl 0x1");
  EXPECT_EQ(group_of(ranks[1]), "[6, 4] nccl 0x1");
  EXPECT_EQ(ranks[0].trace.details[0].peer, 6);
  EXPECT_EQ(ranks[1].trace.details[0].peer, 4);
}

TEST(CommunicatorsTest, MembersThatWereNotReadAreCounted) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(4, "nccl 0x1", 0, 3, 2));
  ranks.back().trace.world_size = 8;
  resolve_communicators(ranks);
  EXPECT_EQ(group_of(ranks[0]), "[4, ?, ?] nccl 0x1");
  EXPECT_EQ(ranks[0].trace.details[0].peer, -1) << "it is not known whom that is";
}

TEST(CommunicatorsTest, AGroupOfTheWholeJobIsInItsOrder) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(1, "nccl 0x1", 1, 4, 3));
  ranks.back().trace.world_size = 4;
  resolve_communicators(ranks);
  EXPECT_EQ(group_of(ranks[0]), "[0, 1, 2, 3] nccl 0x1");
  EXPECT_EQ(ranks[0].trace.details[0].peer, 3);
}

TEST(CommunicatorsTest, AGroupOfTheWholeJobInAnotherOrderIsNot) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(1, "nccl 0x1", 0, 2));
  ranks.back().trace.world_size = 2;
  resolve_communicators(ranks);
  EXPECT_EQ(group_of(ranks[0]), "[1, ?] nccl 0x1");
}

TEST(CommunicatorsTest, OtherGroupsStayAsTheyAre) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(0, "nccl 0x1", 0, 2));
  TraceMaker maker;
  maker.detail(maker.add(EventKind::kKernel, "k", maker.stream(7), 0, 10)).group = maker.text("[0, 1]");
  ranks.push_back({std::move(maker.trace), "file", 1});
  resolve_communicators(ranks);
  EXPECT_EQ(group_of(ranks[1]), "[0, 1]");
}

TEST(CommunicatorsTest, SizesThatCannotBeAreNotListed) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(0, "nccl 0x1", 0, 1'000'000));
  resolve_communicators(ranks);
  EXPECT_EQ(group_of(ranks[0]), "nccl 0x1");
}

TEST(CommunicatorsTest, TwoGroupsOfTheSameRanksStayTwo) {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of(0, "nccl 0x1", 0, 1));
  ranks.push_back(rank_of(1, "nccl 0x2", 0, 1));
  resolve_communicators(ranks);
  EXPECT_EQ(group_of(ranks[0]), "[0] nccl 0x1");
  EXPECT_EQ(group_of(ranks[1]), "[1] nccl 0x2");
}

TEST(GroupNamedTest, AListGivesSizeAndMembersAndTheRestIsTheName) {
  const auto expect_group = [](std::string_view text, std::uint32_t size, const std::vector<Rank>& ranks,
                               std::string_view name) {
    const Group group = group_named(text);
    EXPECT_EQ(group.size, size) << text;
    EXPECT_EQ(group.ranks, ranks) << text;
    EXPECT_EQ(group.name, name) << text;
  };
  expect_group("[8, 0, 16] nccl 0x1", 3, {0, 8, 16}, "nccl 0x1");
  expect_group("[3]", 1, {3}, "");
  expect_group("[4, ?, ?] nccl 0x1", 3, {}, "nccl 0x1");
  expect_group("[0, 1, 0]", 3, {}, "");
  expect_group("[0, -1]", 2, {}, "");
  expect_group("[0, 1, ...", 0, {}, "[0, 1, ...");
  expect_group("[0, ..., 7]", 0, {}, "[0, ..., 7]");
  expect_group("default_pg", 0, {}, "default_pg");
}

}  // namespace
}  // namespace stepsim::ingest
