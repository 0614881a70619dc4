#include "model/job/group.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "model/job/dag_builder.h"
#include "model/job/topology.h"

namespace stepsim::group_test {
namespace {

/// A dag with one collective, which has a task on each of the captured ranks.
Dag collective_of(const std::vector<Rank>& captured, const Group& group) {
  DagBuilder builder;
  const RendezvousId rendezvous = builder.add_rendezvous({.op = CollectiveOp::kAllReduce, .bytes = Bytes{1}});
  builder.collective(rendezvous).group = builder.add_group(group);
  for (const Rank rank : captured)
    builder.join(rendezvous, builder.add_task({.name = builder.intern("x"), .lane = builder.add_lane({.rank = rank})}));
  return std::move(builder).build().dag;
}

using Place = std::tuple<Rank, bool, EndpointId>;  // rank, captured, endpoint

std::vector<Place> places(const Dag& dag, std::size_t endpoints) {
  std::vector<Place> places;
  for (const Member& member : members_of(dag, RendezvousId{0}, star(endpoints, {})))
    places.emplace_back(member.rank, member.task.valid(), member.endpoint);
  return places;
}

EndpointId at(std::size_t endpoint) { return EndpointId{endpoint}; }

TEST(GroupTest, ListedRanksRunOnTheirOwnEndpoints) {
  const Dag dag = collective_of({8}, {"dp", 3, {0, 8, 16}});
  EXPECT_EQ(group_size(dag, RendezvousId{0}), 3U);
  EXPECT_FALSE(is_whole(dag, RendezvousId{0}));
  EXPECT_TRUE(knows_members(dag, RendezvousId{0}));
  EXPECT_EQ(places(dag, 24), (std::vector<Place>{{0, false, at(0)}, {8, true, at(8)}, {16, false, at(16)}}));
  EXPECT_EQ(places(dag, 16), (std::vector<Place>{{0, false, at(0)}, {8, true, at(8)}, {16, false, {}}}))
      << "the cluster has no endpoint for rank 16";
}

TEST(GroupTest, SeveralCapturedRanksMeetTheListedOthers) {
  const Dag dag = collective_of({2, 0}, {"", 4, {0, 1, 2, 3}});
  EXPECT_EQ(places(dag, 4),
            (std::vector<Place>{{0, true, at(0)}, {1, false, at(1)}, {2, true, at(2)}, {3, false, at(3)}}));
}

TEST(GroupTest, WithoutAListTheOthersOfALoneRankAreItsNeighbours) {
  EXPECT_EQ(places(collective_of({5}, {"", 2, {}}), 8), (std::vector<Place>{{4, false, at(4)}, {5, true, at(5)}}));
  EXPECT_EQ(places(collective_of({4}, {"", 3, {}}), 5),
            (std::vector<Place>{{2, false, at(2)}, {3, false, at(3)}, {4, true, at(4)}}))
      << "the group ends with the last endpoint";
}

TEST(GroupTest, WithoutAListTheOthersOfSeveralRanksAreUnknown) {
  const Dag dag = collective_of({0, 1}, {"", 4, {}});
  EXPECT_TRUE(places(dag, 4).empty());
  EXPECT_FALSE(knows_members(dag, RendezvousId{0}));
}

TEST(GroupTest, CopiesTakePartWithoutTasks) {
  const Dag dag = collective_of({0, 1}, {.size = 5, .ranks = {0, 1, 2, 3, 4}, .copy_of = {0, 1, 0, 1, 0}});
  EXPECT_TRUE(is_whole(dag, RendezvousId{0}));
  EXPECT_EQ(group_size(dag, RendezvousId{0}), 5U);
  EXPECT_EQ(places(dag, 5),
            (std::vector<Place>{
                {0, true, at(0)}, {1, true, at(1)}, {2, false, at(2)}, {3, false, at(3)}, {4, false, at(4)}}));
  EXPECT_EQ(rank_classes(dag), (std::map<Rank, std::uint32_t>{{0, 3}, {1, 2}}));
  EXPECT_EQ(rank_classes(collective_of({2, 3}, {})), (std::map<Rank, std::uint32_t>{{2, 1}, {3, 1}}));
}

TEST(GroupTest, WithoutAGroupTheMembersAreTheCapturedOnes) {
  const Dag dag = collective_of({1, 0}, {});
  EXPECT_TRUE(is_whole(dag, RendezvousId{0}));
  EXPECT_EQ(largest_group(dag), 2U);
  EXPECT_EQ(places(dag, 2), (std::vector<Place>{{0, true, at(0)}, {1, true, at(1)}}));
}

}  // namespace
}  // namespace stepsim::group_test
