#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "model/cost/network/network.h"
#include "model/job/topology.h"
#include "sim/engine/collectives_alone.h"
#include "sim/engine/engine.h"
#include "tests/property/random_dag.h"
#include "tests/sim/workloads.h"

/// Tests properties of every registered network model.
namespace stepsim::sim {
namespace {

using stepsim::testing::random_dag;
using stepsim::testing::RandomDagShape;
using stepsim::testing::test_seed;

constexpr std::uint32_t kGraphs = 200;

/// Returns three hosts on a switch. At scale 1 and speed 1 a link moves a byte per nanosecond.
Cluster three_hosts(std::int64_t scale = 1, double speed = 1) {
  const double rate = 1e9 / static_cast<double>(scale) * speed;
  Cluster cluster = star(3, {.bandwidth = Bandwidth::from_bytes_per_second(rate), .latency = Duration{2 * scale}});
  cluster.network.set_value(*find_network_parameter("loggp.o"), Duration{scale});
  cluster.network.set(kMessageOverhead, Duration{scale});
  return cluster;
}

std::optional<Timeline> replay_under(const NetworkModel& model, const Dag& dag, const Cluster& cluster,
                                     const EngineOptions& options = {}) {
  Machine machine{dag};
  machine.set_network(model, cluster);
  try {
    return replay(dag, machine, options);
  } catch (const DeadlockError&) {
    return std::nullopt;
  }
}

Duration makespan(const Timeline& timeline) {
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{};
}

/// Returns which task released each task, and how.
std::vector<std::pair<Release::By, TaskId>> releases(const Timeline& timeline) {
  std::vector<std::pair<Release::By, TaskId>> by;
  for (const Release& one : timeline.released_by) by.emplace_back(one.by(), one.task());
  return by;
}

class NetworkPropertyTest : public ::testing::TestWithParam<const NetworkModel*> {
 protected:
  [[nodiscard]] static const NetworkModel& model() { return *GetParam(); }
};

TEST_P(NetworkPropertyTest, ThreadCountNeverChangesTheTimeline) {
  const Cluster cluster = three_hosts();
  for (std::uint32_t i = 0; i < kGraphs; ++i) {
    SCOPED_TRACE("STEPSIM_TEST_SEED=" + std::to_string(test_seed()) + " + " + std::to_string(i));
    std::mt19937 generator{test_seed() + i};
    const Dag dag = random_dag(
        generator, {.most_tasks = 100, .fifo_lanes = i % 2 == 0, .all_queues = i % 4 == 0, .messages = true});
    const auto serial = replay_under(model(), dag, cluster);
    for (const int threads : {2, 3, 7, 16}) {
      const auto threaded =
          replay_under(model(), dag, cluster, {.threads = threads, .grain = {.tasks = 0, .round = 0}});
      ASSERT_EQ(threaded.has_value(), serial.has_value());
      if (!serial) continue;
      ASSERT_EQ(threaded->start, serial->start);
      ASSERT_EQ(threaded->finish, serial->finish);
      ASSERT_EQ(threaded->last_arrival, serial->last_arrival);
      ASSERT_EQ(releases(*threaded), releases(*serial));
    }
  }
}

/// If every duration, latency and overhead is doubled and every rate halved, everything must take exactly twice as
/// long. Only maxmin may differ by a few nanoseconds: messages share a link's rate, so the exact end of a message can
/// lie between two nanoseconds and is rounded. All durations are 0 or at least a millisecond, so a rounding error of a
/// nanosecond is at most a millionth of them.
TEST_P(NetworkPropertyTest, TwiceTheTimesAndHalfTheRatesTakeTwiceAsLong) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  for (std::uint32_t i = 0; i < kGraphs; ++i) {
    SCOPED_TRACE("STEPSIM_TEST_SEED=" + std::to_string(test_seed()) + " + " + std::to_string(i));
    // A difference of a nanosecond by rounding could change the order on a FIFO lane, so there are no such lanes.
    RandomDagShape shape{.fifo_lanes = false, .scale = kMillisecond, .messages = true};
    std::mt19937 generator{test_seed() + i};
    const Dag dag = random_dag(generator, shape);
    shape.scale = 2 * kMillisecond;
    generator.seed(test_seed() + i);
    const Dag doubled = random_dag(generator, shape);
    const auto once = replay_under(model(), dag, three_hosts(kMillisecond));
    const auto twice = replay_under(model(), doubled, three_hosts(2 * kMillisecond));
    ASSERT_TRUE(once && twice);
    const Duration difference = makespan(*twice) - 2 * makespan(*once);
    const bool between_nanoseconds = model().name == "maxmin";
    EXPECT_LE(std::abs(difference.count()), between_nanoseconds ? 4 : 0);
  }
}

TEST_P(NetworkPropertyTest, ATaskNeverStartsBeforeItsPredecessorsLetItNorTakesLessThanItsBytesAlone) {
  const Cluster cluster = three_hosts();
  std::uint32_t replays = 0;
  std::uint32_t messages = 0;
  for (std::uint32_t i = 0; i < kGraphs; ++i) {
    std::mt19937 generator{test_seed() + i};
    const Dag dag = random_dag(generator, {.all_queues = i % 2 == 0, .messages = true});
    const auto timeline = replay_under(model(), dag, cluster);
    if (!timeline) continue;
    ++replays;
    for (std::size_t t = 0; t < dag.task_count(); ++t) {
      for (std::size_t e = dag.first_edge(TaskId{t}).index(); e < dag.first_edge(TaskId{t + 1}).index(); ++e) {
        ASSERT_GE(timeline->start[dag.target(EdgeId{e}).index()], timeline->finish[t] + dag.lag(EdgeId{e})) << t;
      }
      const Lane& lane = dag.lane(TaskId{t});
      const bool is_message = model().make != nullptr && lane.from.valid() && !dag.rendezvous(TaskId{t}).valid();
      if (!is_message || lane.from == lane.to) continue;
      ++messages;
      const Duration alone{dag.bytes(TaskId{t}).count() + 4};  // the time of its bytes and the latency of two links
      ASSERT_GE(timeline->finish[t] - timeline->start[t], alone - Duration{1}) << "task " << t;
    }
  }
  EXPECT_GT(replays, kGraphs / 2);
  EXPECT_EQ(messages > 0, model().make != nullptr);
}

TEST_P(NetworkPropertyTest, MoreBandwidthIsNeverSlowerInARing) {
  const Dag dag = testing::ring_workload({.ranks = 5, .all_reduces = 3, .bytes = Bytes{1000}, .jitter = 300});
  Duration before = Duration::max();
  for (const double rate : {1e8, 1.5e8, 2e8, 7e8, 1e9, 1e10}) {
    const Cluster cluster = star(5, {.bandwidth = Bandwidth::from_bytes_per_second(rate), .latency = Duration{1000}});
    const Duration now = makespan(*replay_under(model(), dag, cluster));
    EXPECT_LE(now, before) << rate;
    before = now;
  }
}

TEST_P(NetworkPropertyTest, MessagesWithoutBytesAndOneRankAloneTakeNoBandwidth) {
  const Dag zero = testing::ring_workload({.ranks = 4, .all_reduces = 2, .bytes = Bytes{0}});
  const auto fast = star(4, {.bandwidth = Bandwidth::from_bytes_per_second(1e12), .latency = Duration{50}});
  const auto slow = star(4, {.bandwidth = Bandwidth::from_bytes_per_second(1), .latency = Duration{50}});
  EXPECT_EQ(makespan(*replay_under(model(), zero, fast)), makespan(*replay_under(model(), zero, slow)));
}

/// Returns a dag of `ranks` ranks with one collective for each algorithm, operation and payload that fit.
Dag every_collective(std::uint32_t ranks) {
  DagBuilder builder;
  const NameId name = builder.intern("collective");
  std::vector<LaneId> lanes;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    lanes.push_back(builder.add_lane({.rank = static_cast<Rank>(rank)}));
  const auto add = [&](const Collective& collective, std::size_t members) {
    const RendezvousId rendezvous = builder.add_rendezvous(collective);
    for (std::size_t rank = 0; rank < members; ++rank)
      builder.join(rendezvous, builder.add_task({.kind = TaskKind::kCollective, .name = name, .lane = lanes[rank]}));
  };
  for (const CollectiveModel* const algorithm : collective_models()) {
    for (const CollectiveOp op :
         {CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter, CollectiveOp::kAllGather, CollectiveOp::kBroadcast,
          CollectiveOp::kReduce, CollectiveOp::kAllToAll, CollectiveOp::kSendRecv}) {
      const std::uint32_t members = op == CollectiveOp::kSendRecv ? 2 : ranks;
      for (const std::int64_t bytes : {1'000, 300'000, 20'000'000, 1'000'000'000}) {
        const Collective collective{.op = op, .algorithm = algorithm, .bytes = Bytes{bytes}};
        if (algorithm->supports(shape_of(collective, members, 1))) add(collective, members);
      }
    }
  }
  return std::move(builder).build().dag;
}

/// Clusters of eight ranks with their names: a star, and hosts whose links are of a kind that a data sheet names.
std::vector<std::pair<std::string, Cluster>> clusters_of_eight() {
  const auto gb_s = [](double rate) { return Bandwidth::from_bytes_per_second(rate * 1e9); };
  const auto gpus = [&](std::size_t hosts, double nvlink, double pcie, std::string device) {
    ClusterShape shape{.hosts = numbered_hosts(hosts), .nic = {gb_s(50), Duration{2'000}}};
    shape.devices = static_cast<std::uint32_t>(8 / hosts);
    shape.device_model = std::move(device);
    (nvlink > 0 ? shape.nvlink : shape.pcie) = Cable{gb_s(nvlink > 0 ? nvlink : pcie), Duration{300}};
    return build_cluster(std::move(shape));
  };
  return {{"star", star(8, {.bandwidth = gb_s(12.5), .latency = Duration{5'000}})},
          {"NVLink 3 of unnamed GPUs", gpus(1, 300, 0, "")},
          {"NVLink 4 on two hosts", gpus(2, 450, 0, "")},
          {"A100 on two hosts", gpus(2, 300, 0, "A100")},
          {"PCIe without peer access", gpus(1, 0, 32, "L40S")},
          {"PCIe 5 on two hosts", gpus(2, 0, 63, "")}};
}

/// Adds a table of measured all-reduces, which takes the collective model `nccl` times as long as this model says.
void measure(Cluster& cluster, double factor, const NetworkModel& model) {
  DagBuilder builder;
  const NameId name = builder.intern("all-reduce");
  std::vector<LaneId> lanes;
  for (Rank rank = 0; rank < 8; ++rank) lanes.push_back(builder.add_lane({.rank = rank}));
  const std::vector<Bytes> sizes{Bytes{1'000}, Bytes{1'000'000}, Bytes{1'000'000'000}};
  for (const Bytes bytes : sizes) {
    const RendezvousId rendezvous = builder.add_rendezvous(
        {.op = CollectiveOp::kAllReduce, .algorithm = find_collective_model("nccl"), .bytes = bytes});
    for (const LaneId lane : lanes)
      builder.join(rendezvous, builder.add_task({.kind = TaskKind::kCollective, .name = name, .lane = lane}));
  }
  const std::vector<Duration> times = collectives_alone(std::move(builder).build().dag, model, cluster);
  const Bandwidth link = Bandwidth::from_bytes_per_second(20e9);
  const std::uint32_t hosts = cluster.hosts.size() == 8 ? 8 : static_cast<std::uint32_t>(cluster.hosts.size());
  MeasuredCollective table{CollectiveOp::kAllReduce, 8, hosts, link, link, {}};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto time = static_cast<double>(times[i].count());
    table.times.emplace_back(sizes[i], Duration{std::llround(time * factor)});
  }
  cluster.measured = {table};
}

/// Links that are f times as fast save at most a factor of f, and links of 1 / f of the rate cost at most a factor of
/// f: latencies do not change. That holds for each collective, whichever model gives its time, and with measured times
/// that are shorter or longer than the model's.
TEST_P(NetworkPropertyTest, FTimesTheBandwidthChangesACollectiveByAtMostF) {
  if (model().make == nullptr) return;
  const Dag dag = every_collective(8);
  for (const auto& [name, built] : clusters_of_eight()) {
    for (const double measured : {0.0, 0.3, 3.0}) {
      Cluster before = built;
      if (measured > 0) measure(before, measured, model());
      const std::vector<Duration> times = collectives_alone(dag, model(), before);
      for (const double factor : {0.1, 0.5, 1.0, 2.0, 10.0, 100.0}) {
        Cluster after = before;
        for (Link& link : after.links) {
          link.change_bandwidth(Bandwidth::from_bytes_per_second(link.bandwidth.bytes_per_second() * factor));
        }
        const std::vector<Duration> changed = collectives_alone(dag, model(), after);
        for (std::size_t i = 0; i < times.size(); ++i) {
          const Collective& collective = dag.collective(RendezvousId{i});
          SCOPED_TRACE(name + ", measured " + std::to_string(measured) + ", rates " + std::to_string(factor) + ", " +
                       std::string(collective.algorithm->name) + " operation " +
                       std::to_string(static_cast<int>(collective.op)) + " of " +
                       std::to_string(collective.bytes.count()));
          ASSERT_GT(times[i], Duration{});
          const auto linear = static_cast<double>(times[i].count()) / factor;
          const auto now = static_cast<double>(changed[i].count());
          // Each message of each round, and each of loggp's steps, is rounded to a nanosecond.
          const double rounding = 4 * collective.algorithm->rounds(shape_of(collective, 8, 1)) + 4;
          if (factor == 1) {
            EXPECT_EQ(changed[i], times[i]);
          } else if (factor > 1) {
            EXPECT_GE(now, linear - rounding);
            EXPECT_LE(changed[i], times[i]);
          } else {
            EXPECT_LE(now, linear + rounding / factor);
            EXPECT_GE(changed[i], times[i]);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, NetworkPropertyTest,
                         ::testing::ValuesIn(network_models().begin(), network_models().end()),
                         [](const auto& entry) { return std::string(entry.param->name); });

TEST(IndependentNetworkTest, FollowingTasksAndTakingEventsInOrderOfTimeAgree) {
  int models = 0;
  for (const NetworkModel* const model : network_models()) {
    if (!model->independent && model->make != nullptr) continue;
    ++models;
    for (std::uint32_t i = 0; i < kGraphs; ++i) {
      SCOPED_TRACE("STEPSIM_TEST_SEED=" + std::to_string(test_seed() + i));
      std::mt19937 generator{test_seed() + i};
      const Dag followed = random_dag(generator, {.fifo_lanes = false, .messages = true});
      generator.seed(test_seed() + i);
      const Dag queued = random_dag(generator, {.fifo_lanes = false, .messages = true, .idle_fifo_lane = true});
      const auto one = replay_under(*model, followed, three_hosts());
      const auto other = replay_under(*model, queued, three_hosts());
      ASSERT_EQ(one->start, other->start);
      ASSERT_EQ(one->finish, other->finish);
      ASSERT_EQ(one->last_arrival, other->last_arrival);
      ASSERT_EQ(releases(*one), releases(*other));
    }
  }
  EXPECT_GE(models, 2) << "recorded durations, and a network without contention";
}

/// Where messages do not delay each other, the length of a replay is that of its longest path, and more bandwidth
/// lengthens no task. Where messages share links, more bandwidth may lengthen a task, because an earlier message may
/// then take bandwidth from a more important one (tests/theory).
TEST(IndependentNetworkTest, MoreBandwidthIsNeverSlowerWhateverTheGraph) {
  for (const NetworkModel* const model : network_models()) {
    if (!model->independent) continue;
    for (std::uint32_t i = 0; i < kGraphs; ++i) {
      std::mt19937 generator{test_seed() + i};
      const Dag dag = random_dag(generator, {.fifo_lanes = false, .messages = true});
      const auto before = replay_under(*model, dag, three_hosts());
      const auto after = replay_under(*model, dag, three_hosts(1, 1.5));
      EXPECT_LE(makespan(*after), makespan(*before)) << model->name << ", STEPSIM_TEST_SEED=" << test_seed() + i;
    }
  }
}

}  // namespace
}  // namespace stepsim::sim
