// Compares the totals of SimGrid and LogGOPSim for the workloads of docs/internals/test-data.md.

#include <gtest/gtest.h>

#include "tests/model/cost/network/message_loop.h"
#include "tests/nightly.h"
#include "tests/sim/workloads.h"
#include "tests/theory/log_gops_reference.h"

namespace stepsim::testing {
namespace {

constexpr Bytes kKilobyte{1000};
constexpr Bytes kMegabyte{1'000'000};

/// Returns the makespan under max-min fair sharing, rounded to microseconds, because SimGrid's totals have six
/// decimals.
std::int64_t fair_microseconds(int hosts, const Dag& dag) {
  return (makespan_ns(*find_network_model("maxmin"), oracle_cluster(hosts), dag) + 500) / 1000;
}

TEST(NetworkTotalsTest, MaxMinRingsTakeAsLongAsSimGridSays) {
  // An all-reduce has 126 rounds of 2 us + 1 MB / (12.5 GB/s) = 82 us.
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

/// Returns the end of the last task under LogGP, in nanoseconds.
std::int64_t log_gp_nanoseconds(int hosts, const Dag& dag) {
  return makespan_ns(*find_network_model("loggp"), log_gp_cluster(hosts), dag);
}

Dag log_gp_train(int iterations) {
  return train_workload({.ranks = 64, .layers = 10, .iterations = iterations, .bytes = kKilobyte});
}

Dag log_gp_parameter_server() {
  return parameter_server_workload({.workers = 64,
                                    .servers = 8,
                                    .layers = 50,
                                    .partitions = 3,
                                    .bytes = kKilobyte,
                                    .server_order = LaneOrder::kFifo});
}

TEST(NetworkTotalsTest, LogGPRingsTakeAsLongAsLogGOPSimSays) {
  // Each round takes o + L + (B - 1) G + o = 2,399 ns.
  EXPECT_EQ(log_gp_nanoseconds(64, ring_workload({.ranks = 64, .all_reduces = 12, .bytes = kKilobyte})), 3'627'288);
  if (kSanitized) return;  // the same code a million times
  EXPECT_EQ(log_gp_nanoseconds(1024, ring_workload({.ranks = 1024, .all_reduces = 1, .bytes = kKilobyte})), 4'908'354);
}

// LogGOPSim's other totals follow from its rules for hosts with several processors, where an operation may begin before
// the operations for which it waits have ended. For the parameter server, its total is that of the computes alone,
// 7,777,889 ns, although a push, a sum and a pull must follow the last compute. So the reference is tested against
// these totals, and our model is tested against the causal variant of the reference.
TEST(NetworkTotalsTest, LogGOPSimsOwnRulesGiveItsTotals) {
  if (kSanitized) GTEST_SKIP() << "runs the reference only, no code of stepsim; takes minutes under a sanitizer";
  constexpr auto kAsItIs = LogGOPSRules::kAsItIs;
  EXPECT_EQ(log_gops_finish(ring_workload({.ranks = 64, .all_reduces = 12, .bytes = kKilobyte}), 64, {}, kAsItIs),
            3'627'288);
  EXPECT_EQ(log_gops_finish(log_gp_train(1), 64, {}, kAsItIs), 3'869'934);
  EXPECT_EQ(log_gops_finish(log_gp_train(10), 64, {}, kAsItIs), 32'335'060);
  EXPECT_EQ(log_gops_finish(log_gp_parameter_server(), 72, {}, kAsItIs), 7'777'889);
}

TEST(NetworkTotalsTest, LogGPEqualsLogGOPSimsArithmeticWithCausality) {
  constexpr auto kCausal = LogGOPSRules::kCausal;
  EXPECT_EQ(log_gp_nanoseconds(64, log_gp_train(1)), log_gops_finish(log_gp_train(1), 64, {}, kCausal));
  EXPECT_EQ(log_gp_nanoseconds(72, log_gp_parameter_server()),
            log_gops_finish(log_gp_parameter_server(), 72, {}, kCausal));
}

}  // namespace
}  // namespace stepsim::testing
