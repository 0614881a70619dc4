#include "model/job/cluster.h"
#include "model/job/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>

namespace stepsim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Duration kLatency{1000};

Link link() { return {.name = {}, .bandwidth = Bandwidth::from_bits_per_second(1e9), .latency = kLatency}; }

Route route(const Cluster& cluster, std::size_t from, std::size_t to) {
  return cluster.route(EndpointId{from}, EndpointId{to}).value();
}

TEST(ClusterTest, AMessageOnAStarLeavesOneHostAndEntersTheOther) {
  const Cluster cluster = star(3, link());
  ASSERT_EQ(cluster.links.size(), 6U);
  const Route crossed = route(cluster, 2, 0);
  ASSERT_EQ(crossed.size(), 2U);
  EXPECT_EQ(cluster.links[crossed[0].index()].name, "host 2 out");
  EXPECT_EQ(cluster.links[crossed[1].index()].name, "host 0 in");
}

TEST(ClusterTest, AMessageToItselfCrossesNothing) { EXPECT_THAT(route(star(2, link()), 1, 1), IsEmpty()); }

TEST(ClusterTest, AnEndpointThatIsNotThereCannotBeReached) {
  EXPECT_FALSE(star(2, link()).route(EndpointId{0}, EndpointId{2}).has_value());
}

TEST(ClusterTest, AWrittenRouteGoesBeforeTheTree) {
  Cluster cluster = star(2, link());
  cluster.routes[{EndpointId{0}, EndpointId{1}}] = {LinkId{3}};
  EXPECT_THAT(route(cluster, 0, 1), ElementsAre(LinkId{3}));
  EXPECT_EQ(route(cluster, 1, 0).size(), 2U);
}

TEST(ClusterTest, EndpointsOfOneHostUseTheLinksInsideIt) {
  Cluster cluster = star(1, link());
  cluster.endpoints.push_back(cluster.endpoints[0]);
  cluster.uplinks.push_back(cluster.uplinks[0]);
  EXPECT_THAT(route(cluster, 0, 1), IsEmpty());
  cluster.uplinks[0].out = {LinkId{7}};
  cluster.uplinks[1].in = {LinkId{8}};
  EXPECT_THAT(route(cluster, 0, 1), ElementsAre(LinkId{7}, LinkId{8}));
}

/// Returns two hosts with two endpoints each. Endpoint 0 of each host is on switch 0, endpoint 1 on switch 1.
Cluster two_rails() {
  Cluster cluster;
  for (std::size_t i = 0; i < 4; ++i) {
    cluster.endpoints.push_back({HostId{i / 2}, {}});
    cluster.uplinks.push_back({.up = {LinkId{10 + i}},
                               .down = {LinkId{20 + i}},
                               .switches = {static_cast<std::uint32_t>(i % 2)},
                               .out = {LinkId{30 + i}},
                               .in = {LinkId{40 + i}},
                               .relays = {EndpointId{i ^ 1U}}});
  }
  return cluster;
}

TEST(ClusterTest, WithoutACommonSwitchARelayInTheSendersHostPassesOn) {
  EXPECT_THAT(route(two_rails(), 0, 2), ElementsAre(LinkId{10}, LinkId{22}));
  EXPECT_THAT(route(two_rails(), 0, 3), ElementsAre(LinkId{30}, LinkId{41}, LinkId{11}, LinkId{23}));
}

TEST(ClusterTest, WithoutARelayThereIsNoWay) {
  Cluster cluster = two_rails();
  cluster.uplinks[0].relays.clear();
  EXPECT_FALSE(cluster.route(EndpointId{0}, EndpointId{3}).has_value());
}

/// Returns the links of the route between two paths, or nothing if there is none. Tries every pair of hops, as the
/// comment of Cluster::UplinkPath defines the route.
std::optional<Route> walked(const Cluster::UplinkPath& from, const Cluster::UplinkPath& to) {
  for (std::size_t up = 0; up < from.switches.size(); ++up) {
    for (std::size_t down = 0; down < to.switches.size(); ++down) {
      if (from.switches[up] != to.switches[down]) continue;
      Route route(from.up.begin(), from.up.begin() + static_cast<std::ptrdiff_t>(up) + 1);
      route.insert(route.end(), to.down.end() - static_cast<std::ptrdiff_t>(down) - 1, to.down.end());
      return route;
    }
  }
  return std::nullopt;
}

TEST(ClusterTest, PathsOfManySwitchesTurnAtTheFirstThatBothHave) {
  std::mt19937 random(7);
  for (const std::size_t hops : {1U, 15U, 16U, 17U, 40U, 200U}) {
    for (int round = 0; round < 20; ++round) {
      Cluster cluster;
      std::uniform_int_distribution<std::uint32_t> number(0, static_cast<std::uint32_t>(hops * hops));
      for (std::size_t i = 0; i < 2; ++i) {
        cluster.endpoints.push_back({HostId{i}, {}});
        Cluster::UplinkPath& path = cluster.uplinks.emplace_back();
        for (std::size_t hop = 0; hop < hops; ++hop) {
          path.up.emplace_back(2 * hops * i + hop);
          path.down.emplace_back(2 * hops * i + hops + hop);
          path.switches.push_back(number(random));
        }
      }
      EXPECT_EQ(cluster.route(EndpointId{0}, EndpointId{1}), walked(cluster.uplinks[0], cluster.uplinks[1]))
          << hops << " hops, round " << round;
    }
  }
}

}  // namespace
}  // namespace stepsim
