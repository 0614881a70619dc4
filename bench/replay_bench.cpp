#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/live_bytes.h"
#include "sim/analysis/critical_path.h"
#include "sim/engine/engine.h"
#include "tests/sim/workloads.h"

/// Measures build, replay and critical path of the workloads of docs/internals/test-data.md with recorded durations, on
/// one thread. Items are tasks. Every makespan is compared with a closed form or a simple longest path; a wrong one
/// ends the benchmark with an error.
namespace stepsim::sim {
namespace {

using stepsim::testing::ring_builder;
using stepsim::testing::train_builder;

constexpr Duration kMessage{1000};

/// Returns a ring with 967,680 tasks: 120 all-reduces of 126 rounds of 64 messages.
DagBuilder ring(LaneOrder order) {
  return ring_builder({.ranks = 64, .all_reduces = 120, .message = kMessage, .order = order});
}

/// Returns a tenth of `ring`, to show how time grows.
DagBuilder small_ring(LaneOrder order) {
  return ring_builder({.ranks = 64, .all_reduces = 12, .message = kMessage, .order = order});
}

/// Returns a ring like ring(), with messages of 1000 to 1499 ns, so that no two tasks end at the same time.
DagBuilder uneven_ring(LaneOrder order) {
  return ring_builder({.ranks = 64, .all_reduces = 120, .message = kMessage, .jitter = 500, .order = order});
}

/// Returns the workload train with 819,200 tasks.
DagBuilder train(LaneOrder order) {
  return train_builder({.ranks = 64, .layers = 10, .iterations = 10, .message = kMessage, .jitter = 0, .order = order});
}

/// Returns the makespan of ring(): its rounds run one after another.
Duration ring_makespan(const Dag&) { return 120 * 126 * kMessage; }

/// Returns the makespan of small_ring(): its rounds run one after another.
Duration small_ring_makespan(const Dag&) { return 12 * 126 * kMessage; }

Duration train_makespan(const Dag&) { return 10 * (10 * Duration{150'000} + 126 * kMessage); }

/// Returns the length of the longest path. FIFO lanes add no delay, because a rank's next message waits for the
/// previous one anyway.
Duration longest_path(const Dag& dag) {
  std::vector<Duration> ready(dag.task_count());
  Duration longest{};
  for (std::size_t i = 0; i < dag.task_count(); ++i) {
    const Duration end = ready[i] + dag.duration(TaskId{i});
    longest = std::max(longest, end);
    for (const TaskId next : dag.successors(TaskId{i})) ready[next.index()] = std::max(ready[next.index()], end);
  }
  return longest;
}

using Make = DagBuilder (*)(LaneOrder order);
/// A function that returns the expected makespan.
using Answer = Duration (*)(const Dag& dag);

Duration makespan(const Timeline& timeline) {
  return *std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{};
}

void set_items(benchmark::State& state, std::size_t tasks) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(tasks));
}

double per_task(std::size_t bytes, std::size_t tasks) {
  return static_cast<double>(bytes) / static_cast<double>(tasks);
}

void build(benchmark::State& state, Make make) {
  std::size_t tasks = 0;
  std::size_t bytes = 0;
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    const std::size_t before = bench::live_bytes();
    DagBuilder builder = make(LaneOrder::kEdges);
    state.ResumeTiming();
    const Dag dag = std::move(builder).build().dag;
    benchmark::DoNotOptimize(dag.edge_count());
    state.PauseTiming();
    tasks = dag.task_count();
    bytes = bench::live_bytes() - before;
    state.ResumeTiming();
  }
  set_items(state, tasks);
  state.counters["dag_bytes_per_task"] = per_task(bytes, tasks);
}

void replay(benchmark::State& state, Make make, LaneOrder order, Answer answer) {
  const std::size_t before = bench::live_bytes();
  const Dag dag = make(order).build().dag;
  const Machine machine{dag};
  const Duration expected = answer(dag);
  bench::mark();
  for ([[maybe_unused]] auto _ : state) {
    const Timeline timeline = sim::replay(dag, machine);
    if (makespan(timeline) != expected) {
      state.SkipWithError("the makespan is wrong");
      break;
    }
  }
  set_items(state, dag.task_count());
  state.counters["bytes_per_task"] = per_task(bench::most_live_bytes() - before, dag.task_count());
}

void path(benchmark::State& state, Make make, Answer answer) {
  const Dag dag = make(LaneOrder::kFifo).build().dag;
  const Machine machine{dag};
  const Timeline timeline = sim::replay(dag, machine);
  const auto last = std::max_element(timeline.finish.begin(), timeline.finish.end()) - timeline.finish.begin();
  for ([[maybe_unused]] auto _ : state) {
    const CriticalPath found = critical_path(dag, machine, timeline, TaskId{static_cast<std::size_t>(last)});
    if (found.length != answer(dag)) {
      state.SkipWithError("the path is not as long as the replay");
      break;
    }
  }
}

/// Measures a lower bound on the cost of a replay: the time to visit every task and edge once, in order of id.
void longest_path_alone(benchmark::State& state, Make make) {
  const Dag dag = make(LaneOrder::kEdges).build().dag;
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(longest_path(dag));
  set_items(state, dag.task_count());
}

constexpr auto kEdges = LaneOrder::kEdges;
constexpr auto kFifo = LaneOrder::kFifo;

BENCHMARK_CAPTURE(build, ring_64x120, ring)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build, train_64x10x10, train)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, ring_64x120 / lanes : edges, ring, kEdges, ring_makespan)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, ring_64x120 / lanes : fifo, ring, kFifo, ring_makespan)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, ring_64x12 / lanes
                  : fifo, small_ring, kFifo, small_ring_makespan)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, uneven_ring_64x120 / lanes
                  : edges, uneven_ring, kEdges, longest_path)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, uneven_ring_64x120 / lanes
                  : fifo, uneven_ring, kFifo, longest_path)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, train_64x10x10 / lanes : edges, train, kEdges, train_makespan)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(longest_path_alone, ring_64x120, ring)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(path, ring_64x120, ring, ring_makespan)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepsim::sim
