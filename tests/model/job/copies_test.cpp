#include "model/job/copies.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "model/job/dag_builder.h"
#include "model/job/topology.h"

namespace stepsim::copies_test {
namespace {

Cable cable(double bytes_per_second) { return {.bandwidth = Bandwidth::from_bytes_per_second(bytes_per_second)}; }

/// Hosts of eight devices, whose NICs carry 12.5 GB/s each.
ClusterShape hosts_with(std::uint32_t nics) {
  return {.hosts = numbered_hosts(4),
          .nic = cable(12.5e9),
          .nics = nics,
          .devices = 8,
          .device_model = "A100",
          .nvlink = cable(300e9)};
}

std::vector<EndpointId> endpoints(std::size_t first, std::size_t distance, std::size_t count) {
  std::vector<EndpointId> found;
  for (std::size_t i = 0; i < count; ++i) found.emplace_back(first + i * distance);
  return found;
}

/// Returns a dag with one collective, because a dag without any has no groups.
Dag built(DagBuilder builder) {
  const TaskId task = builder.add_task({.name = builder.intern("x"), .lane = builder.add_lane({})});
  builder.join(builder.add_rendezvous({.group = GroupId{0}}), task);
  return std::move(builder).build().dag;
}

/// Ranks 0 to 15 are copies of the first, the others of rank 16. A smaller group has copies too.
Dag two_classes() {
  DagBuilder builder;
  Group all{.name = "all", .size = 32};
  for (Rank rank = 0; rank < 32; ++rank) {
    all.ranks.push_back(rank);
    all.copy_of.push_back(rank < 16 ? 0U : 16U);
  }
  builder.add_group({.name = "some", .size = 2, .ranks = {0, 8}, .copy_of = {0, 0}});
  builder.add_group(std::move(all));
  return built(std::move(builder));
}

TEST(CopiesTest, TheLargestGroupHasThoseOfAllRanks) {
  const Dag dag = two_classes();
  ASSERT_NE(group_with_copies(dag), nullptr);
  EXPECT_EQ(group_with_copies(dag)->name, "all");
  EXPECT_EQ(group_with_copies(Dag{}), nullptr);
}

TEST(CopiesTest, AsManyGroupsCrowdANicAsHaveAMemberThere) {
  const Dag dag = two_classes();
  const Cluster cluster = build_cluster(hosts_with(1));
  PlacedCopies copies(dag, cluster);
  EXPECT_EQ(copies.crowding(endpoints(0, 8, 2)), 8) << "one member on each host: eight groups";
  EXPECT_EQ(copies.crowding(endpoints(0, 4, 4)), 4) << "two members";
  EXPECT_EQ(copies.crowding(endpoints(0, 1, 16)), 1) << "all ranks of both hosts are in the group";
  EXPECT_EQ(copies.crowding(endpoints(0, 2, 4)), 1) << "the group is on one host";
  EXPECT_EQ(copies.crowding(endpoints(8, 8, 2)), 8) << "a message between classes";
}

TEST(CopiesTest, EachRailHasItsOwnDevices) {
  const Dag dag = two_classes();
  for (const auto& [nics, crowding] : {std::pair{8U, 1.0}, {4U, 2.0}, {2U, 4.0}}) {
    const Cluster cluster = build_cluster(hosts_with(nics));
    EXPECT_EQ(PlacedCopies(dag, cluster).crowding(endpoints(0, 8, 2)), crowding) << nics << " NICs";
  }
}

TEST(CopiesTest, AnOversubscribedSwitchCountsIfItIsSlower) {
  const Dag dag = two_classes();
  ClusterShape shape = hosts_with(8);
  shape.nics = 1;
  shape.nic = cable(100e9);
  shape.tiers = {{.ports = 1, .oversubscription = 4, .latency = {}}};
  // A host has 100 GB/s to its switch, which passes on 25 GB/s. Eight messages take eight times as long there.
  EXPECT_EQ(PlacedCopies(dag, build_cluster(shape)).crowding(endpoints(0, 8, 2)), 8);
}

TEST(CopiesTest, WithoutCopiesNothingIsCrowded) {
  DagBuilder builder;
  builder.add_group({.name = "all", .size = 2, .ranks = {0, 8}});
  const Cluster cluster = build_cluster(hosts_with(1));
  EXPECT_EQ(PlacedCopies(built(std::move(builder)), cluster).crowding(endpoints(0, 8, 2)), 1);
}

}  // namespace
}  // namespace stepsim::copies_test
