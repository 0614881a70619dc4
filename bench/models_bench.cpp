#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/counted_solves.h"
#include "bench/live_bytes.h"
#include "model/cost/network/maxmin.h"
#include "model/cost/network/network.h"
#include "sim/engine/engine.h"
#include "tests/sim/workloads.h"

/// Replays the workloads of docs/internals/test-data.md under network models. Items are tasks. Every makespan is
/// compared with that of SimGrid or LogGOPSim, with a closed form, or with a reference in the tests; a wrong one ends
/// the benchmark with an error. bench/table.py makes docs/results/models_bench.csv of it.
namespace stepsim::sim {
namespace {

using stepsim::testing::parameter_server_builder;
using stepsim::testing::ring_builder;
using stepsim::testing::train_builder;

constexpr Bytes kMegabyte{1'000'000};
constexpr Bytes kKilobyte{1'000};

DagBuilder ring(int ranks, int all_reduces, Bytes bytes) {
  return ring_builder({.ranks = ranks, .all_reduces = all_reduces, .bytes = bytes});
}

DagBuilder train(int ranks, int iterations, Bytes bytes) {
  return train_builder({.ranks = ranks, .layers = 10, .iterations = iterations, .bytes = bytes});
}

/// Returns the workload "ps" of docs/internals/test-data.md: a parameter-server job whose layers have three partitions
/// each. A worker has at most `in_flight` pushes at a time; 0 means no limit.
DagBuilder servers(int layers, int iterations, Bytes bytes, int in_flight = 0, LaneOrder sums = LaneOrder::kEdges,
                   int workers = 64, int count = 8) {
  return parameter_server_builder({.workers = workers,
                                   .servers = count,
                                   .layers = layers,
                                   .partitions = 3,
                                   .iterations = iterations,
                                   .bytes = bytes,
                                   .in_flight = in_flight,
                                   .server_order = sums});
}

DagBuilder few_servers() {
  return parameter_server_builder(
      {.workers = 16, .servers = 4, .layers = 20, .partitions = 2, .iterations = 5, .bytes = kMegabyte});
}

/// A replay, its number of hosts, and its expected length.
struct Workload {
  DagBuilder (*make)();
  int hosts = 0;
  Duration makespan{};
  Duration digit{1};    ///< unit of the last digit of `makespan`
  Duration at_least{};  ///< if there is no exact answer, the makespan is between this and `makespan`
  bool cold = false;    ///< true if each replay starts without its graph in the caches
};

/// Fills the caches with other data.
void empty_caches() {
  static std::vector<char> other(std::size_t{256} << 20U);
  constexpr std::size_t kLine = 64;
  for (std::size_t i = 0; i < other.size(); i += kLine) ++other[i];
  benchmark::DoNotOptimize(other.data());
}

/// The resolution of expected makespans from SimGrid, which prints times in seconds with six decimals.
constexpr Duration kMicrosecond{1000};
constexpr Duration microseconds(std::int64_t count) { return count * kMicrosecond; }

Duration makespan(const Timeline& timeline) {
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{};
}

/// Rounds a duration to a multiple of `digit`.
Duration rounded(Duration what, Duration digit) { return (what + digit / 2) / digit * digit; }

/// Returns the largest number of times that maxmin computes the rates of messages at one instant. Finds it by a further
/// replay, which is not timed.
double solves_per_instant(const Dag& dag, const Cluster& cluster) {
  Machine machine{dag};
  machine.set_network(bench::counted_maxmin(), cluster);
  static_cast<void>(sim::replay(dag, machine));
  return static_cast<double>(bench::most_solves_of_an_instant());
}

void replay_on(benchmark::State& state, const char* model, const Cluster& cluster, const Workload& workload) {
  const NetworkModel* const network = find_network_model(model);
  if (network == nullptr) {
    state.SkipWithError("there is no such network model");
    return;
  }
  const std::size_t before = bench::live_bytes();
  const Dag dag = workload.make().build().dag;
  Machine machine{dag};
  machine.set_network(*network, cluster);
  bench::mark();
  for ([[maybe_unused]] auto _ : state) {
    if (workload.cold) {
      state.PauseTiming();
      empty_caches();
      state.ResumeTiming();
    }
    const Timeline timeline = sim::replay(dag, machine, {.threads = static_cast<int>(state.range(0))});
    const Duration found = rounded(makespan(timeline), workload.digit);
    const bool right = workload.at_least > Duration{} ? workload.at_least <= found && found <= workload.makespan
                                                      : found == workload.makespan;
    if (!right) {
      const std::string message = "the makespan is " + to_text(found) + ", expected " + to_text(workload.makespan);
      state.SkipWithError(message.c_str());
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(dag.task_count()));
  state.counters["tasks"] = static_cast<double>(dag.task_count());
  if (network->name == "maxmin") state.counters["most_solves_of_an_instant"] = solves_per_instant(dag, cluster);
  state.counters["bytes_per_task"] =
      static_cast<double>(bench::most_live_bytes() - before) / static_cast<double>(dag.task_count());
}

void maxmin(benchmark::State& state, const Workload& workload) {
  replay_on(state, "maxmin", stepsim::testing::oracle_cluster(workload.hosts), workload);
}

/// Measures maxmin where, among several senders into one link, each gets half the rate of the previous one.
void maxmin_sharing_half(benchmark::State& state, const Workload& workload) {
  Cluster cluster = stepsim::testing::oracle_cluster(workload.hosts);
  cluster.network.set(kSharing, 0.5);
  replay_on(state, "maxmin", cluster, workload);
}

void loggp(benchmark::State& state, const Workload& workload) {
  replay_on(state, "loggp", stepsim::testing::log_gp_cluster(workload.hosts), workload);
}

void alpha_beta(benchmark::State& state, const Workload& workload) {
  replay_on(state, "alpha_beta", stepsim::testing::oracle_cluster(workload.hosts), workload);
}

void fifo(benchmark::State& state, const Workload& workload) {
  replay_on(state, "fifo", stepsim::testing::oracle_cluster(workload.hosts), workload);
}

void recorded(benchmark::State& state, const Workload& workload) {
  replay_on(state, "recorded", stepsim::testing::oracle_cluster(workload.hosts), workload);
}

/// Returns the makespan of rings without contention: each takes 2 (ranks - 1) rounds of 2 us and 1 MB at 12.5 GB/s.
constexpr Duration alone(int ranks, int all_reduces) { return all_reduces * 2 * (ranks - 1) * microseconds(82); }

DagBuilder ring_64x12() { return ring(64, 12, kMegabyte); }
DagBuilder ring_64x120() { return ring(64, 120, kMegabyte); }
DagBuilder ring_512x2() { return ring(512, 2, kMegabyte); }
DagBuilder train_64x1() { return train(64, 1, kMegabyte); }
DagBuilder train_64x10() { return train(64, 10, kMegabyte); }
DagBuilder train_256x1() { return train(256, 1, kMegabyte); }
DagBuilder servers_1() { return servers(50, 1, kMegabyte); }
DagBuilder servers_128() { return servers(50, 1, kMegabyte, 0, LaneOrder::kEdges, 128, 16); }
DagBuilder servers_10() { return servers(50, 10, kMegabyte); }
DagBuilder servers_credit() { return servers(50, 1, kMegabyte, 8); }
DagBuilder few_layers_credit() { return servers(10, 1, kMegabyte, 8); }
DagBuilder small_ring_64x12() { return ring(64, 12, kKilobyte); }
DagBuilder small_ring_64x120() { return ring(64, 120, kKilobyte); }
DagBuilder small_ring_512x2() { return ring(512, 2, kKilobyte); }
DagBuilder small_ring_1024x1() { return ring(1024, 1, kKilobyte); }
DagBuilder small_train_64x1() { return train(64, 1, kKilobyte); }
DagBuilder small_train_64x10() { return train(64, 10, kKilobyte); }
DagBuilder small_servers_1() { return servers(50, 1, kKilobyte, 0, LaneOrder::kFifo); }
DagBuilder small_servers_50() { return servers(50, 50, kKilobyte, 0, LaneOrder::kFifo); }

#define STEPSIM_MODEL_BENCH(model, name, ...) \
  BENCHMARK_CAPTURE(model, name, Workload{__VA_ARGS__})->Arg(1)->Unit(benchmark::kMillisecond)

STEPSIM_MODEL_BENCH(maxmin, ring_64x12, ring_64x12, 64, microseconds(123'984), kMicrosecond);
STEPSIM_MODEL_BENCH(maxmin, ring_64x120, ring_64x120, 64, microseconds(1'239'840), kMicrosecond);
STEPSIM_MODEL_BENCH(maxmin, ring_512x2, ring_512x2, 512, microseconds(167'608), kMicrosecond);
STEPSIM_MODEL_BENCH(maxmin, train_64x10x1, train_64x1, 64, microseconds(101'438), kMicrosecond);
STEPSIM_MODEL_BENCH(maxmin, train_64x10x10, train_64x10, 64, microseconds(1'014'367), kMicrosecond);
STEPSIM_MODEL_BENCH(maxmin, ps_16x4x20x2x5, few_servers, 20, microseconds(117'581), kMicrosecond);
STEPSIM_MODEL_BENCH(maxmin, ps_64x8x50x3x1, servers_1, 72, microseconds(185'664), kMicrosecond);
// Each worker has at most eight pushes and eight pulls in flight. For 10 layers, bench/fluid_reference.py gives the
// exact answer. For 50 layers there is no exact answer: the order of messages depends on nanoseconds, and the
// reference's answer changes from 144 to 162 ms if it rounds end times to nanoseconds. The makespan must therefore lie
// between two bounds. The lower one is 96 ms, in which the eight servers receive 150 MB from each of 64 workers at 12.5
// GB/s. The upper one is the makespan without the limit.
STEPSIM_MODEL_BENCH(maxmin, ps_64x8x10x3x1_credit_8, few_layers_credit, 72, microseconds(36'901), kMicrosecond);
STEPSIM_MODEL_BENCH(maxmin, ps_64x8x50x3x1_credit_8, servers_credit, 72, microseconds(185'664), kMicrosecond,
                    microseconds(96'000));

// The expected makespans come from tests/property/fluid_reference.cpp: 200,233,028 and 207,260,772 ns.
STEPSIM_MODEL_BENCH(maxmin_sharing_half, ps_64x8x50x3x1, servers_1, 72, microseconds(200'233), kMicrosecond);
STEPSIM_MODEL_BENCH(maxmin_sharing_half, ps_128x16x50x3x1, servers_128, 144, microseconds(207'261), kMicrosecond);

STEPSIM_MODEL_BENCH(alpha_beta, ring_64x120, ring_64x120, 64, alone(64, 120));

STEPSIM_MODEL_BENCH(fifo, ring_64x12, ring_64x12, 64, alone(64, 12));
STEPSIM_MODEL_BENCH(fifo, ring_64x120, ring_64x120, 64, alone(64, 120));
STEPSIM_MODEL_BENCH(fifo, ring_512x2, ring_512x2, 512, alone(512, 2));

STEPSIM_MODEL_BENCH(loggp, ring_64x12, small_ring_64x12, 64, Duration{3'627'288});
STEPSIM_MODEL_BENCH(loggp, ring_64x120, small_ring_64x120, 64, Duration{36'272'880});
STEPSIM_MODEL_BENCH(loggp, ring_512x2, small_ring_512x2, 512, Duration{4'903'556});
STEPSIM_MODEL_BENCH(loggp, ring_1024x1, small_ring_1024x1, 1024, Duration{4'908'354});
// The expected makespans come from tests/theory/log_gops_reference.cpp. It computes like LogGOPSim, but starts no
// operation before its predecessors have ended. LogGOPSim itself starts some too early in these workloads
// (docs/internals/models.md, "loggp").
STEPSIM_MODEL_BENCH(loggp, train_64x10x1, small_train_64x1, 64, Duration{2'215'435});
STEPSIM_MODEL_BENCH(loggp, train_64x10x10, small_train_64x10, 64, Duration{22'190'545});
STEPSIM_MODEL_BENCH(loggp, ps_64x8x50x3x1, small_servers_1, 72, Duration{7'877'445});
STEPSIM_MODEL_BENCH(loggp, ps_64x8x50x3x50, small_servers_50, 72, Duration{392'172'036});

// These benchmarks show how time grows with ten times the tasks, from cold caches. In repeated replays the smaller
// graph would stay in the caches, but not the larger one.
STEPSIM_MODEL_BENCH(fifo, cold_ring_64x12, ring_64x12, 64, alone(64, 12), Duration{1}, {}, true);
STEPSIM_MODEL_BENCH(fifo, cold_ring_64x120, ring_64x120, 64, alone(64, 120), Duration{1}, {}, true);
STEPSIM_MODEL_BENCH(loggp, cold_train_64x10x1, small_train_64x1, 64, Duration{2'215'435}, Duration{1}, {}, true);
STEPSIM_MODEL_BENCH(loggp, cold_train_64x10x10, small_train_64x10, 64, Duration{22'190'545}, Duration{1}, {}, true);
STEPSIM_MODEL_BENCH(maxmin, cold_train_64x10x1, train_64x1, 64, microseconds(101'438), kMicrosecond, {}, true);
STEPSIM_MODEL_BENCH(maxmin, cold_train_64x10x10, train_64x10, 64, microseconds(1'014'367), kMicrosecond, {}, true);
STEPSIM_MODEL_BENCH(maxmin, cold_ps_64x8x50x3x1, servers_1, 72, microseconds(185'664), kMicrosecond, {}, true);
// No other simulator gives a makespan for these ten iterations. It must be at least 10 x 96 ms, the time in which eight
// links of 12.5 GB/s carry 150 MB from each of 64 workers, and at most ten times the makespan of one iteration.
STEPSIM_MODEL_BENCH(maxmin, cold_ps_64x8x50x3x10, servers_10, 72, microseconds(1'856'640), kMicrosecond,
                    microseconds(960'000), true);

/// Declares a benchmark that runs once with one thread and once with two, and measures real time.
#define STEPSIM_THREADS_BENCH(model, name, ...) \
  BENCHMARK_CAPTURE(model, name, Workload{__VA_ARGS__})->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond)

/// Returns the length of one iteration of the workload train on 256 ranks: ten layers, then the ring all-reduce of the
/// last gradient. `message` is the time of one message. `layer` is the time of a layer's forward and backward compute,
/// which is 150 us plus up to 5 us of jitter for each of the two.
constexpr Duration train_256(Duration message, Duration layer) { return 10 * layer + 2 * 255 * message; }

STEPSIM_THREADS_BENCH(recorded, threads_ring_512x2, ring_512x2, 512,
                      2 * 2 * 511 * stepsim::testing::RingShape{}.message);
STEPSIM_THREADS_BENCH(recorded, threads_train_256x10x1, train_256x1, 256,
                      train_256(stepsim::testing::TrainShape{}.message, microseconds(160)), Duration{1},
                      train_256(stepsim::testing::TrainShape{}.message, microseconds(150)));
STEPSIM_THREADS_BENCH(alpha_beta, threads_train_256x10x1, train_256x1, 256,
                      train_256(microseconds(82), microseconds(160)), Duration{1},
                      train_256(microseconds(82), microseconds(150)));
STEPSIM_THREADS_BENCH(alpha_beta, threads_ring_512x2, ring_512x2, 512, alone(512, 2));
STEPSIM_THREADS_BENCH(maxmin, threads_ring_512x2, ring_512x2, 512, microseconds(167'608), kMicrosecond);
STEPSIM_THREADS_BENCH(loggp, threads_ring_512x2, small_ring_512x2, 512, Duration{4'903'556});

}  // namespace
}  // namespace stepsim::sim
