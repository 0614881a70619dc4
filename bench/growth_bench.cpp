#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "model/cost/collective/algorithm.h"
#include "model/cost/network/network.h"
#include "sim/engine/engine.h"
#include "tests/sim/workloads.h"

/// How time grows with the size of a job. Each answer is compared with a closed form, and a wrong one ends the
/// benchmark with an error. Rows of one name differ in size by a factor of two; docs/performance.md says what the
/// ratio of their times may be.
namespace stepsim::sim {
namespace {

constexpr Bytes kMegabyte{1'000'000};

Dag all_reduce(int ranks, Bytes bytes) {
  DagBuilder builder;
  const RendezvousId rendezvous = builder.add_rendezvous({.op = CollectiveOp::kAllReduce, .bytes = bytes});
  const NameId name = builder.intern("all-reduce");
  for (int rank = 0; rank < ranks; ++rank) {
    const LaneId lane = builder.add_lane({.name = "stream", .rank = rank});
    builder.join(rendezvous, builder.add_task({.kind = TaskKind::kCollective, .name = name, .lane = lane}));
  }
  return std::move(builder).build().dag;
}

/// A ring all-reduce of a megabyte a rank over a star of 12.5 GB/s and 2 us: 2 (ranks - 1) (2 us + 80 us).
void all_reduce_on(benchmark::State& state, const char* model) {
  const int ranks = static_cast<int>(state.range(0));
  const Dag dag = all_reduce(ranks, Bytes{kMegabyte.count() * ranks});
  const Cluster cluster = stepsim::testing::oracle_cluster(ranks);
  Machine machine{dag};
  machine.set_network(*find_network_model(model), cluster);
  for (auto _ : state) {
    const Timeline timeline = replay(dag, machine);
    if (*std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{} !=
        2 * (ranks - 1) * Duration{82'000}) {
      state.SkipWithError("the all-reduce does not take its closed form");
      break;
    }
  }
}

BENCHMARK_CAPTURE(all_reduce_on, alpha_beta, "alpha_beta")
    ->RangeMultiplier(2)
    ->Range(1024, 8192)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce_on, fifo, "fifo")->RangeMultiplier(2)->Range(1024, 8192)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce_on, maxmin, "maxmin")
    ->RangeMultiplier(2)
    ->Range(1024, 8192)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepsim::sim
