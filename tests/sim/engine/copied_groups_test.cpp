// Groups of copies send no messages in a replay, and share links all the same. A replay of copies is compared with one
// in which every rank has tasks of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/base/units.h"
#include "model/cost/collective/algorithm.h"
#include "model/job/dag_builder.h"
#include "model/job/topology.h"
#include "sim/engine/engine.h"
#include "sim/engine/machine.h"

namespace stepsim::sim::copied_groups_test {
namespace {

constexpr double kNic = 25e9;
constexpr Rank kDevices = 8;  // of a host
constexpr Duration kLatency{5'000};

/// Two hosts of eight devices, of which as many share a NIC as the numbers say.
Cluster hosts_with(std::uint32_t nics, double rate = kNic) {
  const auto cable = [](double bytes_per_second) {
    return Cable{.bandwidth = Bandwidth::from_bytes_per_second(bytes_per_second), .latency = kLatency};
  };
  return build_cluster({.hosts = numbered_hosts(2),
                        .nic = cable(rate),
                        .nics = nics,
                        .devices = kDevices,
                        .device_model = "A100",
                        .nvlink = cable(300e9)});
}

/// A group of ranks of two hosts; `Group::copy_of` is not set.
Group every(Rank first, Rank distance) {
  Group group;
  for (Rank rank = first; rank < 2 * kDevices; rank += distance) group.ranks.push_back(rank);
  group.size = static_cast<std::uint32_t>(group.ranks.size());
  return group;
}

class Job {
 public:
  explicit Job(const char* algorithm) : algorithm_(find_collective_model(algorithm)) {}

  /// Adds a collective of the group's ranks, of which those in `with_tasks` are simulated.
  void add(CollectiveOp op, Group group, const std::vector<Rank>& with_tasks) {
    const RendezvousId rendezvous = builder_.add_rendezvous(
        {.op = op, .algorithm = algorithm_, .bytes = Bytes{96'000'000}, .group = builder_.add_group(std::move(group))});
    for (const Rank rank : with_tasks) {
      builder_.join(rendezvous, builder_.add_task({.kind = TaskKind::kCollective,
                                                   .name = builder_.intern("x"),
                                                   .lane = builder_.add_lane({.rank = rank})}));
    }
  }
  /// Makes every rank a copy of the first one of `count` ranks that follow each other.
  void copy_ranks(Rank count) {
    Group all = every(0, 1);
    for (const Rank rank : all.ranks) all.copy_of.push_back(static_cast<std::uint32_t>(rank / count * count));
    builder_.add_group(std::move(all));
  }

  [[nodiscard]] Time end(const Cluster& cluster, const char* model = "maxmin") && {
    const Dag dag = std::move(builder_).build().dag;
    Machine machine{dag};
    machine.set_network(*find_network_model(model), cluster);
    const Timeline timeline = replay(dag, machine);
    return *std::max_element(timeline.finish.begin(), timeline.finish.end());
  }

 private:
  const CollectiveModel* algorithm_;
  DagBuilder builder_;
};

/// The end of all-reduces among the ranks that are `distance` apart, in which every rank has tasks.
Time of_all_ranks(const char* algorithm, Rank distance, const Cluster& cluster) {
  Job job(algorithm);
  for (Rank first = 0; first < distance; ++first) {
    const Group group = every(first, distance);
    job.add(CollectiveOp::kAllReduce, group, group.ranks);
  }
  return std::move(job).end(cluster);
}

/// The same, in which all ranks are copies of the first.
Time of_first_rank(const char* algorithm, Rank distance, const Cluster& cluster) {
  Job job(algorithm);
  Group group = every(0, distance);
  group.copy_of.assign(group.ranks.size(), 0);
  job.add(CollectiveOp::kAllReduce, std::move(group), {0});
  job.copy_ranks(2 * kDevices);
  return std::move(job).end(cluster);
}

TEST(CopiedGroupsTest, GroupsOfCopiesShareTheNicsOfTheirHosts) {
  for (const std::uint32_t nics : {1U, 2U, 4U, 8U}) {
    const Cluster cluster = hosts_with(nics);
    EXPECT_EQ(of_first_rank("ring", 8, cluster), of_all_ranks("ring", 8, cluster)) << nics << " NICs on a host";
  }
}

TEST(CopiedGroupsTest, ANicIsSharedByAsManyRingsAsThereAreGroups) {
  // Two members exchange half of their data twice. Eight groups share one NIC.
  const Duration round =
      2 * kLatency + transfer_time(Bytes{std::int64_t{8} * 48'000'000}, Bandwidth::from_bytes_per_second(kNic));
  EXPECT_EQ(of_first_rank("ring", 8, hosts_with(1)), Time{} + 2 * round);
}

TEST(CopiedGroupsTest, NcclHasTheShareOfTheNicThatItsGroupHas) {
  const auto lone = [](Rank distance, const Cluster& cluster) {
    Job job("nccl");
    job.add(CollectiveOp::kAllReduce, every(0, distance), {0});
    return std::move(job).end(cluster);
  };
  for (const Rank groups : {1, 2, 4, 8})
    EXPECT_EQ(of_first_rank("nccl", groups, hosts_with(1)), lone(groups, hosts_with(1, kNic / groups))) << groups;
  EXPECT_EQ(of_first_rank("nccl", 8, hosts_with(8)), lone(8, hosts_with(8)));
  EXPECT_EQ(of_first_rank("nccl", 8, hosts_with(4)), lone(8, hosts_with(4, kNic / 2)));
}

TEST(CopiedGroupsTest, MessagesOfCopiesShareTheNicsOfTheirHosts) {
  for (const std::uint32_t nics : {1U, 4U, 8U}) {
    const Cluster cluster = hosts_with(nics);
    const auto message = [](Rank from) {
      return Group{.name = {}, .size = 2, .ranks = {from, from + kDevices}, .copy_of = {}};
    };
    Job all("direct");
    for (Rank rank = 0; rank < kDevices; ++rank)
      all.add(CollectiveOp::kSendRecv, message(rank), {rank, rank + kDevices});
    Job some("direct");
    some.add(CollectiveOp::kSendRecv, message(0), {0, kDevices});
    some.copy_ranks(kDevices);
    EXPECT_EQ(std::move(some).end(cluster), std::move(all).end(cluster)) << nics << " NICs on a host";
  }
}

TEST(CopiedGroupsTest, GroupsInsideAHostShareNothing) {
  Job job("ring");
  Group inside{.name = {}, .size = 4, .ranks = {0, 1, 2, 3}, .copy_of = {}};
  job.add(CollectiveOp::kAllReduce, inside, {0});
  const Time alone = std::move(job).end(hosts_with(1));
  Job with_copies("ring");
  inside.copy_of.assign(4, 0);
  with_copies.add(CollectiveOp::kAllReduce, inside, {0});
  with_copies.copy_ranks(kDevices);
  EXPECT_EQ(std::move(with_copies).end(hosts_with(1)), alone);
}

TEST(CopiedGroupsTest, AModelWithoutContentionHasNone) {
  const auto time = [](bool copies) {
    Job job("ring");
    Group group = every(0, 8);
    group.copy_of.assign(2, 0);
    job.add(CollectiveOp::kAllReduce, std::move(group), {0});
    if (copies) job.copy_ranks(kDevices);
    return std::move(job).end(hosts_with(1), "alpha_beta");
  };
  EXPECT_EQ(time(true), time(false));
}

}  // namespace
}  // namespace stepsim::sim::copied_groups_test
