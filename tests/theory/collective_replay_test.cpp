// Tests the engine's collectives against their closed forms. Each member is on a separate host, and collectives run one
// at a time, so nothing shares a link.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/cost/collective/algorithm.h"
#include "model/cost/network/network.h"
#include "model/job/topology.h"
#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"
#include "tests/thrown_by.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::thrown_by;

using stepsim::testing::DagMaker;

constexpr Duration kLatency{700};
constexpr Duration kOverhead{300};

Cluster cluster_of(std::uint32_t ranks) {
  Cluster cluster = star(ranks, {.name = {}, .bandwidth = Bandwidth::from_bytes_per_second(1e9), .latency = kLatency});
  cluster.network.set(kMessageOverhead, kOverhead);
  return cluster;
}

/// The time of a message without contention, except for its bytes.
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
    if (model->whole != nullptr) continue;  // NcclTakesWhatItsModelSaysIfItIsAlone tests nccl
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

/// Each rank is on a separate host, so NCCL's latencies for networks apply, which are longer than those of the cluster.
/// The model loggp is not tested, because its NIC cannot receive while it sends.
TEST(CollectiveReplayTest, NcclTakesWhatItsModelSaysIfItIsAlone) {
  const CollectivePlace place{.between = Bandwidth::from_bytes_per_second(1e9), .latency = 2 * kLatency};
  const CollectiveModel* const nccl = find_collective_model("nccl");
  for (const CollectiveShape& shape : shapes()) {
    if (!nccl->supports(shape)) continue;
    CollectivePlace there = place;
    there.hosts = shape.members;
    for (const std::string network : {"alpha_beta", "fifo", "maxmin"})
      EXPECT_EQ(replayed(network, nccl, shape), nccl->whole(shape, there)) << network << ", " << text_of(*nccl, shape);
  }
}

/// Returns the time of an NCCL collective of 64 MB between all endpoints.
Duration replayed_on(const Cluster& cluster, CollectiveOp op = CollectiveOp::kAllReduce) {
  DagMaker maker;
  const RendezvousId rendezvous =
      maker.builder.add_rendezvous({.op = op, .algorithm = find_collective_model("nccl"), .bytes = Bytes{64'000'000}});
  for (std::size_t rank = 0; rank < cluster.endpoints.size(); ++rank)
    maker.builder.join(rendezvous, maker.task(maker.lane(static_cast<Rank>(rank)), 123));
  const Dag dag = maker.build();
  Machine machine{dag};
  machine.set_network(*find_network_model("maxmin"), cluster);
  const Timeline timeline = replay(dag, machine);
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{};
}

constexpr Bandwidth gigabytes(double rate) { return Bandwidth::from_bytes_per_second(rate * 1e9); }

TEST(CollectiveReplayTest, NcclCountsOnAPartOfDataSheets) {
  const CollectiveModel& nccl = *find_collective_model("nccl");
  const CollectiveShape shape{CollectiveOp::kAllReduce, 8, Bytes{64'000'000}};
  const auto over = [&](double rate) { return nccl.whole(shape, {.inside = gigabytes(rate)}); };
  ClusterShape node{.hosts = {{"0"}}, .nic = {gigabytes(25)}};
  node.devices = 8;
  node.nvlink = Cable{gigabytes(300)};
  EXPECT_EQ(replayed_on(build_cluster(node)), over(0.73 * 300));
  node.nvlink->efficiency = 0.7;
  EXPECT_EQ(replayed_on(build_cluster(node)), over(0.7 * 300));
  node.nvlink.reset();
  node.pcie = Cable{gigabytes(31.5)};
  EXPECT_EQ(replayed_on(build_cluster(node)), over(0.76 * 31.5));
  node.pcie = Cable{.bandwidth = gigabytes(0.76 * 31.5), .is_bus = true};
  EXPECT_EQ(replayed_on(build_cluster(node)), over(0.76 * 31.5)) << "a bus bandwidth is not discounted";
  node.nvlink = Cable{.bandwidth = gigabytes(0.73 * 300), .is_bus = true};
  EXPECT_EQ(replayed_on(build_cluster(node)), over(0.73 * 300)) << "a bus bandwidth is not discounted";
  node.nvlink.reset();
  node.pcie = Cable{gigabytes(31.5)};

  // If the cluster gives the overhead of collectives, the model adds none of its own. A link without an efficiency then
  // keeps its full rate, which is treated as if it had been measured with ring collectives. A link with an efficiency
  // has its rate times the efficiency.
  const auto with_overhead = [](Cluster cluster) {
    cluster.network.set(kCollectiveOverhead, Duration{40'000});
    return replayed_on(cluster) - Duration{40'000};
  };
  EXPECT_EQ(with_overhead(build_cluster(node)),
            nccl.whole(shape, {.inside = gigabytes(31.5), .overhead_is_given = true, .rates_are_measured = true}));
  node.pcie->efficiency = 0.9;
  EXPECT_EQ(with_overhead(build_cluster(node)),
            nccl.whole(shape, {.inside = gigabytes(0.9 * 31.5), .overhead_is_given = true}));
}

TEST(CollectiveReplayTest, NcclUsesAllNicsOfAHost) {
  ClusterShape nodes{.hosts = {{"0"}, {"1"}}, .nic = {gigabytes(25), kLatency}};
  nodes.devices = nodes.nics = 4;
  nodes.nvlink = Cable{gigabytes(300)};
  const CollectiveShape shape{CollectiveOp::kAllReduce, 8, Bytes{64'000'000}};
  const CollectivePlace place{.hosts = 2, .inside = gigabytes(219), .between = gigabytes(100), .latency = 2 * kLatency};
  EXPECT_EQ(replayed_on(build_cluster(nodes)), find_collective_model("nccl")->whole(shape, place));
}

TEST(CollectiveReplayTest, NcclsAllToAllsTakeTheirTimeOnOwnAndOnSharedNics) {
  // The devices of a host share one NIC, or each has its own. In both cases the host's NICs carry half of every
  // member's payload.
  for (const std::uint32_t nics : {1U, 4U}) {
    ClusterShape nodes{.hosts = {{"0"}, {"1"}}, .nic = {gigabytes(100.0 / nics), kLatency}};
    nodes.devices = 4;
    nodes.nics = nics;
    nodes.nvlink = Cable{gigabytes(300)};
    const CollectiveShape shape{CollectiveOp::kAllToAll, 8, Bytes{64'000'000}};
    const CollectivePlace place{
        .hosts = 2, .inside = gigabytes(219), .between = gigabytes(100), .latency = 2 * kLatency};
    const Duration expected = find_collective_model("nccl")->whole(shape, place);
    const Duration found = replayed_on(build_cluster(nodes), CollectiveOp::kAllToAll);
    EXPECT_NEAR(static_cast<double>(found.count()), static_cast<double>(expected.count()),
                2e-3 * static_cast<double>(expected.count()))
        << nics;
  }
}

TEST(CollectiveReplayTest, DevicesWithoutPeerAccessShareTheirHostsMemory) {
  ClusterShape node{.hosts = {{"0"}}, .nic = {gigabytes(25)}};
  node.devices = 4;
  node.pcie = Cable{gigabytes(32)};
  const CollectiveShape shape{CollectiveOp::kAllReduce, 4, Bytes{64'000'000}};
  const auto over = [&](double rate) {
    return find_collective_model("nccl")->whole(shape, {.inside = gigabytes(rate)});
  };
  EXPECT_EQ(replayed_on(build_cluster(node)), over(0.76 * 32));
  node.peer_access = false;
  EXPECT_EQ(replayed_on(build_cluster(node)), over(0.76 * 32 / 4));
  node.device_model = "NVIDIA L40S";
  node.peer_access.reset();
  EXPECT_EQ(replayed_on(build_cluster(node)), over(0.76 * 32 / 4));
  node.pcie = Cable{.bandwidth = gigabytes(4), .is_bus = true};
  EXPECT_EQ(replayed_on(build_cluster(node)), over(4)) << "a bus bandwidth contains the sharing";
  node.pcie = Cable{gigabytes(32)};
  node.peer_access = true;
  EXPECT_EQ(replayed_on(build_cluster(node)), over(0.76 * 32));
  node.nvlink = Cable{gigabytes(300)};
  node.peer_access = false;
  EXPECT_EQ(replayed_on(build_cluster(node)), over(0.73 * 300)) << "NVLink needs no peer access over PCIe";
}

/// A message that is sent during a collective.
struct Beside {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Bytes bytes{};
  std::int64_t begins = 0;  ///< nanoseconds after the start of the collective
};

/// Returns when the members of a collective end, in a cluster with two more hosts. `others` are sent at the same time.
std::vector<Time> ends_of_ring(const std::string& network, const CollectiveShape& shape, Bandwidth rate,
                               const std::vector<Beside>& others, std::string_view algorithm = "ring") {
  DagMaker maker;
  const RendezvousId rendezvous = maker.builder.add_rendezvous(
      {shape.op, find_collective_model(algorithm), shape.bytes, shape.root, shape.buffered});
  std::vector<TaskId> members;
  for (std::uint32_t rank = 0; rank < shape.members; ++rank) {
    members.push_back(maker.task(maker.lane(static_cast<Rank>(rank)), 123));
    maker.builder.join(rendezvous, members.back());
  }
  for (const Beside& one : others) {
    const auto rank = static_cast<Rank>(one.from);
    const TaskId wait = maker.task(maker.lane(rank), one.begins);
    Lane link{.name = "link", .rank = rank, .kind = LaneKind::kLink};
    link.from = EndpointId{one.from};
    link.to = EndpointId{one.to};
    const TaskId message = maker.builder.add_task({.kind = TaskKind::kTransfer,
                                                   .name = maker.builder.intern("message"),
                                                   .lane = maker.builder.add_lane(link),
                                                   .bytes = one.bytes});
    maker.builder.add_edge(wait, message, EdgeKind::kData);
  }
  const Dag dag = maker.build();
  Cluster cluster = star(shape.members + 2, {.name = {}, .bandwidth = rate, .latency = kLatency, .efficiency = 0.957});
  cluster.network.set(kMessageOverhead, kOverhead);
  Machine machine{dag};
  machine.set_network(*find_network_model(network), cluster);
  const Timeline timeline = replay(dag, machine);
  std::vector<Time> ends;
  ends.reserve(members.size());
  for (const TaskId member : members) ends.push_back(timeline.finish[maker.new_id(member).index()]);
  return ends;
}

/// The engine computes the ends of a ring in advance while the ring has the network to itself. When another message
/// starts, it sends the ring's messages one by one instead. A message between two other hosts that lasts from start to
/// end makes the engine do so for the whole ring, but delays none of its messages.
TEST(CollectiveReplayTest, ForeseenEndsAreThoseOfTheMessagesWhateverElseIsSentAndWhen) {
  constexpr Bytes kLasting{10'000'000'000};
  for (const std::string network : {"alpha_beta", "fifo", "maxmin"}) {
    for (const CollectiveOp op :
         {CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter, CollectiveOp::kAllGather, CollectiveOp::kBroadcast}) {
      for (const std::uint32_t members : {2U, 3U, 7U}) {
        for (const std::int64_t bytes : {5, 50'021, 2'000'003}) {
          for (const double rate : {1.25e8, 1.25e9}) {
            const CollectiveShape shape{op, members, Bytes{bytes}, 1};
            const auto ends = [&,
                               bandwidth = Bandwidth::from_bytes_per_second(rate)](const std::vector<Beside>& others) {
              return ends_of_ring(network, shape, bandwidth, others);
            };
            const Beside lasting{members, members + 1, kLasting, 0};
            const std::vector<Time> foreseen = ends({});
            EXPECT_EQ(ends({lasting}), foreseen) << network << ", " << members << " members, " << bytes << " bytes";
            const std::int64_t last = (*std::max_element(foreseen.begin(), foreseen.end()) - Time{}).count();
            for (const std::int64_t begins : {std::int64_t{1}, last / 3, last / 2, last - 1, last}) {
              for (const Beside& other : {Beside{members + 1, members, Bytes{5'000}, begins},
                                          Beside{0, 1, Bytes{5'000}, begins}, Beside{1, 0, Bytes{70'000}, begins}}) {
                EXPECT_EQ(ends({other}), ends({lasting, other}))
                    << network << ", op " << static_cast<int>(op) << ", " << members << " members, " << bytes
                    << " bytes, and from " << other.from << " to " << other.to << " after " << begins << " ns";
              }
            }
          }
        }
      }
    }
  }
}

TEST(CollectiveReplayTest, ForeseenEndsOfNcclAreThoseOfItsMessagesToo) {
  constexpr Bytes kLasting{10'000'000'000};
  for (const std::string network : {"alpha_beta", "fifo", "maxmin"}) {
    for (const std::uint32_t members : {2U, 5U}) {
      for (const std::int64_t bytes : {5, 2'000'003}) {
        const CollectiveShape shape{CollectiveOp::kAllReduce, members, Bytes{bytes}};
        const auto ends = [&](const std::vector<Beside>& others) {
          return ends_of_ring(network, shape, Bandwidth::from_bytes_per_second(1.25e9), others, "nccl");
        };
        const Beside lasting{members, members + 1, kLasting, 0};
        const std::vector<Time> foreseen = ends({});
        EXPECT_EQ(ends({lasting}), foreseen) << network << ", " << members << " members, " << bytes << " bytes";
        const std::int64_t last = (foreseen.front() - Time{}).count();
        for (const std::int64_t begins : {std::int64_t{1}, last / 2, last - 1, last}) {
          const Beside other{0, 1, Bytes{70'000}, begins};
          EXPECT_EQ(ends({other}), ends({lasting, other})) << network << ", after " << begins << " ns";
        }
      }
    }
  }
}

TEST(CollectiveReplayTest, CollectiveOfTooManyMessagesIsRefusedUnlessItsEndsAreForeseen) {
  // The ring has 2 * 11,999 rounds of 12,000 messages, which are 288 million messages.
  const CollectiveShape shape{CollectiveOp::kAllReduce, 12'000, Bytes{12'000'000}};
  const Bandwidth rate = Bandwidth::from_bytes_per_second(1e9);
  EXPECT_EQ(ends_of_ring("maxmin", shape, rate, {}).size(), 12'000U);
  EXPECT_EQ(thrown_by<UsageError>([&] {
              return ends_of_ring("maxmin", shape, rate, {{0, 1, Bytes{5'000}, 1'000}});
            }),
            "a collective of 12000 ranks that does not have the network to itself brings the messages of a replay "
            "to 287976000; expected at most 250000000: fewer ranks");
}

/// Returns the time of an all-reduce with `members` members, of which only `rank` was captured, on a cluster of eight
/// hosts.
Duration replayed_alone(std::uint32_t members, Rank rank) {
  DagMaker maker;
  const GroupId group = maker.builder.add_group({.size = members});
  const RendezvousId rendezvous =
      maker.builder.add_rendezvous({.op = CollectiveOp::kAllReduce, .bytes = Bytes{999'983}, .group = group});
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
    // The parts of the payload differ by a byte, so the last part that a member receives may be a byte shorter.
    for (const Rank rank : {0, 5, 7}) {
      EXPECT_NEAR(static_cast<double>((replayed_alone(members, rank) - whole).count()), 0, 8)
          << members << " members, rank " << rank;
    }
  }
}

TEST(CollectiveReplayTest, GroupThatTheClusterDoesNotHoldIsRefused) {
  EXPECT_EQ(thrown_by<UsageError>([] { return replayed_alone(9, 0).count(); }),
            "the cluster has 8 endpoints, and endpoint 8 of the job sends or receives; expected one for each rank (or "
            "worker and server) of the job");
}

TEST(CollectiveReplayTest, MembersOfAMessageEndApartByWhatBuffersSend) {
  // The message has 1000 bytes. The last 400 are still in the sender's buffer when its call ends.
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
