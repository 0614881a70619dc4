#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/live_bytes.h"
#include "sim/engine.h"
#include "tests/sim/workloads.h"

/// Replays under network models of the workloads of ../shared/oracles/README.md, one thread.
/// Items are tasks. Every makespan is held against what an independent simulator gave for the
/// workload, or a closed form; a wrong one ends the benchmark with an error.
namespace stepsim::sim {
namespace {

using namespace stepsim::testing;

constexpr Bytes kKilobyte{1000};
constexpr Bytes kMegabyte{1'000'000};

struct Workload {
  DagBuilder (*make)();
  int hosts = 64;
};

template <int kRanks, int kAllReduces>
DagBuilder megabyte_ring() {
  return ring_builder({.ranks = kRanks, .all_reduces = kAllReduces, .bytes = kMegabyte});
}

template <int kRanks, int kAllReduces>
DagBuilder kilobyte_ring() {
  return ring_builder({.ranks = kRanks, .all_reduces = kAllReduces, .bytes = kKilobyte});
}

template <int kIterations>
DagBuilder train() {
  return train_builder({.ranks = 64, .layers = 10, .iterations = kIterations, .bytes = kMegabyte});
}

template <int kIterations, int kInFlight>
DagBuilder parameter_server() {
  return parameter_server_builder({.workers = 64,
                                   .servers = 8,
                                   .layers = 50,
                                   .partitions = 3,
                                   .iterations = kIterations,
                                   .bytes = kMegabyte,
                                   .in_flight = kInFlight});
}

/// What the makespan must be: in nanoseconds, or rounded to microseconds.
struct Answer {
  std::int64_t value = 0;
  std::int64_t unit = 1;
};
constexpr Answer exactly(std::int64_t nanoseconds) { return {nanoseconds, 1}; }
constexpr Answer microseconds(std::int64_t value) { return {value, 1000}; }
/// No independent answer is known: the same graph with fewer in flight is held up no less.
constexpr Answer at_least(std::int64_t value) { return {value, 0}; }

bool is_right(const Timeline& timeline, Answer answer) {
  const Time last = *std::max_element(timeline.finish.begin(), timeline.finish.end());
  const std::int64_t makespan = last.time_since_epoch().count();
  if (answer.unit == 0) return makespan >= answer.value;
  return (makespan + answer.unit / 2) / answer.unit == answer.value;
}

void replay(benchmark::State& state, const char* model, Cluster (*cluster_of)(int), Workload workload, Answer answer) {
  const std::size_t before = bench::live_bytes();
  const Dag dag = workload.make().build().dag;
  const Cluster cluster = cluster_of(workload.hosts);
  Machine machine{dag};
  machine.set_network(*find_network_model(model), cluster);
  bench::mark();
  for (auto _ : state) {
    if (!is_right(sim::replay(dag, machine), answer)) {
      state.SkipWithError("the makespan is wrong");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(dag.task_count()));
  state.counters["bytes_per_task"] =
      static_cast<double>(bench::most_live_bytes() - before) / static_cast<double>(dag.task_count());
}

constexpr Workload kRing12{megabyte_ring<64, 12>, 64};
constexpr Workload kRing120{megabyte_ring<64, 120>, 64};
constexpr Workload kWideRing{megabyte_ring<512, 2>, 512};
constexpr Workload kLogGPRing12{kilobyte_ring<64, 12>, 64};
constexpr Workload kLogGPRing120{kilobyte_ring<64, 120>, 64};
constexpr Workload kLogGPWideRing{kilobyte_ring<512, 2>, 512};
constexpr Workload kTrain1{train<1>, 64};
constexpr Workload kTrain10{train<10>, 64};
constexpr Workload kServer{parameter_server<1, 0>, 72};
constexpr Workload kServerWithCredit{parameter_server<1, 8>, 72};

#define STEPSIM_NETWORK_BENCH(name, ...) BENCHMARK_CAPTURE(replay, name, __VA_ARGS__)->Unit(benchmark::kMillisecond)

// 126 rounds of 2 us and 80 us.
STEPSIM_NETWORK_BENCH(alpha_beta_ring_64x120, "alpha_beta", oracle_cluster, kRing120, exactly(1'239'840'000));
STEPSIM_NETWORK_BENCH(fifo_ring_64x12, "fifo", oracle_cluster, kRing12, exactly(123'984'000));
STEPSIM_NETWORK_BENCH(fifo_ring_64x120, "fifo", oracle_cluster, kRing120, exactly(1'239'840'000));
STEPSIM_NETWORK_BENCH(loggp_ring_64x12, "loggp", log_gp_cluster, kLogGPRing12, exactly(3'627'288));
STEPSIM_NETWORK_BENCH(loggp_ring_64x120, "loggp", log_gp_cluster, kLogGPRing120, exactly(36'272'880));
STEPSIM_NETWORK_BENCH(loggp_ring_512x2, "loggp", log_gp_cluster, kLogGPWideRing, exactly(4'903'556));
STEPSIM_NETWORK_BENCH(maxmin_ring_64x12, "maxmin", oracle_cluster, kRing12, microseconds(123'984));
STEPSIM_NETWORK_BENCH(maxmin_ring_64x120, "maxmin", oracle_cluster, kRing120, microseconds(1'239'840));
STEPSIM_NETWORK_BENCH(maxmin_ring_512x2, "maxmin", oracle_cluster, kWideRing, microseconds(167'608));
STEPSIM_NETWORK_BENCH(maxmin_train_64x10x1, "maxmin", oracle_cluster, kTrain1, microseconds(101'438));
STEPSIM_NETWORK_BENCH(maxmin_train_64x10x10, "maxmin", oracle_cluster, kTrain10, microseconds(1'014'367));
STEPSIM_NETWORK_BENCH(maxmin_ps_64x8x50x3, "maxmin", oracle_cluster, kServer, microseconds(185'664));
STEPSIM_NETWORK_BENCH(maxmin_ps_64x8x50x3_credit_8, "maxmin", oracle_cluster, kServerWithCredit, at_least(96'000'000));

}  // namespace
}  // namespace stepsim::sim
