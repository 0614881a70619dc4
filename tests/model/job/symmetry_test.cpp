#include "model/job/symmetry.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "model/job/topology.h"

namespace stepsim {
namespace {

Cable cable(double bytes_per_second, bool full_duplex = true) {
  return {.bandwidth = Bandwidth::from_bytes_per_second(bytes_per_second),
          .latency = Duration{1000},
          .full_duplex = full_duplex};
}

ClusterShape hosts(std::size_t count, std::uint32_t devices = 0) {
  ClusterShape shape{.hosts = numbered_hosts(count), .nic = cable(1e9), .devices = devices};
  if (devices > 0) shape.nvlink = cable(1e11);
  return shape;
}

std::uint32_t block_of(const Cluster& cluster, std::uint32_t endpoints) {
  const std::optional<FoldedCluster> found = folded(cluster, endpoints);
  return found ? found->block : 0;
}

/// Expects that the first endpoints fold into blocks of this size, and compares all routes: moved by one block, they
/// are routes over equal links, each link goes to one other link, and the folded cluster has one link for all links
/// that such moves lead to.
void expect_fold(const ClusterShape& shape, std::uint32_t endpoints, std::uint32_t block) {
  const Cluster cluster = build_cluster(shape);
  const std::optional<FoldedCluster> result = folded(cluster, endpoints);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->block, block);
  std::map<LinkId, LinkId> moved_to;
  std::map<LinkId, LinkId> folded_to;
  for (std::uint32_t from = 0; from < endpoints; ++from) {
    for (std::uint32_t to = 0; to < endpoints; ++to) {
      const Route here = cluster.route(EndpointId{from}, EndpointId{to}).value();
      const Route moved =
          cluster.route(EndpointId{(from + block) % endpoints}, EndpointId{(to + block) % endpoints}).value();
      const Route of_folded = result->cluster.route(EndpointId{from}, EndpointId{to}).value();
      ASSERT_EQ(here.size(), moved.size());
      ASSERT_EQ(here.size(), of_folded.size());
      for (std::size_t i = 0; i < here.size(); ++i) {
        EXPECT_EQ(moved_to.try_emplace(here[i], moved[i]).first->second, moved[i]);
        EXPECT_EQ(folded_to.try_emplace(here[i], of_folded[i]).first->second, of_folded[i]);
        const Link& one = result->cluster.links[of_folded[i].index()];
        EXPECT_EQ(one.bandwidth, cluster.links[here[i].index()].bandwidth);
        EXPECT_EQ(one.latency, cluster.links[here[i].index()].latency);
      }
    }
  }
  std::set<LinkId> targets;
  std::map<LinkId, std::uint32_t> stands_for;
  for (const auto& [link, target] : moved_to) {
    targets.insert(target);
    EXPECT_EQ(folded_to.at(link), folded_to.at(target));
    ++stands_for[folded_to.at(link)];
  }
  EXPECT_EQ(targets.size(), moved_to.size());
  for (const auto& [link, links] : stands_for) EXPECT_EQ(links, endpoints / block) << link.value();
}

TEST(FoldedTest, EqualHostsAreBlocks) {
  expect_fold(hosts(4), 4, 1);
  expect_fold(hosts(7), 5, 1);
  expect_fold(hosts(3, 2), 6, 2);
  ClusterShape half = hosts(4);
  half.nic.full_duplex = false;
  expect_fold(half, 4, 1);
  ClusterShape pcie = hosts(3, 4);
  pcie.pcie = cable(2e10);
  expect_fold(pcie, 12, 4);
  pcie.nvlink.reset();
  expect_fold(pcie, 12, 4);
}

TEST(FoldedTest, HostsWithRailsAreBlocks) {
  ClusterShape rails = hosts(3, 4);
  rails.nics = 4;
  expect_fold(rails, 12, 4);
  rails.nics = 2;
  expect_fold(rails, 12, 4);
}

TEST(FoldedTest, SwitchesAreBlocks) {
  ClusterShape tree = hosts(24);
  tree.tiers = {{.ports = 4, .oversubscription = 2, .latency = Duration{300}},
                {.ports = 2, .oversubscription = 4, .latency = Duration{700}}};
  expect_fold(tree, 24, 8);
  expect_fold(tree, 16, 8);
  expect_fold(tree, 8, 4);  // one pod: nothing goes through the root
  expect_fold(tree, 4, 1);  // one leaf
  EXPECT_EQ(block_of(build_cluster(tree), 12), 0U) << "a pod and a half";
  EXPECT_EQ(block_of(build_cluster(tree), 5), 0U);
}

TEST(FoldedTest, UnequalHostsAreNot) {
  ClusterShape slow = hosts(4);
  slow.differ.emplace(HostId{2}, cable(1e8));
  EXPECT_EQ(block_of(build_cluster(slow), 4), 0U);
  slow.differ.emplace(HostId{0}, cable(1e8));
  expect_fold(slow, 4, 2);
  EXPECT_EQ(block_of(build_cluster(hosts(1, 8)), 8), 0U) << "all on one host";
  EXPECT_EQ(block_of(build_cluster(hosts(2, 4)), 6), 0U) << "half of a host";
}

TEST(FoldedTest, EndpointsThatTakeTurnsOnHostsShareTheirLinks) {
  ClusterShape shape = hosts(2);
  shape.endpoints_per_host = 2;
  shape.endpoints = {{HostId{0}}, {HostId{1}}, {HostId{0}}, {HostId{1}}};
  EXPECT_EQ(block_of(build_cluster(shape), 4), 0U);
}

TEST(FoldedTest, RoutesThatAreListedAreNot) {
  Cluster cluster = build_cluster(hosts(4));
  cluster.routes.emplace(std::pair{EndpointId{0}, EndpointId{1}}, Route{});
  EXPECT_EQ(block_of(cluster, 4), 0U);
}

}  // namespace
}  // namespace stepsim
