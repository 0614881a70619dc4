#include "model/job/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace stepsim::topology_test {
namespace {

using ::testing::ElementsAre;

constexpr double kPort = 1e9;  // bytes per second

Cable cable(double bytes_per_second, std::int64_t nanoseconds = 1000) {
  return {.bandwidth = Bandwidth::from_bytes_per_second(bytes_per_second), .latency = Duration{nanoseconds}};
}

std::vector<Host> hosts(std::size_t count) {
  std::vector<Host> hosts;
  for (std::size_t i = 0; i < count; ++i) hosts.push_back({std::to_string(i)});
  return hosts;
}

Route route(const Cluster& cluster, std::size_t from, std::size_t to) {
  return cluster.route(EndpointId{from}, EndpointId{to}).value();
}

std::vector<std::string> names(const Cluster& cluster, std::size_t from, std::size_t to) {
  std::vector<std::string> names;
  for (const LinkId link : route(cluster, from, to)) names.push_back(cluster.links[link.index()].name);
  return names;
}

/// Returns a fat tree with two tiers and a root. A leaf has four hosts, and a pod has two leaves. The tiers are
/// oversubscribed 2:1 and 4:1.
ClusterShape fat_tree(std::size_t count) {
  return {.hosts = hosts(count),
          .nic = cable(kPort),
          .tiers = {{.ports = 4, .oversubscription = 2, .latency = Duration{300}},
                    {.ports = 2, .oversubscription = 4, .latency = Duration{700}}}};
}

/// Returns hosts like a DGX, where each device has a NIC on a separate rail (a network of its own switches).
ClusterShape rails(std::size_t count, std::uint32_t devices) {
  return {.hosts = hosts(count),
          .nic = cable(kPort),
          .nics = devices,
          .devices = devices,
          .device_model = "H100",
          .nvlink = cable(18 * kPort, 200)};
}

TEST(TopologyTest, AHalfDuplexCableIsOneLinkForBothDirections) {
  ClusterShape shape{.hosts = hosts(2), .nic = cable(kPort)};
  shape.nic.full_duplex = false;
  const Cluster cluster = build_cluster(shape);
  EXPECT_EQ(cluster.links.size(), 2U);
  EXPECT_THAT(names(cluster, 0, 1), ElementsAre("host 0", "host 1"));
  EXPECT_THAT(names(cluster, 1, 0), ElementsAre("host 1", "host 0"));
}

TEST(TopologyTest, AHostMayHaveAnotherNic) {
  ClusterShape shape{.hosts = hosts(3), .nic = cable(kPort)};
  shape.differ[HostId{1}] = cable(kPort / 10);
  const Cluster cluster = build_cluster(shape);
  const auto rate = [&](std::size_t from, std::size_t to, std::size_t hop) {
    return cluster.links[route(cluster, from, to)[hop].index()].bandwidth.bytes_per_second();
  };
  EXPECT_EQ(rate(0, 1, 0), kPort);
  EXPECT_EQ(rate(0, 1, 1), kPort / 10);
  EXPECT_EQ(rate(1, 2, 0), kPort / 10);
  EXPECT_EQ(rate(1, 2, 1), kPort);
}

TEST(FatTreeTest, AMessageClimbsNoHigherThanItMust) {
  const Cluster cluster = build_cluster(fat_tree(16));
  EXPECT_EQ(route(cluster, 0, 3).size(), 2U);   // within a leaf
  EXPECT_EQ(route(cluster, 0, 4).size(), 4U);   // within a pod
  EXPECT_EQ(route(cluster, 0, 15).size(), 6U);  // over the root
  EXPECT_THAT(names(cluster, 5, 9), ElementsAre("host 5 out", "tier 0 switch 1 out", "tier 1 switch 0 out",
                                                "tier 1 switch 1 in", "tier 0 switch 2 in", "host 9 in"));
}

TEST(FatTreeTest, AnUplinkCarriesItsPortsOverTheOversubscription) {
  const Cluster cluster = build_cluster(fat_tree(16));
  const Route up = route(cluster, 5, 9);
  const double leaf = 4 * kPort / 2;
  EXPECT_EQ(cluster.links[up[1].index()].bandwidth.bytes_per_second(), leaf);
  EXPECT_EQ(cluster.links[up[2].index()].bandwidth.bytes_per_second(), 2 * leaf / 4);
  EXPECT_EQ(cluster.links[up[1].index()].latency, Duration{300});
  EXPECT_EQ(cluster.links[up[2].index()].latency, Duration{700});
}

/// Returns the bandwidth between the first and the second half of the hosts when all send at the same time. This is the
/// sum over the distinct links in the middle of the routes, where a route is at its highest switch.
double bisection(const Cluster& cluster) {
  const std::size_t count = cluster.endpoints.size();
  std::set<LinkId> middle;
  for (std::size_t i = 0; i < count / 2; ++i) {
    const Route crossed = route(cluster, i, i + count / 2);
    middle.insert(crossed[crossed.size() / 2 - 1]);
  }
  double sum = 0;
  for (const LinkId link : middle) sum += cluster.links[link.index()].bandwidth.bytes_per_second();
  return sum;
}

TEST(FatTreeTest, BisectionBandwidthIsThatOfTheHostsOverEveryOversubscription) {
  EXPECT_DOUBLE_EQ(bisection(build_cluster({.hosts = hosts(16), .nic = cable(kPort)})), 8 * kPort);
  EXPECT_DOUBLE_EQ(bisection(build_cluster(fat_tree(16))), 8 * kPort / (2 * 4));
  ClusterShape full = fat_tree(32);
  for (Tier& tier : full.tiers) tier.oversubscription = 1;
  EXPECT_DOUBLE_EQ(bisection(build_cluster(full)), 16 * kPort);
}

TEST(FatTreeTest, ALeafThatIsNotFullHasItsWholeUplink) {
  const Cluster cluster = build_cluster(fat_tree(5));
  EXPECT_EQ(cluster.links[route(cluster, 4, 0)[1].index()].bandwidth.bytes_per_second(), 4 * kPort / 2);
}

TEST(RailsTest, DevicesOfOneRailMeetAtItsSwitch) {
  const Cluster cluster = build_cluster(rails(2, 4));
  ASSERT_EQ(cluster.endpoints.size(), 8U);
  EXPECT_EQ(cluster.devices[5].index, 1);
  EXPECT_EQ(cluster.devices[5].host, HostId{1});
  EXPECT_EQ(cluster.devices[5].model, "H100");
  EXPECT_THAT(names(cluster, 2, 6), ElementsAre("host 0 nic 2 out", "host 1 nic 2 in"));
}

TEST(RailsTest, DevicesOfOneHostUseNvlink) {
  EXPECT_THAT(names(build_cluster(rails(2, 4)), 0, 3),
              ElementsAre("host 0 device 0 nvlink out", "host 0 device 3 nvlink in"));
}

TEST(RailsTest, AMessageToAnotherRailGoesOverTheDeviceOfItsHostThatIsOnThatRail) {
  EXPECT_THAT(
      names(build_cluster(rails(2, 4)), 0, 7),
      ElementsAre("host 0 device 0 nvlink out", "host 0 device 3 nvlink in", "host 0 nic 3 out", "host 1 nic 3 in"));
}

/// Each of the two hosts has six endpoints on two rails. The routes must equal those of a cluster in which all
/// endpoints of a host may relay messages.
TEST(RailsTest, TheFirstEndpointOnEachOtherRailIsRelayEnough) {
  ClusterShape shape = rails(2, 4);
  shape.nics = 2;
  for (const std::size_t device : {3U, 0U, 1U, 2U, 3U, 1U, 4U, 5U, 6U, 7U, 7U, 4U}) {
    shape.endpoints.push_back({HostId{device / 4}, DeviceId{device}});
  }
  const Cluster cluster = build_cluster(shape);
  Cluster all = cluster;
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(cluster.uplinks[i].relays.size(), 1U) << i;
    all.uplinks[i].relays.clear();
    for (std::size_t other = i - i % 6; other < i - i % 6 + 6; ++other) {
      if (other != i) all.uplinks[i].relays.emplace_back(other);
    }
  }
  for (std::size_t from = 0; from < 12; ++from) {
    for (std::size_t to = 0; to < 12; ++to) EXPECT_EQ(route(cluster, from, to), route(all, from, to)) << from << to;
  }
}

TEST(RailsTest, TwoDevicesShareANicWhereThereAreHalfAsMany) {
  ClusterShape shape = rails(2, 4);
  shape.nics = 2;
  const Cluster cluster = build_cluster(shape);
  EXPECT_THAT(names(cluster, 1, 4), ElementsAre("host 0 nic 0 out", "host 1 nic 0 in"));
  EXPECT_THAT(names(cluster, 2, 7), ElementsAre("host 0 nic 1 out", "host 1 nic 1 in"));
}

TEST(RailsTest, EveryRailMayBeAFatTree) {
  ClusterShape shape = rails(4, 2);
  shape.tiers = {{.ports = 2, .oversubscription = 1, .latency = {}}};
  EXPECT_THAT(names(build_cluster(shape), 1, 7), ElementsAre("host 0 nic 1 out", "rail 1 tier 0 switch 0 out",
                                                             "rail 1 tier 0 switch 1 in", "host 3 nic 1 in"));
}

TEST(DevicesTest, PcieLiesBetweenDeviceAndNic) {
  ClusterShape shape = rails(2, 2);
  shape.nics = 1;
  shape.pcie = cable(2 * kPort);
  const Cluster cluster = build_cluster(shape);
  EXPECT_THAT(names(cluster, 1, 2),
              ElementsAre("host 0 device 1 pcie out", "host 0 out", "host 1 in", "host 1 device 0 pcie in"));
  EXPECT_THAT(names(cluster, 0, 1), ElementsAre("host 0 device 0 nvlink out", "host 0 device 1 nvlink in"));
}

TEST(DevicesTest, WithoutNvlinkDevicesOfAHostUsePcie) {
  ClusterShape shape = rails(1, 2);
  shape.nvlink.reset();
  shape.pcie = cable(2 * kPort);
  EXPECT_THAT(names(build_cluster(shape), 0, 1), ElementsAre("host 0 device 0 pcie out", "host 0 device 1 pcie in"));
}

TEST(PlacementTest, EndpointsLieWhereTheyArePut) {
  ClusterShape shape{.hosts = hosts(2), .nic = cable(kPort)};
  // The endpoints are workers 0 and 1, and server 0, which is on the host of worker 1.
  shape.endpoints = {{HostId{0}, {}}, {HostId{1}, {}}, {HostId{1}, {}}};
  const Cluster cluster = build_cluster(shape);
  EXPECT_EQ(cluster.hosts.size(), 2U);
  EXPECT_THAT(names(cluster, 0, 2), ElementsAre("host 0 out", "host 1 in"));
  EXPECT_TRUE(route(cluster, 1, 2).empty());
}

TEST(PlacementTest, ListedEndpointsInTheUsualOrderAreThatOrder) {
  ClusterShape two_each{.hosts = hosts(3), .nic = cable(kPort), .endpoints_per_host = 2, .endpoint_count = 5};
  ClusterShape listed = two_each;
  listed.endpoints_per_host = 1;
  listed.endpoint_count.reset();
  listed.endpoints = {{HostId{0}, {}}, {HostId{0}, {}}, {HostId{1}, {}}, {HostId{1}, {}}, {HostId{2}, {}}};
  EXPECT_EQ(build_cluster(listed), build_cluster(two_each));
  EXPECT_EQ(build_cluster(two_each).endpoints, listed.endpoints);
}

ClusterShape resized_to(const ClusterShape& shape, std::size_t endpoints) {
  const Resize all{0, endpoints};
  return resized(shape, std::span(&all, 1));
}

TEST(ResizeTest, TheShapeStaysAndHostsAreAdded) {
  for (ClusterShape shape : {fat_tree(8), rails(2, 4)}) {
    shape.nic.full_duplex = false;
    const std::uint32_t per_host = shape.per_host();
    ClusterShape twice = shape;
    twice.hosts = hosts(2 * shape.hosts.size());
    EXPECT_EQ(build_cluster(resized_to(shape, twice.hosts.size() * per_host)), build_cluster(twice));
    EXPECT_EQ(build_cluster(resized_to(twice, shape.hosts.size() * per_host)), build_cluster(shape));
  }
}

TEST(ResizeTest, HostsThatDifferStayAndNewOnesAreUsual) {
  ClusterShape shape{.hosts = {{"a"}, {"b"}}, .nic = cable(kPort)};
  shape.differ[HostId{1}] = cable(kPort / 10);
  const ClusterShape more = resized_to(shape, 4);
  EXPECT_EQ(more.differ, shape.differ);
  EXPECT_EQ(more.hosts, (std::vector<Host>{{"a"}, {"b"}, {"2"}, {"3"}}));
  EXPECT_TRUE(resized_to(shape, 1).differ.empty());
}

TEST(ResizeTest, TheLastHostMayBePartlyUsedUnlessARailWouldEnd) {
  ClusterShape one_nic = rails(2, 4);
  one_nic.nics = 1;
  EXPECT_EQ(build_cluster(resized_to(one_nic, 6)).endpoints.size(), 6U);
  EXPECT_EQ(build_cluster(resized_to(resized_to(one_nic, 6), 8)), build_cluster(one_nic));
  EXPECT_THROW(resized_to(rails(2, 4), 6), ShapeProblem);
  EXPECT_EQ(build_cluster(resized_to(rails(2, 4), 3)).endpoints.size(), 3U);
}

TEST(ResizeTest, ListedEndpointsCanBeFewerAndNotMore) {
  ClusterShape shape{.hosts = hosts(2), .nic = cable(kPort)};
  shape.endpoints = {{HostId{1}, {}}, {HostId{0}, {}}, {HostId{1}, {}}};
  const std::array kinds{Resize{2, 1}, Resize{1, 1}};
  EXPECT_EQ(resized(shape, kinds).endpoints, (std::vector<Endpoint>{{HostId{1}, {}}, {HostId{1}, {}}}));
  EXPECT_THROW(resized_to(shape, 4), ShapeProblem);
}

TEST(TopologyTest, AThousandHostsOfEightDevicesNeedNoTableOfPairs) {
  ClusterShape shape = rails(1024, 8);
  shape.tiers = {{.ports = 32, .oversubscription = 1, .latency = {}}};
  const Cluster cluster = build_cluster(shape);
  EXPECT_EQ(cluster.endpoints.size(), 8192U);
  EXPECT_TRUE(cluster.routes.empty());
  // There are two links for each NIC, two for each device's NVLink, and two for each of the 32 leaves of 8 rails.
  EXPECT_EQ(cluster.links.size(), 2U * (8192 + 8192 + 256));
  EXPECT_EQ(route(cluster, 0, 8191).size(), 2U + 4U);
}

}  // namespace
}  // namespace stepsim::topology_test
