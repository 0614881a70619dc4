#include "model/job/topology.h"
#include "sim/engine/replays.h"

#include <gtest/gtest.h>

#include "tests/sim/dag_maker.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::DagMaker;

std::vector<TaskId> sources_of(const Dag& dag) {
  std::vector<TaskId> sources;
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    if (dag.in_degrees()[i] == 0) sources.emplace_back(i);
  }
  return sources;
}

std::size_t parts(const Dag& dag, const Machine& machine, std::size_t most = 8) {
  return deal_parts(dag, machine, sources_of(dag), most).size();
}

TEST(IndependentPartsTest, LanesThatNothingJoinsArePartsOfTheirOwn) {
  DagMaker maker;
  for (Rank rank = 0; rank < 3; ++rank) maker.task(maker.lane(rank), 1);
  const Dag dag = maker.build();
  EXPECT_EQ(parts(dag, Machine{dag}), 3U);
  EXPECT_EQ(parts(dag, Machine{dag}, 2), 2U) << "no more than asked for";
}

TEST(IndependentPartsTest, AnEdgeACollectiveAndCreditEachJoinTwoLanes) {
  DagMaker maker;
  std::vector<TaskId> tasks;
  tasks.reserve(6);
  for (Rank rank = 0; rank < 6; ++rank) tasks.push_back(maker.task(maker.lane(rank), 1));
  maker.builder.add_edge(tasks[0], tasks[1], EdgeKind::kData);
  maker.rendezvous({tasks[2], tasks[3]});
  maker.builder.return_credit(tasks[4], tasks[5]);
  const Dag dag = maker.build();
  EXPECT_EQ(parts(dag, Machine{dag}), 3U);
}

/// A message from endpoint 0 to 1 and one from 2 to 3 share no link. A message from 0 to 3 shares one link with each of
/// them.
TEST(IndependentPartsTest, MessagesBelongTogetherWhereTheyShareALink) {
  const NetworkModel contended{.name = "contended", .make = [](const Cluster&) { return std::unique_ptr<Network>{}; }};
  const Cluster cluster = star(4, {.bandwidth = Bandwidth::from_bytes_per_second(1)});
  for (const bool with_joint : {false, true}) {
    DagMaker maker;
    const auto message = [&maker](std::size_t from, std::size_t to) {
      maker.task(maker.builder.add_lane({.kind = LaneKind::kLink, .from = EndpointId{from}, .to = EndpointId{to}}), 1);
    };
    message(0, 1);
    message(2, 3);
    if (with_joint) message(0, 3);
    const Dag dag = maker.build();
    Machine machine{dag};
    machine.set_network(contended, cluster);
    EXPECT_EQ(parts(dag, machine), with_joint ? 1U : 2U);
  }
}

TEST(IndependentPartsTest, EverySourceIsInOnePart) {
  DagMaker maker;
  for (Rank rank = 0; rank < 10; ++rank) maker.task(maker.lane(rank), 1);
  const Dag dag = maker.build();
  std::size_t dealt = 0;
  for (const auto& part : deal_parts(dag, Machine{dag}, sources_of(dag), 3)) dealt += part.size();
  EXPECT_EQ(dealt, 10U);
}

}  // namespace
}  // namespace stepsim::sim
