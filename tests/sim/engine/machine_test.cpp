#include "sim/engine/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "model/base/error.h"
#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"
#include "tests/thrown_by.h"

/// Tests which inputs a machine refuses before a replay begins, and how a replay is stopped.
namespace stepsim::sim {
namespace {

using stepsim::testing::thrown_by;

using stepsim::testing::DagMaker;
using ::testing::HasSubstr;

/// Returns two hosts joined by one link, which a message crosses `links` times.
Cluster long_way(std::size_t links) {
  Cluster cluster;
  cluster.hosts = {{"a"}, {"b"}};
  cluster.endpoints = {{HostId{0}, {}}, {HostId{1}, {}}};
  cluster.links = {{.name = {}, .bandwidth = Bandwidth::from_bytes_per_second(1e9)}};
  cluster.routes[{EndpointId{0}, EndpointId{1}}] = Route(links, LinkId{0});
  cluster.routes[{EndpointId{1}, EndpointId{0}}] = Route(links, LinkId{0});
  return cluster;
}

Dag transfers(std::size_t count) {
  DagMaker maker;
  const LaneId link = maker.lane(0);
  maker.builder.lane(link).from = EndpointId{0};
  maker.builder.lane(link).to = EndpointId{1};
  for (std::size_t i = 0; i < count; ++i) maker.task(link, 0);
  return maker.build();
}

std::string problem_of(const Dag& dag, const Cluster& cluster, const std::string& network) {
  Machine machine{dag};
  return thrown_by<UsageError>([&] { machine.set_network(*find_network_model(network), cluster); }, "none");
}

TEST(Refusals, ARouteIsTooLongForModelsThatFollowMessagesFromLinkToLink) {
  const Dag dag = transfers(1);
  for (const std::string network : {"fifo", "maxmin"}) {
    EXPECT_EQ(problem_of(dag, long_way(kLongestRoute), network), "none") << network;
    EXPECT_EQ(problem_of(dag, long_way(kLongestRoute + 1), network),
              "the route from endpoint 0 to 1 has 257 links, and --network " + network +
                  " follows messages from link to link; expected at most 256, or --network alpha_beta");
  }
  for (const char* const network : {"alpha_beta", "loggp"}) {
    EXPECT_EQ(problem_of(dag, long_way(100'000), network), "none") << network;
  }
}

TEST(Refusals, ARouteIsTooLongForTheMessagesOfACollective) {
  DagMaker maker;
  const RendezvousId broadcast =
      maker.builder.add_rendezvous({.op = CollectiveOp::kBroadcast, .bytes = Bytes{std::int64_t{1024} * 524'288}});
  for (const Rank rank : {0, 1}) maker.builder.join(broadcast, maker.task(maker.lane(rank), 0));
  const Dag dag = maker.build();
  EXPECT_EQ(problem_of(dag, long_way(kLongestRoute), "fifo"), "none");
  EXPECT_THAT(problem_of(dag, long_way(kLongestRoute + 1), "fifo"), HasSubstr("has 257 links"));
}

TEST(EngineStopTest, AReplayOfOneTransferOverALongRouteCanBeStopped) {
  const Dag dag = transfers(1);
  const Cluster cluster = long_way(kLongestRoute);
  for (const char* const network : {"fifo", "maxmin"}) {
    Machine machine{dag};
    machine.set_network(*find_network_model(network), cluster);
    const std::atomic<bool> stop{true};
    EXPECT_THROW(static_cast<void>(replay(dag, machine, {.stop = &stop})), Interrupted) << network;
  }
}

}  // namespace
}  // namespace stepsim::sim
