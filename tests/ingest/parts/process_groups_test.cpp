#include "ingest/parts/process_groups.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace stepsim::ingest {
namespace {

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
  expect_group("[4, x, y] name", 3, {}, "[4, x, y] name");
  expect_group("[0, 1, 0]", 3, {}, "[0, 1, 0]");
  expect_group("[0, -1]", 2, {}, "[0, -1]");
  expect_group("[0, 1, ...", 0, {}, "[0, 1, ...");
  expect_group("[0, ..., 7]", 0, {}, "[0, ..., 7]");
  expect_group("default_pg", 0, {}, "default_pg");
}

TEST(GroupNamedTest, AGroupHasOneKeyInTheTracesOfAllMembers) {
  HostDeviceTrace trace;
  trace.texts = {"nccl 0x1"};
  trace.groups = {{{}, 2, {0, 8}}, {TextId{0}, 2, {}}, {TextId{0}, 2, {0, 8}, 1, 3}};
  EXPECT_EQ(key_of(trace, ProcessGroupId{0}), "[0, 8] ");
  EXPECT_EQ(key_of(trace, ProcessGroupId{1}), "nccl 0x1");
  EXPECT_EQ(key_of(trace, ProcessGroupId{2}), "[0, 8] nccl 0x1");
  EXPECT_EQ(key_of(trace, {}), "");
}

}  // namespace
}  // namespace stepsim::ingest
