#include "model/cost/collective/shared_hosts.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/job/topology.h"

namespace stepsim {
namespace {

TEST(SharedHostsTest, EndpointsAreOnTheHostsTheyShared) {
  Cluster cluster = star(4, {.bandwidth = Bandwidth::from_bytes_per_second(1e9)});
  const std::vector<EndpointId> all{EndpointId{0}, EndpointId{1}, EndpointId{2}, EndpointId{3}};
  const std::vector<EndpointId> neighbours{EndpointId{2}, EndpointId{3}};
  EXPECT_EQ(hosts_of(cluster, all), 4U);
  EXPECT_EQ(hosts_of(cluster, {}), 0U);
  cluster.network.set(kRanksPerHost, 2.0);
  EXPECT_EQ(hosts_of(cluster, all), 2U);
  // Ranks that all shared one host are counted as the hosts of the file, because messages between them cross its links.
  EXPECT_EQ(hosts_of(cluster, neighbours), 2U);
}

}  // namespace
}  // namespace stepsim
