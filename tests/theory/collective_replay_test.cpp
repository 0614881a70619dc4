// The engine's collectives against their closed forms: every member on a host of its own, one
// collective at a time, so that nothing shares a link.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "model/cost/network/parameters.h"
#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::DagMaker;

constexpr Duration kLatency{700};
constexpr Duration kOverhead{300};

Cluster cluster_of(std::uint32_t ranks) {
  Cluster cluster = star(ranks, {.name = {}, .bandwidth = Bandwidth::from_bytes_per_second(1e9), .latency = kLatency});
  cluster.network.set(kMessageOverhead, kOverhead);
  return cluster;
}

/// What the cluster asks of a message that is alone.
constexpr Duration kAlpha = 2 * kLatency + kOverhead;

Duration replayed(const std::string& network, const CollectiveModel* algorithm, const CollectiveShape& shape) {
  DagMaker maker;
  const RendezvousId rendezvous =
      maker.builder.add_rendezvous({shape.op, algorithm, shape.bytes, shape.root, shape.buffered});
  for (std::uint32_t rank = 0; rank < shape.members; ++rank)
    maker.builder.join(rendezvous, maker.task(maker.lane(static_cast<Rank>(rank)), 123));
  const Dag dag = maker.build();
  const Cluster cluster = cluster_of(shape.members);
  Machine machine{dag};
  machine.set_network(*find_network_model(network), cluster);
  const Timeline timeline = replay(dag, machine);
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{};
}

std::vector<CollectiveShape> shapes() {
  std::vector<CollectiveShape> shapes;
  for (const CollectiveOp op :
       {CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter, CollectiveOp::kAllGather, CollectiveOp::kAllToAll,
        CollectiveOp::kBroadcast, CollectiveOp::kReduce, CollectiveOp::kSendRecv}) {
    for (const std::uint32_t members : {2U, 3U, 4U, 7U, 8U, 16U}) {
      for (const std::int64_t bytes : {1, 1000, 999'983, 1'048'576})
        shapes.push_back({op, members, Bytes{bytes}, members - 1});
    }
  }
  return shapes;
}

std::string text_of(const CollectiveModel& model, const CollectiveShape& shape) {
  return std::string(model.name) + ", op " + std::to_string(static_cast<int>(shape.op)) + ", " +
         std::to_string(shape.members) + " members, " + std::to_string(shape.bytes.count()) + " bytes";
}

TEST(CollectiveReplayTest, EveryAlgorithmTakesItsClosedFormWithoutContention) {
  const MessageCost cost{kAlpha, Bandwidth::from_bytes_per_second(1e9)};
  for (const CollectiveModel* const model : collective_models()) {
    for (const CollectiveShape& shape : shapes()) {
      if (!model->supports(shape)) continue;
      EXPECT_EQ(replayed("alpha_beta", model, shape), model->closed_form(shape, cost)) << text_of(*model, shape);
    }
  }
}

TEST(CollectiveReplayTest, RingsTakeItOnSharedLinksTooBecauseTheyShareNone) {
  const MessageCost cost{kAlpha, Bandwidth::from_bytes_per_second(1e9)};
  for (const CollectiveModel* const model : collective_models()) {
    if (model->name != "ring") continue;
    for (const CollectiveShape& shape : shapes()) {
      if (!model->supports(shape)) continue;
      EXPECT_EQ(replayed("maxmin", model, shape), model->closed_form(shape, cost)) << text_of(*model, shape);
    }
  }
}

/// An all-reduce of `members` of which only `rank` was captured, on a cluster of eight hosts.
Duration replayed_alone(std::uint32_t members, Rank rank) {
  DagMaker maker;
  const RendezvousId rendezvous =
      maker.builder.add_rendezvous({.op = CollectiveOp::kAllReduce, .bytes = Bytes{999'983}, .members = members});
  maker.builder.join(rendezvous, maker.task(maker.lane(rank), 123));
  const Dag dag = maker.build();
  const Cluster cluster = cluster_of(8);
  Machine machine{dag};
  machine.set_network(*find_network_model("maxmin"), cluster);
  return replay(dag, machine).finish.front() - Time{};
}

TEST(CollectiveReplayTest, RankThatIsAloneMeetsPeersThatComeWithIt) {
  for (const std::uint32_t members : {2U, 3U, 8U}) {
    const Duration whole = replayed("maxmin", nullptr, {CollectiveOp::kAllReduce, members, Bytes{999'983}});
    // Parts differ by a byte, and not every member gets the last of the largest.
    for (const Rank rank : {0, 5, 7})
      EXPECT_NEAR(static_cast<double>((replayed_alone(members, rank) - whole).count()), 0, 8)
          << members << " members, rank " << rank;
  }
}

TEST(CollectiveReplayTest, GroupThatTheClusterDoesNotHoldKeepsItsRecordedTime) {
  EXPECT_EQ(replayed_alone(9, 0), Duration{123});
}

TEST(CollectiveReplayTest, MembersOfAMessageEndApartByWhatBuffersSend) {
  // 1000 bytes, of which the last 400 follow from buffers.
  DagMaker maker;
  const RendezvousId rendezvous =
      maker.builder.add_rendezvous({CollectiveOp::kSendRecv, nullptr, Bytes{1000}, 0, Bytes{400}});
  const TaskId sender = maker.task(maker.lane(0), 1);
  const TaskId receiver = maker.task(maker.lane(1), 1);
  maker.builder.join(rendezvous, sender);
  maker.builder.join(rendezvous, receiver);
  const Dag dag = maker.build();
  const Cluster cluster = cluster_of(2);
  Machine machine{dag};
  machine.set_network(*find_network_model("maxmin"), cluster);

  const Timeline timeline = replay(dag, machine);

  EXPECT_EQ(timeline.finish[maker.new_id(sender).index()], Time{kAlpha + Duration{600}});
  EXPECT_EQ(timeline.finish[maker.new_id(receiver).index()], Time{2 * kAlpha + Duration{1000}});
}

}  // namespace
}  // namespace stepsim::sim
