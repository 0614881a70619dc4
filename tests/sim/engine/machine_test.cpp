#include "sim/engine/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "model/base/error.h"
#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"
#include "tests/thrown_by.h"

/// What a machine refuses before a replay begins, and how a replay is stopped.
namespace stepsim::sim {
namespace {

using stepsim::testing::thrown_by;

using stepsim::testing::DagMaker;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t kLongRoute = 1'000'000;

/// Two hosts joined by one link, which a message crosses again and again.
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

std::string problem_of(const Dag& dag, const Cluster& cluster, const char* network) {
  Machine machine{dag};
  return thrown_by<UsageError>([&] { machine.set_network(*find_network_model(network), cluster); }, "none");
}

TEST(Refusals, TransfersThatCrossMoreLinksThanCanBeFollowedAreCountedBefore) {
  const Cluster cluster = long_way(kLongRoute);
  const Dag most = transfers(kMostCrossings / kLongRoute);
  const Dag more = transfers(kMostCrossings / kLongRoute + 1);
  for (const char* const network : {"fifo", "maxmin"}) {
    EXPECT_EQ(problem_of(most, cluster, network), "none") << network;
    EXPECT_EQ(problem_of(more, cluster, network),
              "4001 transfers over routes of up to 1000000 links cross 4001000000 links; expected at most 4000000000: "
              "shorter routes, fewer transfers, or --network alpha_beta")
        << network;
  }
  for (const char* const network : {"alpha_beta", "loggp"}) {
    EXPECT_EQ(problem_of(more, cluster, network), "none") << network;
  }
}

/// A broadcast of 1,024 slices from one rank to the other. Its formula does not hold on one link for both directions.
TEST(Refusals, ACollectiveThatCrossesMoreLinksThanCanBeFollowedIsCountedBefore) {
  DagMaker maker;
  const RendezvousId broadcast =
      maker.builder.add_rendezvous({.op = CollectiveOp::kBroadcast, .bytes = Bytes{std::int64_t{1024} * 524'288}});
  for (const Rank rank : {0, 1}) maker.builder.join(broadcast, maker.task(maker.lane(rank), 0));
  const Dag dag = maker.build();
  const auto messages = std::uint64_t{2} * 1024;
  const Cluster cluster = long_way(kMostCrossings / messages + 1);
  Machine machine{dag};
  machine.set_network(*find_network_model("fifo"), cluster);
  EXPECT_THAT(thrown_by<UsageError>([&] { return replay(dag, machine); }),
              AllOf(HasSubstr("the messages of a collective of 2 ranks, up to 1953126 links apart, "
                              "bring the links that messages cross to 4000002048; "),
                    HasSubstr("; expected at most 4000000000: shorter routes, fewer ranks")));
}

TEST(EngineStopTest, AReplayOfOneTransferOverALongRouteCanBeStopped) {
  const Dag dag = transfers(1);
  const Cluster cluster = long_way(1000);
  for (const char* const network : {"fifo", "maxmin"}) {
    Machine machine{dag};
    machine.set_network(*find_network_model(network), cluster);
    const std::atomic<bool> stop{true};
    EXPECT_THROW(static_cast<void>(replay(dag, machine, {.stop = &stop})), Interrupted) << network;
  }
}

}  // namespace
}  // namespace stepsim::sim
