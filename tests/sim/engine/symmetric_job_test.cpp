// Of a symmetric job, only the messages of the first members are simulated (Machine::sending_members()). Every task has
// the same times, to the nanosecond, as if all messages were. If ranks share links, the end of each message is rounded
// to nanoseconds in another way: members that do the same then also differ from each other if all messages are
// simulated.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "model/cost/network/maxmin.h"
#include "model/cost/network/network.h"
#include "model/job/topology.h"
#include "sim/engine/engine.h"
#include "tests/sim/dag_maker.h"

namespace stepsim::sim {
namespace {

using stepsim::testing::DagMaker;

/// A job whose ranks compute and take part in the same collectives, several of them at a time.
struct Job {
  std::uint32_t ranks = 4;
  std::vector<Collective> collectives;
  std::uint32_t seed = 1;
  /// Adds a connection between two ranks that nothing uses. The job may then have messages outside collectives, so all
  /// messages are simulated.
  bool has_connection = false;

  [[nodiscard]] Dag dag() const {
    DagMaker maker;
    std::mt19937 generator(seed);
    std::vector<RendezvousId> all;
    for (const Collective& collective : collectives) all.push_back(maker.builder.add_rendezvous(collective));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const LaneId compute = maker.lane(static_cast<Rank>(rank));
      TaskId last = maker.task(compute, 10);
      std::vector<TaskId> ends;
      for (const RendezvousId rendezvous : all) {
        last = maker.task(compute, static_cast<std::int64_t>(generator() % 40'000), {last});
        const TaskId member = maker.task(maker.lane(static_cast<Rank>(rank)), 7, {last});
        maker.builder.join(rendezvous, member);
        ends.push_back(member);
      }
      for (const TaskId end : ends) maker.builder.add_edge(end, maker.task(compute, 5), EdgeKind::kData);
    }
    if (has_connection)
      maker.builder.add_lane({.name = "connection", .rank = 0, .from = EndpointId{0}, .to = EndpointId{1}});
    return maker.build();
  }
};

struct Replayed {
  std::optional<std::uint32_t> senders;
  Timeline timeline;
};

Replayed replayed(Job job, std::string_view network, const Cluster& cluster, bool all_messages = false) {
  job.has_connection = all_messages;
  const Dag dag = job.dag();
  Machine machine{dag};
  machine.set_network(*find_network_model(network), cluster);
  Timeline timeline = replay(dag, machine);
  return {machine.sending_members(), std::move(timeline)};
}

/// Expects equal times, but for `rounding`. Returns the number of members that send messages, 0 if all do.
std::uint32_t expect_same_times(const Job& job, std::string_view network, const Cluster& cluster,
                                Duration rounding = {}) {
  const Replayed few = replayed(job, network, cluster);
  const Replayed all = replayed(job, network, cluster, true);
  EXPECT_EQ(all.senders, std::nullopt);
  for (std::size_t i = 0; i < all.timeline.finish.size(); ++i) {
    EXPECT_LE(std::chrono::abs(few.timeline.start[i] - all.timeline.start[i]), rounding) << i;
    EXPECT_LE(std::chrono::abs(few.timeline.finish[i] - all.timeline.finish[i]), rounding) << i;
  }
  return few.senders.value_or(0);
}

Cable cable(double bytes_per_second) {
  return {.bandwidth = Bandwidth::from_bytes_per_second(bytes_per_second), .latency = Duration{1300}};
}

ClusterShape equal_hosts(std::size_t count, std::uint32_t devices = 0) {
  ClusterShape shape{.hosts = numbered_hosts(count), .nic = cable(1.1e9), .devices = devices};
  if (devices > 0) shape.nvlink = cable(3.7e10);
  return shape;
}

struct Case {
  std::string name;
  ClusterShape shape;
  std::uint32_t ranks = 4;
  std::uint32_t block = 1;
  bool shares_links = false;  ///< true if several ranks share a link
};

/// One nanosecond for each round of the job's collectives.
Duration rounding_of(const Job& job) {
  Duration rounding{};
  for (const Collective& collective : job.collectives) {
    const CollectiveShape shape = shape_of(collective, job.ranks, 1);
    rounding += Duration{model_for(shape, collective.algorithm)->rounds(shape)};
  }
  return rounding;
}

std::vector<Case> cases() {
  ClusterShape half = equal_hosts(5);
  half.nic.full_duplex = false;
  ClusterShape rails = equal_hosts(3, 4);
  rails.nics = 4;
  ClusterShape shared = equal_hosts(4, 4);
  shared.pcie = cable(2e10);
  ClusterShape tree = equal_hosts(16);
  tree.tiers = {{.ports = 4, .oversubscription = 3, .latency = Duration{300}}};
  return {{"two_hosts", equal_hosts(2), 2, 1},  {"star", equal_hosts(9), 9, 1},       {"half_duplex", half, 5, 1},
          {"devices", equal_hosts(4, 2), 8, 2}, {"shared_nics", shared, 16, 4, true}, {"rails", rails, 12, 4, true},
          {"tree", tree, 16, 4, true}};
}

constexpr std::array kOps{CollectiveOp::kAllReduce, CollectiveOp::kAllGather, CollectiveOp::kReduceScatter,
                          CollectiveOp::kAllToAll};

class SymmetricJobTest : public ::testing::TestWithParam<Case> {};

TEST_P(SymmetricJobTest, TimesAreThoseOfAllMessages) {
  const Case& one = GetParam();
  std::mt19937 generator(17);
  for (const std::string_view network : {"maxmin", "alpha_beta"}) {
    for (const std::string_view algorithm : {"", "ring", "direct", "hierarchical", "nccl"}) {
      for (std::uint32_t seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE(fmt::format("{} {}, seed {}", network, algorithm, seed));
        Job job{.ranks = one.ranks, .seed = seed};
        for (std::uint32_t i = 0; i < 1 + seed; ++i) {
          const CollectiveOp op = kOps[generator() % (algorithm == "nccl" ? 3 : 4)];
          const auto bytes = static_cast<std::int64_t>(1 + generator() % 3'000'000);
          job.collectives.push_back({.op = op, .algorithm = find_collective_model(algorithm), .bytes = Bytes{bytes}});
        }
        Cluster cluster = build_cluster(one.shape);
        cluster.network.set(kMessageOverhead, Duration{seed % 3 * 700});
        const Duration rounding = one.shares_links ? rounding_of(job) : Duration{};
        EXPECT_EQ(expect_same_times(job, network, cluster, rounding), one.block);
        cluster.network.set(kSharing, 0.5);
        expect_same_times(job, network, cluster, rounding);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Clusters, SymmetricJobTest, ::testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

const Collective kAllReduce{.op = CollectiveOp::kAllReduce, .bytes = Bytes{1'000'000}};

TEST(SymmetricJobTest, AllMessagesAreSimulatedIfMovedOnesDiffer) {
  const Cluster star = build_cluster(equal_hosts(8));
  const auto senders = [](const Job& job, std::string_view network, const Cluster& cluster) {
    return replayed(job, network, cluster).senders;
  };
  EXPECT_EQ(senders({.ranks = 8, .collectives = {kAllReduce}}, "maxmin", star), 1U);
  EXPECT_EQ(senders({.ranks = 8, .collectives = {kAllReduce}}, "fifo", star), std::nullopt);
  EXPECT_EQ(senders({.ranks = 8, .collectives = {kAllReduce}}, "loggp", star), std::nullopt);
  const Collective broadcast{.op = CollectiveOp::kBroadcast, .bytes = Bytes{1'000'000}};
  EXPECT_EQ(senders({.ranks = 8, .collectives = {kAllReduce, broadcast}}, "maxmin", star), std::nullopt);
  for (const std::string_view algorithm : {"tree", "halving_doubling"}) {
    Collective other = kAllReduce;
    other.algorithm = find_collective_model(algorithm);
    EXPECT_EQ(senders({.ranks = 8, .collectives = {kAllReduce, other}}, "maxmin", star), std::nullopt) << algorithm;
  }
  ClusterShape slow = equal_hosts(8);
  slow.differ.emplace(HostId{3}, cable(1e8));
  EXPECT_EQ(senders({.ranks = 8, .collectives = {kAllReduce}}, "maxmin", build_cluster(slow)), std::nullopt);
}

TEST(SymmetricJobTest, UnfairSharingMattersOnlyWhereSendersShareALink) {
  const auto senders = [](ClusterShape shape, std::uint32_t ranks, std::string_view algorithm) {
    Cluster cluster = build_cluster(std::move(shape));
    cluster.network.set(kSharing, 0.5);
    Collective collective = kAllReduce;
    collective.algorithm = find_collective_model(algorithm);
    return expect_same_times({.ranks = ranks, .collectives = {collective, collective}}, "maxmin", cluster);
  };
  EXPECT_EQ(senders(equal_hosts(8), 8, "ring"), 1U);
  EXPECT_EQ(senders(equal_hosts(4, 2), 8, "ring"), 2U);
  EXPECT_EQ(senders(equal_hosts(8), 8, "direct"), 0U) << "members in different rounds send to the same one";
  EXPECT_EQ(senders(equal_hosts(4, 2), 8, "hierarchical"), 0U) << "the members of a host share its NIC";
  ClusterShape half = equal_hosts(8);
  half.nic.full_duplex = false;
  EXPECT_EQ(senders(half, 8, "ring"), 0U) << "a link carries what a host sends and what it receives";
}

TEST(SymmetricJobTest, AllToAllsTimedAsAWholeKeepAllTheirMessagesOnHostsOfSeveralRanks) {
  Job job{.ranks = 8,
          .collectives = {
              {.op = CollectiveOp::kAllToAll, .algorithm = find_collective_model("nccl"), .bytes = Bytes{1'000'000}}}};
  EXPECT_EQ(expect_same_times(job, "maxmin", build_cluster(equal_hosts(8))), 1U);
  EXPECT_EQ(expect_same_times(job, "maxmin", build_cluster(equal_hosts(4, 2))), 0U);
}

}  // namespace
}  // namespace stepsim::sim
