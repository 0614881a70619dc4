#include "model/job/rank_places.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "model/job/dag_builder.h"
#include "model/job/topology.h"

namespace stepsim::rank_places_test {
namespace {

struct Captured {
  Rank rank = 0;
  std::string host;
  std::int32_t device = 0;
};

Dag ranks_on(const std::vector<Captured>& ranks) {
  DagBuilder builder;
  for (const Captured& one : ranks) {
    const LaneId lane = builder.add_lane({.host = one.host, .rank = one.rank, .device = one.device});
    (void)builder.add_task({.name = builder.intern("x"), .lane = lane});
  }
  return std::move(builder).build().dag;
}

Cluster hosts_with(std::vector<Host> hosts, std::uint32_t devices) {
  const Cable cable{.bandwidth = Bandwidth::from_bytes_per_second(1e9)};
  return build_cluster({.hosts = std::move(hosts), .nic = cable, .devices = devices, .nvlink = cable});
}

/// Returns the host of each endpoint.
std::vector<std::uint32_t> hosts_of(const Cluster& cluster) {
  std::vector<std::uint32_t> hosts;
  for (const Endpoint& endpoint : cluster.endpoints) hosts.push_back(endpoint.host.value());
  return hosts;
}

std::string placed(const Dag& dag, Cluster& cluster) {
  const Assumptions stated = place_as_captured(dag, cluster);
  return stated.empty() ? "" : stated.front().sentence;
}

TEST(RankPlacesTest, RanksOfDifferentHostsStayOnDifferentHosts) {
  Cluster cluster = hosts_with(numbered_hosts(3), 2);
  EXPECT_EQ(placed(ranks_on({{0, "a"}, {1, "b"}, {2, "c"}}), cluster),
            "The 3 captured ranks stay on 3 hosts as captured.");
  EXPECT_EQ(hosts_of(cluster), (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2})) << "other ranks fill what remains";
}

TEST(RankPlacesTest, RanksKeepTheirDevices) {
  Cluster cluster = hosts_with(numbered_hosts(1), 4);
  (void)placed(ranks_on({{0, "a", 3}, {1, "a", 1}}), cluster);
  std::vector<std::uint32_t> devices;
  for (const Endpoint& endpoint : cluster.endpoints) devices.push_back(endpoint.device.value());
  EXPECT_EQ(devices, (std::vector<std::uint32_t>{3, 1, 0, 2}));
}

TEST(RankPlacesTest, DevicesThatAllHaveOneNumberAreTakenInOrder) {
  const Cluster before = hosts_with(numbered_hosts(2), 2);
  Cluster cluster = before;
  EXPECT_EQ(placed(ranks_on({{0, "a", 0}, {1, "a", 0}, {2, "b", 0}, {3, "b", 0}}), cluster),
            "The 4 captured ranks stay on 2 hosts as captured.");
  EXPECT_EQ(cluster, before);
}

TEST(RankPlacesTest, HostsAreFoundByName) {
  Cluster cluster = hosts_with({{"b"}, {"a"}}, 1);
  (void)placed(ranks_on({{0, "a"}, {1, "b"}}), cluster);
  EXPECT_EQ(hosts_of(cluster), (std::vector<std::uint32_t>{1, 0}));
}

TEST(RankPlacesTest, WhatDoesNotFitFillsTheClusterInOrder) {
  const Cluster one_host = hosts_with(numbered_hosts(1), 4);
  Cluster cluster = one_host;
  EXPECT_EQ(placed(ranks_on({{0, "a"}, {1, "b"}}), cluster),
            "The 2 captured ranks ran on 2 hosts, which the cluster has no places for; they fill it in order.");
  EXPECT_EQ(cluster, one_host);
  Cluster small_hosts = hosts_with(numbered_hosts(2), 1);
  EXPECT_EQ(placed(ranks_on({{0, "a"}, {1, "a"}}), small_hosts),
            "The 2 captured ranks ran on 1 host, which the cluster has no places for; they fill it in order.");
}

TEST(RankPlacesTest, UnknownHostsAreStated) {
  Cluster cluster = hosts_with(numbered_hosts(1), 2);
  EXPECT_EQ(placed(ranks_on({{0, ""}, {1, "b"}}), cluster),
            "The capture does not say on which hosts its ranks ran; they fill the cluster in order.");
}

TEST(RankPlacesTest, EndpointsOfTheFileStay) {
  ClusterShape shape = *hosts_with(numbered_hosts(2), 2).shape;
  shape.endpoints = {{HostId{1}, DeviceId{2}}, {HostId{1}, DeviceId{3}}};
  const Cluster before = build_cluster(shape);
  Cluster cluster = before;
  EXPECT_EQ(placed(ranks_on({{0, "a"}, {1, "b"}}), cluster), "");
  EXPECT_EQ(cluster, before);
}

TEST(RankPlacesTest, MoreRanksThanPlacesGoToNewHosts) {
  Cluster cluster = hosts_with(numbered_hosts(2), 2);
  (void)placed(ranks_on({{0, "a"}, {1, "b"}}), cluster);
  const Resize ranks{2, 6};
  const Cluster larger = build_cluster(resized(*cluster.shape, std::span(&ranks, 1)));
  EXPECT_EQ(hosts_of(larger), (std::vector<std::uint32_t>{0, 1, 0, 1, 2, 2}));
  const Resize same{2, 2};
  EXPECT_EQ(build_cluster(resized(*cluster.shape, std::span(&same, 1))), cluster);
}

}  // namespace
}  // namespace stepsim::rank_places_test
