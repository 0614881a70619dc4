#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bench/live_bytes.h"
#include "ingest/load.h"
#include "model/calibration/calibration.h"
#include "scenarios/sweep.h"

/// Sweeps of six bandwidths and six partition sizes over scenarios/samples/byteps-even. Items are
/// points. Every point is held against its prediction alone; a wrong one ends the benchmark with an
/// error. Ratios are within one run: compare sweep/1 with sweep/2.
namespace stepsim::scenarios {
namespace {

constexpr const char* kGrid =
    "sweep:\n"
    "  network.bandwidth: [0.25x, 0.5x, 1x, 2x, 4x, 8x]\n"
    "  comm.partition_bytes: [128KiB, 256KiB, 512KiB, 1MiB, 2MiB, 4MiB]\n";
constexpr const char* kBandwidths = "sweep: {network.bandwidth: [0.25x, 0.5x, 1x, 2x, 4x, 8x]}";

/// The sample, and what can be asked of it.
struct Sample {
  Sample() {
    const std::filesystem::path folder = std::filesystem::path(STEPSIM_SOURCE_DIR) / "scenarios/samples/byteps-even";
    capture = ingest::load({(folder / "traces").string()}, {.job_file = (folder / "job.yaml").string()});
    predictor = std::make_unique<Predictor>(capture, calibrate(capture).cluster, *find_network_model("maxmin"));
  }
  Capture capture;
  std::unique_ptr<Predictor> predictor;
};

Sample& sample() {
  static Sample one;
  return one;
}

std::vector<Duration> one_by_one(const Scenario& scenario) {
  const Points points = points_of(scenario);
  const PointChanges changes(scenario);
  std::vector<Duration> times;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Plan plan = sample().predictor->plan();
    changes.apply(points, i, plan);
    times.push_back(sample().predictor->predict(plan).iteration);
  }
  return times;
}

std::vector<std::size_t> all_of(const Sweep& sweep) {
  std::vector<std::size_t> all(sweep.points().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

void sweep(benchmark::State& state) {
  const Scenario scenario = parse_scenario(kGrid, "grid");
  const std::vector<Duration> expected = one_by_one(scenario);
  for (auto _ : state) {
    Predictor predictor(sample().capture, sample().predictor->plan().cluster, *find_network_model("maxmin"));
    Sweep sweep(predictor, scenario);
    std::size_t right = 0;
    const auto check = [&](std::size_t point, const Outcome& one) {
      right += one.iteration == expected[point] ? 1U : 0U;
    };
    sweep.run(all_of(sweep), {.threads = static_cast<int>(state.range(0)), .done = check});
    if (right != expected.size()) state.SkipWithError("a point is not what it is alone");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(expected.size()));
}
BENCHMARK(sweep)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

/// What a point in flight takes beside the graph, which is there before and after: on one thread,
/// which has one in flight.
void memory_of_a_point(benchmark::State& state) {
  Predictor& predictor = *sample().predictor;
  const Scenario scenario = parse_scenario(kBandwidths, "bandwidths");
  const std::size_t tasks = predictor.predict(predictor.plan()).graph->dag.task_count();
  const auto graph = predictor.predict(predictor.plan()).graph;
  std::size_t most = 0;
  for (auto _ : state) {
    Sweep sweep(predictor, scenario);
    const std::vector<std::size_t> all = all_of(sweep);
    const std::size_t before = bench::live_bytes();
    bench::mark();
    sweep.run(all, {.threads = 1, .done = [](std::size_t, const Outcome&) {}});
    most = bench::most_live_bytes() - before;
    benchmark::DoNotOptimize(predictor.predict(predictor.plan()).graph);  // the graph is made again
  }
  state.counters["bytes_per_task"] = static_cast<double>(most) / static_cast<double>(tasks);
}
BENCHMARK(memory_of_a_point)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepsim::scenarios
