#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "model/cost/network/network.h"
#include "model/rewrite/ranks.h"
#include "scenarios/answer/predict.h"
#include "scenarios/question/scenario.h"
#include "sim/engine/engine.h"
#include "sim/engine/replays.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/sim/workloads.h"

/// How time grows with the size of a job. Each answer is compared with a closed form, and a wrong one ends the
/// benchmark with an error. Rows of one name differ in size by a factor of two; docs/performance.md says what the
/// ratio of their times may be.
namespace stepsim::sim {
namespace {

constexpr Bytes kMegabyte{1'000'000};

/// An all-reduce of the ranks [first, last), each on a stream of its own.
void add_all_reduce(DagBuilder& builder, int first, int last, Bytes bytes) {
  const RendezvousId rendezvous = builder.add_rendezvous({.op = CollectiveOp::kAllReduce, .bytes = bytes});
  const NameId name = builder.intern("all-reduce");
  for (int rank = first; rank < last; ++rank) {
    const LaneId lane = builder.add_lane({.name = "stream", .rank = rank});
    builder.join(rendezvous, builder.add_task({.kind = TaskKind::kCollective, .name = name, .lane = lane}));
  }
}

/// Replays so many all-reduces of a megabyte a rank over a star of 12.5 GB/s and 2 us, each of all ranks. They take
/// 2 (ranks - 1) rounds.
void all_reduces_on(benchmark::State& state, const char* model, int count, Duration round) {
  const int ranks = static_cast<int>(state.range(0));
  DagBuilder builder;
  for (int i = 0; i < count; ++i) add_all_reduce(builder, 0, ranks, Bytes{kMegabyte.count() * ranks});
  const Dag dag = std::move(builder).build().dag;
  const Cluster cluster = stepsim::testing::oracle_cluster(ranks);
  Machine machine{dag};
  machine.set_network(*find_network_model(model), cluster);
  for ([[maybe_unused]] auto _ : state) {
    const Timeline timeline = replay(dag, machine);
    if (*std::max_element(timeline.finish.begin(), timeline.finish.end()) - Time{} != 2 * (ranks - 1) * round) {
      state.SkipWithError("the all-reduces do not take their closed form");
      break;
    }
  }
}

/// A ring that has the network to itself: 2 us + 80 us a round.
void all_reduce_on(benchmark::State& state, const char* model) { all_reduces_on(state, model, 1, Duration{82'000}); }

BENCHMARK_CAPTURE(all_reduce_on, alpha_beta, "alpha_beta")
    ->RangeMultiplier(2)
    ->Range(1024, 8192)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce_on, fifo, "fifo")->RangeMultiplier(2)->Range(1024, 8192)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_reduce_on, maxmin, "maxmin")
    ->RangeMultiplier(2)
    ->Range(1024, 8192)
    ->Unit(benchmark::kMillisecond);

/// A capture of 2 ranks as one of many: each has as many tasks as those two.
void more_ranks(benchmark::State& state) {
  const Capture two = stepsim::testing::DataParallelJob{}.capture();
  const auto ranks = static_cast<std::size_t>(state.range(0));
  for ([[maybe_unused]] auto _ : state) {
    if (with_ranks(two, ranks).dag.task_count() != two.dag.task_count() / 2 * ranks) {
      state.SkipWithError("copies do not have the tasks of their originals");
      break;
    }
  }
}
BENCHMARK(more_ranks)->RangeMultiplier(2)->Range(256, 4096)->Unit(benchmark::kMillisecond);

/// Two rings that all ranks are in at once: each message has half of its links, 2 us + 160 us a round. So many messages
/// are sent, and every doubling of the ranks is four times as many.
void contending_rings(benchmark::State& state) {
  all_reduces_on(state, "maxmin", 2, Duration{162'000});
  const auto ranks = static_cast<double>(state.range(0));
  state.counters["messages"] =
      benchmark::Counter(4 * ranks * (ranks - 1), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(contending_rings)->RangeMultiplier(2)->Range(64, 512)->Unit(benchmark::kMillisecond);

/// cluster.workers from a capture of two ranks, whose buckets do not meet, to the answer; it is that of the model in
/// which messages never meet.
void more_workers(benchmark::State& state) {
  const Capture two = stepsim::testing::DataParallelJob{}.capture();
  const Cluster cluster = star(2, {.bandwidth = Bandwidth::from_bytes_per_second(1e9)});
  scenarios::Scenario scenario;
  scenarios::add_set(scenario, "cluster.workers=" + std::to_string(state.range(0)));
  const auto iteration = [&](const char* network) {
    scenarios::Predictor predictor(two, cluster, *find_network_model(network));
    scenarios::Plan plan = predictor.plan();
    for (const scenarios::Change& change : scenario.changes) change.apply(plan);
    return predictor.predict(plan).iteration;
  };
  const Duration expected = iteration("alpha_beta");
  for ([[maybe_unused]] auto _ : state) {
    if (iteration("maxmin") != expected) {
      state.SkipWithError("buckets that do not meet do not take what they take alone");
      break;
    }
  }
}
BENCHMARK(more_workers)->RangeMultiplier(2)->Range(256, 4096)->Unit(benchmark::kMillisecond);

/// Ranks in groups of eight, each with a collective of its own, on one network: one part.
void parts_of_groups(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  DagBuilder builder;
  for (int group = 0; group < ranks / 8; ++group) add_all_reduce(builder, 8 * group, 8 * (group + 1), kMegabyte);
  const Dag dag = std::move(builder).build().dag;
  const Cluster cluster = stepsim::testing::oracle_cluster(ranks);
  Machine machine{dag};
  machine.set_network(*find_network_model("maxmin"), cluster);
  std::vector<TaskId> sources;
  for (std::size_t i = 0; i < dag.task_count(); ++i) sources.emplace_back(i);
  for ([[maybe_unused]] auto _ : state) {
    if (deal_parts(dag, machine, sources, 2).size() != 1) {
      state.SkipWithError("groups that share a network are not one part");
      break;
    }
  }
}
BENCHMARK(parts_of_groups)->RangeMultiplier(2)->Range(2048, 16384)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepsim::sim
