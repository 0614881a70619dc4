#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/live_bytes.h"
#include "model/cost/network/network.h"
#include "sim/engine/engine.h"
#include "tests/sim/workloads.h"

/// The workloads of ../shared/oracles/README.md under network models. Items are tasks; each
/// replay's makespan is held against that of SimGrid, LogGOPSim, a closed form or a reference of the tests, and a wrong
/// one ends the benchmark with an error. bench/table.py makes docs/performance.md's table of
/// the result.
namespace stepsim::sim {
namespace {

using stepsim::testing::parameter_server_builder;
using stepsim::testing::ParameterServerShape;
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

/// ps 64 8 L 3 I; `in_flight` pushes a worker at most, 0 = as many as there are.
DagBuilder servers(int layers, int iterations, Bytes bytes, int in_flight = 0, LaneOrder sums = LaneOrder::kEdges) {
  return parameter_server_builder({.workers = 64,
                                   .servers = 8,
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

/// What is replayed, on how many hosts, and how long it takes.
struct Workload {
  DagBuilder (*make)();
  int hosts = 0;
  Duration makespan{};
  Duration digit{1};    ///< of the answer's last digit
  Duration at_least{};  ///< where no exact answer exists: the makespan is at least this and at most `makespan`
  bool cold = false;    ///< each replay begins with nothing of its graph in the caches, as a single one does
};

/// Fills the caches with something else.
void empty_caches() {
  static std::vector<char> other(std::size_t{256} << 20U);
  constexpr std::size_t kLine = 64;
  for (std::size_t i = 0; i < other.size(); i += kLine) ++other[i];
  benchmark::DoNotOptimize(other.data());
}

/// SimGrid's answers have six decimals of a second.
constexpr Duration kMicrosecond{1000};
constexpr Duration microseconds(std::int64_t count) { return count * kMicrosecond; }

Duration makespan(const Timeline& timeline) {
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{};
}

/// `what` rounded to the answer's last digit.
Duration rounded(Duration what, Duration digit) { return (what + digit / 2) / digit * digit; }

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
  for (auto _ : state) {
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
  state.counters["bytes_per_task"] =
      static_cast<double>(bench::most_live_bytes() - before) / static_cast<double>(dag.task_count());
}

void maxmin(benchmark::State& state, const Workload& workload) {
  replay_on(state, "maxmin", stepsim::testing::oracle_cluster(workload.hosts), workload);
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

/// Rounds of a ring with nobody else on the links: 2 (ranks - 1) of 2 us and 1 MB at 12.5 GB/s.
constexpr Duration alone(int ranks, int all_reduces) { return all_reduces * 2 * (ranks - 1) * microseconds(82); }

DagBuilder ring_64x12() { return ring(64, 12, kMegabyte); }
DagBuilder ring_64x120() { return ring(64, 120, kMegabyte); }
DagBuilder ring_512x2() { return ring(512, 2, kMegabyte); }
DagBuilder train_64x1() { return train(64, 1, kMegabyte); }
DagBuilder train_64x10() { return train(64, 10, kMegabyte); }
DagBuilder train_256x1() { return train(256, 1, kMegabyte); }
DagBuilder servers_1() { return servers(50, 1, kMegabyte); }
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
// Eight pushes and eight pulls a worker under way at most. The exact answer is that of
// bench/fluid_reference.py. Over 50 layers none exists: who is next depends on nanoseconds, and
// the reference's own answer moves from 144 to 162 ms when it rounds ends up to them. There the
// bounds are 150 x 64 MB over eight servers' links, and the time without the limit.
STEPSIM_MODEL_BENCH(maxmin, ps_64x8x10x3x1_credit_8, few_layers_credit, 72, microseconds(36'901), kMicrosecond);
STEPSIM_MODEL_BENCH(maxmin, ps_64x8x50x3x1_credit_8, servers_credit, 72, microseconds(185'664), kMicrosecond,
                    microseconds(96'000));

STEPSIM_MODEL_BENCH(alpha_beta, ring_64x120, ring_64x120, 64, alone(64, 120));

STEPSIM_MODEL_BENCH(fifo, ring_64x12, ring_64x12, 64, alone(64, 12));
STEPSIM_MODEL_BENCH(fifo, ring_64x120, ring_64x120, 64, alone(64, 120));
STEPSIM_MODEL_BENCH(fifo, ring_512x2, ring_512x2, 512, alone(512, 2));

STEPSIM_MODEL_BENCH(loggp, ring_64x12, small_ring_64x12, 64, Duration{3'627'288});
STEPSIM_MODEL_BENCH(loggp, ring_64x120, small_ring_64x120, 64, Duration{36'272'880});
STEPSIM_MODEL_BENCH(loggp, ring_512x2, small_ring_512x2, 512, Duration{4'903'556});
STEPSIM_MODEL_BENCH(loggp, ring_1024x1, small_ring_1024x1, 1024, Duration{4'908'354});
// LogGOPSim's arithmetic with causality, by tests/theory/log_gops_reference.cpp: its own totals of
// these begin operations before what they wait for has ended (docs/models.md, "loggp").
STEPSIM_MODEL_BENCH(loggp, train_64x10x1, small_train_64x1, 64, Duration{2'215'435});
STEPSIM_MODEL_BENCH(loggp, train_64x10x10, small_train_64x10, 64, Duration{22'190'545});
STEPSIM_MODEL_BENCH(loggp, ps_64x8x50x3x1, small_servers_1, 72, Duration{7'877'445});
STEPSIM_MODEL_BENCH(loggp, ps_64x8x50x3x50, small_servers_50, 72, Duration{392'172'036});

// How time grows with ten times the tasks. Replayed again and again, the smaller graph stays in the
// caches and the larger one does not; a single replay finds both in memory.
STEPSIM_MODEL_BENCH(fifo, cold_ring_64x12, ring_64x12, 64, alone(64, 12), Duration{1}, {}, true);
STEPSIM_MODEL_BENCH(fifo, cold_ring_64x120, ring_64x120, 64, alone(64, 120), Duration{1}, {}, true);
STEPSIM_MODEL_BENCH(loggp, cold_train_64x10x1, small_train_64x1, 64, Duration{2'215'435}, Duration{1}, {}, true);
STEPSIM_MODEL_BENCH(loggp, cold_train_64x10x10, small_train_64x10, 64, Duration{22'190'545}, Duration{1}, {}, true);
STEPSIM_MODEL_BENCH(maxmin, cold_train_64x10x1, train_64x1, 64, microseconds(101'438), kMicrosecond, {}, true);
STEPSIM_MODEL_BENCH(maxmin, cold_train_64x10x10, train_64x10, 64, microseconds(1'014'367), kMicrosecond, {}, true);
STEPSIM_MODEL_BENCH(maxmin, cold_ps_64x8x50x3x1, servers_1, 72, microseconds(185'664), kMicrosecond, {}, true);
// No other simulator has an answer: ten times 150 x 64 MB over eight links, and ten iterations one by one.
STEPSIM_MODEL_BENCH(maxmin, cold_ps_64x8x50x3x10, servers_10, 72, microseconds(1'856'640), kMicrosecond,
                    microseconds(960'000), true);

/// Two threads against one, in real time.
#define STEPSIM_THREADS_BENCH(model, name, ...) \
  BENCHMARK_CAPTURE(model, name, Workload{__VA_ARGS__})->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond)

/// One iteration of train on 256 ranks: forwards and backwards, which take up to 5 us more than they
/// say, then the last layer's ring.
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
