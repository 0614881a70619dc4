// The exact totals that SimGrid and LogGOPSim gave for the workloads of ../shared/oracles/README.md.

#include <gtest/gtest.h>

#include "tests/model/network/message_loop.h"
#include "tests/sim/workloads.h"

namespace stepsim::testing {
namespace {

constexpr Bytes kMegabyte{1'000'000};

/// The makespan under max-min fair sharing, in whole microseconds: the totals have six decimals.
std::int64_t fair_microseconds(int hosts, const Dag& dag) {
  return (makespan_ns(*find_network_model("maxmin"), oracle_cluster(hosts), dag) + 500) / 1000;
}

TEST(NetworkTotalsTest, MaxMinRingsTakeAsLongAsSimGridSays) {
  // Closed form: 126 rounds of 2 us + 1 MB / 12.5 GB/s = 82 us.
  EXPECT_EQ(fair_microseconds(64, ring_workload({.ranks = 64, .all_reduces = 1, .bytes = kMegabyte})), 10'332);
  EXPECT_EQ(fair_microseconds(64, ring_workload({.ranks = 64, .all_reduces = 12, .bytes = kMegabyte})), 123'984);
}

TEST(NetworkTotalsTest, MaxMinTrainStepsTakeAsLongAsSimGridSays) {
  EXPECT_EQ(fair_microseconds(64, train_workload({.ranks = 64, .layers = 10, .iterations = 1, .bytes = kMegabyte})),
            101'438);
}

TEST(NetworkTotalsTest, MaxMinParameterServersTakeAsLongAsSimGridSays) {
  EXPECT_EQ(
      fair_microseconds(
          20, parameter_server_workload(
                  {.workers = 16, .servers = 4, .layers = 20, .partitions = 2, .iterations = 5, .bytes = kMegabyte})),
      117'581);
  EXPECT_EQ(
      fair_microseconds(
          72, parameter_server_workload(
                  {.workers = 64, .servers = 8, .layers = 50, .partitions = 3, .iterations = 1, .bytes = kMegabyte})),
      185'664);
}

}  // namespace
}  // namespace stepsim::testing
