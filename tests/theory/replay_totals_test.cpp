// Compares complete replays with the totals of docs/internals/test-data.md: SimGrid's to six decimals, LogGOPSim's to
// the nanosecond. bench/models_bench.cpp checks the larger workloads.

#include <gtest/gtest.h>

#include <algorithm>

#include "model/cost/network/network.h"
#include "sim/engine/engine.h"
#include "tests/sim/workloads.h"
#include "tests/theory/log_gops_reference.h"

namespace stepsim::testing {
namespace {

constexpr Bytes kMegabyte{1'000'000};
constexpr Bytes kKilobyte{1'000};

Duration makespan(const Dag& dag, const char* model, const Cluster& cluster, int threads) {
  sim::Machine machine{dag};
  machine.set_network(*find_network_model(model), cluster);
  // The smallest grain makes the engine split the work between threads even if the job is small.
  const sim::Timeline timeline = sim::replay(dag, machine, {.threads = threads, .grain = {.tasks = 1, .round = 1}});
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{};
}

/// Expects this makespan under max-min sharing, in microseconds, with one thread and with three threads.
void expect_fair(const Dag& dag, int hosts, std::int64_t microseconds) {
  for (const int threads : {1, 3}) {
    EXPECT_EQ((makespan(dag, "maxmin", oracle_cluster(hosts), threads).count() + 500) / 1000, microseconds)
        << threads << " threads";
  }
}

TEST(ReplayTotalsTest, RingsTakeAsLongUnderMaxMinAsSimGridSays) {
  expect_fair(ring_workload({.ranks = 64, .all_reduces = 1, .bytes = kMegabyte}), 64, 10'332);
  expect_fair(ring_workload({.ranks = 64, .all_reduces = 12, .bytes = kMegabyte}), 64, 123'984);
}

TEST(ReplayTotalsTest, TrainStepsTakeAsLongUnderMaxMinAsSimGridSays) {
  expect_fair(train_workload({.ranks = 64, .layers = 10, .iterations = 1, .bytes = kMegabyte}), 64, 101'438);
}

TEST(ReplayTotalsTest, ParameterServersTakeAsLongUnderMaxMinAsSimGridSays) {
  expect_fair(parameter_server_workload(
                  {.workers = 16, .servers = 4, .layers = 20, .partitions = 2, .iterations = 5, .bytes = kMegabyte}),
              20, 117'581);
  expect_fair(parameter_server_workload(
                  {.workers = 64, .servers = 8, .layers = 50, .partitions = 3, .iterations = 1, .bytes = kMegabyte}),
              72, 185'664);
}

TEST(ReplayTotalsTest, RingsTakeAsLongUnderLogGPAsLogGOPSimSays) {
  for (const int threads : {1, 3}) {
    const Dag rounds = ring_workload({.ranks = 64, .all_reduces = 12, .bytes = kKilobyte});
    EXPECT_EQ(makespan(rounds, "loggp", log_gp_cluster(64), threads), Duration{3'627'288});
    const Dag ranks = ring_workload({.ranks = 1024, .all_reduces = 1, .bytes = kKilobyte});
    EXPECT_EQ(makespan(ranks, "loggp", log_gp_cluster(1024), threads), Duration{4'908'354});
  }
}

// LogGOPSim's own totals for these workloads disregard causality, as network_totals_test.cpp explains.
TEST(ReplayTotalsTest, TrainAndParameterServersTakeAsLongUnderLogGPAsItsArithmeticSays) {
  const Dag train = train_workload({.ranks = 64, .layers = 10, .iterations = 1, .bytes = kKilobyte});
  const Dag servers = parameter_server_workload({.workers = 64,
                                                 .servers = 8,
                                                 .layers = 50,
                                                 .partitions = 3,
                                                 .bytes = kKilobyte,
                                                 .server_order = LaneOrder::kFifo});
  for (const int threads : {1, 3}) {
    EXPECT_EQ(makespan(train, "loggp", log_gp_cluster(64), threads).count(),
              log_gops_finish(train, 64, {}, LogGOPSRules::kCausal));
    EXPECT_EQ(makespan(servers, "loggp", log_gp_cluster(72), threads).count(),
              log_gops_finish(servers, 72, {}, LogGOPSRules::kCausal));
  }
}

TEST(ReplayTotalsTest, WithCreditForEightTransfersAParameterServerTakesAsLongAsThePlainestWaySays) {
  // The expected time is from bench/fluid_reference.py 64 8 10 3 1 1000000 8, which shares no code with this program.
  expect_fair(parameter_server_workload({.workers = 64,
                                         .servers = 8,
                                         .layers = 10,
                                         .partitions = 3,
                                         .iterations = 1,
                                         .bytes = kMegabyte,
                                         .in_flight = 8}),
              72, 36'901);
}

}  // namespace
}  // namespace stepsim::testing
