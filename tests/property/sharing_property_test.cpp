#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "model/cost/network/maxmin.h"
#include "model/cost/network/network.h"
#include "model/job/dag_builder.h"
#include "model/job/topology.h"
#include "sim/engine/engine.h"
#include "tests/property/fluid_reference.h"
#include "tests/property/random_dag.h"
#include "tests/sim/workloads.h"

/// Compares complete replays under `maxmin`, also with sharing below 1, with a reference that recomputes all rates at
/// each instant (fluid_ends()).
///
/// The tolerance is 0 ns. Both end a message at the nanosecond nearest to its last byte. They may differ only at an end
/// that is so close to the middle between two nanoseconds that the rounding of doubles decides. Doubles are exact to
/// 1e-16, so counts of up to 1e7 bytes, added some hundred times, are exact to 1e-6 bytes. The reference reports the
/// time of the first end that is decided by less than 1e-4 bytes, and later ends are not compared.
namespace stepsim::sim {
namespace {

using stepsim::testing::fluid_ends;
using stepsim::testing::FluidEnds;
using stepsim::testing::test_seed;

Timeline replay_maxmin(const Dag& dag, const Cluster& cluster) {
  Machine machine{dag};
  machine.set_network(*find_network_model("maxmin"), cluster);
  return replay(dag, machine);
}

/// Expects equal ends of all tasks that end before the first unclear end. Returns the number of these tasks.
std::size_t compare(const Dag& dag, const Cluster& cluster) {
  const Timeline timeline = replay_maxmin(dag, cluster);
  const FluidEnds expected = fluid_ends(dag, cluster);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    if (expected.finish[i] > expected.clear_until) continue;
    ++compared;
    EXPECT_EQ(timeline.finish[i], expected.finish[i]) << "task " << i;
  }
  return compared;
}

class RandomCase {
 public:
  explicit RandomCase(std::uint32_t seed) : generator_(seed) {}

  /// Returns two to six workers and one to four servers, with one link in each direction.
  Cluster cluster() {
    constexpr double kSharings[] = {0, 0.1, 0.5, 0.9, 1};
    endpoints_ = 2 + below(5) + 1 + below(4);
    Cluster cluster = star(
        endpoints_, {.bandwidth = Bandwidth::from_bytes_per_second(1.0437e9), .latency = Duration{below(3) * 500}});
    const bool all_alike = below(2) == 0;
    for (Link& link : cluster.links) {
      if (!all_alike) link.bandwidth = Bandwidth::from_bytes_per_second(0.3e9 + below(1000) * 1e6);
    }
    cluster.network.set(kSharing, kSharings[below(5)]);
    cluster.network.set(kMessageOverhead, Duration{below(2) * 300});
    return cluster;
  }

  /// Returns up to 40 messages, many of which begin at the same time. A third of them also wait for the end of an
  /// earlier message. A quarter are on a lane with a queue, so that their latency comes after their bytes.
  Dag messages() {
    DagBuilder builder;
    const NameId name = builder.intern("message");
    const LaneId waiting = builder.add_lane({});
    std::vector<TaskId> sent;
    for (std::uint32_t count = 2 + below(39); count > 0; --count) {
      const TaskId begin = builder.add_task({.name = name, .lane = waiting, .duration = Duration{some(3000, 20'000)}});
      const LaneId lane = builder.add_lane({.kind = LaneKind::kLink,
                                            .order = below(4) == 0 ? LaneOrder::kFifo : LaneOrder::kEdges,
                                            .from = EndpointId{below(endpoints_)},
                                            .to = EndpointId{below(endpoints_)}});
      const TaskId message = builder.add_task({.kind = TaskKind::kTransfer,
                                               .name = name,
                                               .lane = lane,
                                               .bytes = Bytes{below(20) == 0 ? 0 : 100 + some(5000, 30'000)}});
      builder.add_edge(begin, message, EdgeKind::kData);
      if (!sent.empty() && below(3) == 0) {
        builder.add_edge(sent[below(sent.size())], message, EdgeKind::kStage, Duration{below(2) * 700});
      }
      sent.push_back(message);
    }
    return std::move(builder).build().dag;
  }

 private:
  std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(generator_() % bound); }
  /// In half of the cases, returns `usual` or twice `usual`; otherwise a random number below `bound`.
  std::uint32_t some(std::uint32_t usual, std::uint32_t bound) {
    return below(2) == 0 ? usual * (1 + below(2)) : below(bound);
  }

  std::mt19937 generator_;
  std::size_t endpoints_ = 0;
};

TEST(SharingPropertyTest, MessagesEndWhenFluidsComputedFromScratchDo) {
  constexpr std::uint32_t kCases = 500;
  std::size_t tasks = 0;
  std::size_t compared = 0;
  for (std::uint32_t i = 0; i < kCases; ++i) {
    SCOPED_TRACE("STEPSIM_TEST_SEED=" + std::to_string(test_seed() + i));
    RandomCase one{test_seed() + i};
    const Cluster cluster = one.cluster();
    const Dag dag = one.messages();
    tasks += dag.task_count();
    compared += compare(dag, cluster);
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, tasks * 9 / 10);
}

TEST(SharingPropertyTest, AParameterServerJobEndsAsItsFluidsDo) {
  for (const double sharing : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    SCOPED_TRACE(sharing);
    const Dag dag = stepsim::testing::parameter_server_workload(
        {.workers = 6, .servers = 3, .layers = 5, .partitions = 2, .iterations = 2, .bytes = Bytes{250'000}});
    Cluster cluster = stepsim::testing::oracle_cluster(9);
    // At 12.5 GB/s many ends would be exactly halfway between two nanoseconds.
    for (Link& link : cluster.links) link.bandwidth = Bandwidth::from_bytes_per_second(12.551e9);
    cluster.network.set(kSharing, sharing);
    EXPECT_GT(compare(dag, cluster), dag.task_count() * 9 / 10);
  }
}

}  // namespace
}  // namespace stepsim::sim
