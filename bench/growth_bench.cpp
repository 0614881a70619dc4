#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/cost/collective/algorithm.h"
#include "model/cost/network/network.h"
#include "model/job/topology.h"
#include "model/rewrite/ranks.h"
#include "scenarios/answer/predict.h"
#include "scenarios/change/selection.h"
#include "scenarios/question/scenario.h"
#include "sim/analysis/longest_path.h"
#include "sim/analysis/slow_ranks.h"
#include "sim/engine/engine.h"
#include "sim/engine/replays.h"
#include "tests/model/rewrite/data_parallel_job.h"
#include "tests/model/rewrite/transformer_job.h"
#include "tests/sim/workloads.h"

/// Measures how time grows with the size of a job. Each answer is compared with a closed form; a wrong one ends the
/// benchmark with an error. Consecutive sizes of a benchmark differ by a factor of two; docs/internals/performance.md
/// states how much longer the larger one may take.
namespace stepsim::sim {
namespace {

constexpr Bytes kMegabyte{1'000'000};

/// Adds an all-reduce of the ranks [first, last), each on a separate stream.
void add_all_reduce(DagBuilder& builder, int first, int last, Bytes bytes) {
  const RendezvousId rendezvous = builder.add_rendezvous({.op = CollectiveOp::kAllReduce, .bytes = bytes});
  const NameId name = builder.intern("all-reduce");
  for (int rank = first; rank < last; ++rank) {
    const LaneId lane = builder.add_lane({.name = "stream", .rank = rank});
    builder.join(rendezvous, builder.add_task({.kind = TaskKind::kCollective, .name = name, .lane = lane}));
  }
}

/// Replays `count` simultaneous all-reduces over a star of 12.5 GB/s and 2 us. Each includes all ranks, with a megabyte
/// per rank. Together they take 2 (ranks - 1) rounds of length `round`.
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

/// Replays one ring without contention: each round takes 2 us of latency and 80 us for a megabyte.
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

/// Turns a capture of 2 ranks into one of many ranks. Each rank has as many tasks as a rank of the capture.
void more_ranks(benchmark::State& state) {
  const Capture two = stepsim::testing::DataParallelJob{}.capture();
  const auto ranks = static_cast<std::size_t>(state.range(0));
  for ([[maybe_unused]] auto _ : state) {
    if (with_ranks(two, ranks, every_rank).dag.task_count() != two.dag.task_count() / 2 * ranks) {
      state.SkipWithError("copies do not have the tasks of their originals");
      break;
    }
  }
}
BENCHMARK(more_ranks)->RangeMultiplier(2)->Range(256, 4096)->Unit(benchmark::kMillisecond);

/// Replays two simultaneous rings of all ranks. Each message gets half the rate of its links, so a round takes 2 us of
/// latency and 160 us for a megabyte. Every message is simulated; twice the ranks send four times as many messages.
void contending_rings(benchmark::State& state) {
  all_reduces_on(state, "maxmin", 2, Duration{162'000});
  const auto ranks = static_cast<double>(state.range(0));
  state.counters["messages"] =
      benchmark::Counter(4 * ranks * (ranks - 1), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(contending_rings)->RangeMultiplier(2)->Range(64, 512)->Unit(benchmark::kMillisecond);

/// Predicts the change `cluster.workers` for a capture of two ranks whose buckets do not overlap on the network. The
/// prediction must equal that of a network model without contention.
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

/// Returns the capture of a step of one GPU: forward and backward passes of layers, and an optimizer.
Capture one_gpu() { return stepsim::testing::TransformerJob{.layers = 8, .batch = 4}.capture(); }

/// Predicts the iteration of a pipeline of four stages for a number of microbatches. However many there are, as few
/// tasks are replayed, and each microbatch adds the same time, in whole nanoseconds.
void more_microbatches(benchmark::State& state) {
  const Capture one = one_gpu();
  Cluster host;
  host.hosts.push_back({"0"});
  host.endpoints.push_back({HostId{0}, {}});
  const auto iteration = [&](std::int64_t microbatches) {
    scenarios::Scenario scenario;
    scenarios::add_set(scenario, "parallel.pipeline=4");
    scenarios::add_set(scenario, fmt::format("parallel.microbatches={}", microbatches));
    scenarios::add_set(scenario, fmt::format("batch.scale={}", microbatches));
    scenarios::Predictor predictor(one, host, *find_network_model("alpha_beta"));
    scenarios::Plan plan = predictor.plan();
    scenarios::apply_all(scenario.changes, plan);
    return predictor.iteration(plan, scenarios::Sides{});
  };
  const std::int64_t microbatches = state.range(0);
  for ([[maybe_unused]] auto _ : state) {
    const scenarios::PredictedIteration found = iteration(microbatches);
    const scenarios::PredictedIteration half = iteration(microbatches / 2);
    const Duration period = iteration(microbatches / 2 + 1).length - half.length;
    if (found.length != half.length + period * (microbatches / 2) || found.tasks != half.tasks) {
      state.SkipWithError("more microbatches do not take as much longer, or more tasks are replayed");
      break;
    }
  }
}
BENCHMARK(more_microbatches)->RangeMultiplier(2)->Range(256, 4096)->Unit(benchmark::kMillisecond);

/// Divides a job into parts that can be replayed separately. The job has one collective per group of eight ranks.
/// Because all groups share a network, the job is one part.
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

/// Finds the longest path of each GPU of a job: compute for 1 ns, one collective of 5 ns of all GPUs, compute for 2 ns.
/// The members of the collective must be read once, not once for each GPU.
void paths_of_gpus(benchmark::State& state) {
  const auto ranks = static_cast<std::size_t>(state.range(0));
  DagBuilder builder;
  const NameId name = builder.intern("task");
  const RendezvousId rendezvous = builder.add_rendezvous();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const LaneId lane = builder.add_lane({.name = "lane", .rank = static_cast<Rank>(rank)});
    TaskId before;
    for (const auto& [kind, length] :
         {std::pair{TaskKind::kHost, 1}, {TaskKind::kCollective, 5}, {TaskKind::kHost, 2}}) {
      const TaskId task = builder.add_task({.kind = kind, .name = name, .lane = lane, .duration = Duration{length}});
      if (before.valid()) builder.add_edge(before, task, EdgeKind::kData);
      if (kind == TaskKind::kCollective) builder.join(rendezvous, task);
      before = task;
    }
  }
  const Dag dag = std::move(builder).build().dag;
  const Timeline timeline = replay(dag, Machine{dag});
  TaskSets sets(dag.task_count());
  for (std::size_t i = 0; i < sets.size(); ++i) sets[i] = dag.lane(TaskId{i}).rank;
  for ([[maybe_unused]] auto _ : state) {
    const std::vector<CriticalPath> paths = longest_paths(dag, timeline, sets, ranks);
    if (std::any_of(paths.begin(), paths.end(), [](const CriticalPath& path) { return path.length != Duration{8}; })) {
      state.SkipWithError("a GPU alone does not take the sum of its tasks");
      break;
    }
  }
}
BENCHMARK(paths_of_gpus)->RangeMultiplier(2)->Range(1024, 8192)->Unit(benchmark::kMillisecond);

/// Finds what the slow ranks of a job cost. The ranks compute for 1 to 4 ns, which makes four classes of like ranks,
/// and reduce for 5 ns together. Two replays of each class must be enough: the mean is 2.5 ns, which counts as 3.
void slow_ranks_of_classes(benchmark::State& state) {
  constexpr std::size_t kClasses = 4;
  const auto ranks = static_cast<std::size_t>(state.range(0));
  DagBuilder builder;
  Capture capture;
  const RendezvousId all = builder.add_rendezvous();
  std::vector<TaskId> firsts;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const LaneId lane = builder.add_lane({.name = "lane", .rank = static_cast<Rank>(rank)});
    const auto length = static_cast<std::int64_t>(1 + rank % kClasses);
    firsts.push_back(builder.add_task(
        {.kind = TaskKind::kOperator, .name = builder.intern("compute"), .lane = lane, .duration = Duration{length}}));
    builder.join(
        all,
        builder.add_task(
            {.kind = TaskKind::kCollective, .name = builder.intern("reduce"), .lane = lane, .duration = Duration{5}}));
    builder.add_edge(firsts.back(), TaskId{builder.task_count() - 1}, EdgeKind::kProgram);
  }
  DagBuilder::Result built = std::move(builder).build();
  capture.dag = std::move(built.dag);
  const Timeline recorded = replay(capture.dag, Machine{capture.dag});
  capture.recording.start = recorded.start;
  capture.recording.finish = recorded.finish;
  for (const TaskId task : capture.dag.tasks()) capture.recording.step.push_back(capture.dag.lane(task).rank);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    capture.recording.ranks.push_back(static_cast<Rank>(rank));
    capture.recording.steps.push_back({.rank = static_cast<Rank>(rank), .first = built.new_id[firsts[rank].index()]});
  }
  for ([[maybe_unused]] auto _ : state) {
    std::size_t replays = 0;
    const auto slow = slow_ranks(capture, {.progress = [&replays](std::size_t /*done*/) { ++replays; }});
    if (!slow || slow->ideal != Duration{3 + 5} || slow->ranks.front().slowdown != 9.0 / 8) {
      state.SkipWithError("a rank of 4 ns does not cost 1 ns");
      break;
    }
    if (replays != 2 + 2 * kClasses) {
      state.SkipWithError("like ranks are replayed more than once");
      break;
    }
  }
}
BENCHMARK(slow_ranks_of_classes)->RangeMultiplier(2)->Range(1024, 8192)->Unit(benchmark::kMillisecond);

/// Selects the host tasks of a capture with as many operators as tasks. All names differ; each must be looked up, not
/// compared with each operator.
void selected_tasks(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  DagBuilder builder;
  Capture capture;
  const LaneId thread = builder.add_lane({.name = "thread", .rank = 0});
  for (std::size_t i = 0; i < count; ++i) {
    const NameId name = builder.intern("host" + std::to_string(i));
    builder.add_task({.kind = TaskKind::kHost, .name = name, .lane = thread, .duration = Duration{1}});
    capture.operators.operators.push_back({"operator" + std::to_string(i), "", {}});
  }
  capture.dag = std::move(builder).build().dag;
  scenarios::Scenario scenario;
  scenarios::add_set(scenario, "compute{kind=host}.scale=0.5");
  for ([[maybe_unused]] auto _ : state) {
    const auto selection = scenarios::selection_of(scenario.changes.front(), capture);
    if (!selection || selection->parts.at(0).tasks != count) {
      state.SkipWithError("not all host tasks are selected");
      break;
    }
  }
}
BENCHMARK(selected_tasks)->RangeMultiplier(2)->Range(4096, 32'768)->Unit(benchmark::kMillisecond);

/// Reads an axis of a sweep, as Python and --set give it. The text of all values is the place of each in messages.
void values_of_axis(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::string text = "compute.scale=1";
  for (std::size_t i = 1; i < count; ++i) text += fmt::format(",{}", 1 + static_cast<double>(i) / 1e6);
  for ([[maybe_unused]] auto _ : state) {
    scenarios::Scenario scenario;
    scenarios::add_set(scenario, text);
    if (scenario.sweep.size() != 1 || scenario.sweep.front().values.value->items.size() != count) {
      state.SkipWithError("not all values are read");
      break;
    }
  }
}
BENCHMARK(values_of_axis)->RangeMultiplier(2)->Range(4096, 32'768)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepsim::sim
