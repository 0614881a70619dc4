#include <benchmark/benchmark.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bench/live_bytes.h"
#include "ingest/load/load.h"
#include "model/calibration/calibration.h"
#include "scenarios/advice/advice.h"
#include "scenarios/answer/sweep.h"
#include "tests/source_folder.h"

/// Measures sweeps of six bandwidths and six partition sizes over two BytePS captures: the sample, and the measured run
/// byteps-vgg (docs/internals/test-data.md) if it is there. Items are points. Every point is compared with a separate
/// prediction of it; a wrong one ends the benchmark with an error. Compare one thread with two only within one run.
/// Also measures the advice on the sample; another number of replays ends the benchmark with an error.
namespace stepsim::scenarios {
namespace {

constexpr const char* kEven = "scenarios/samples/byteps-even";
constexpr const char* kVgg = "../shared/truth/byteps/byteps-vgg/base";
constexpr const char* kGrid =
    "sweep:\n"
    "  network.bandwidth: [0.25x, 0.5x, 1x, 2x, 4x, 8x]\n"
    "  comm.partition_bytes: [128KiB, 256KiB, 512KiB, 1MiB, 2MiB, 4MiB]\n";

/// A capture and its predictor.
struct Job {
  explicit Job(const std::filesystem::path& folder)
      : capture(ingest::load({(folder / "traces").string()}, {.job_file = (folder / "job.yaml").string()})),
        cluster(calibrate(capture).cluster) {}

  [[nodiscard]] std::unique_ptr<Predictor> predictor() const {
    return std::make_unique<Predictor>(capture, cluster, *find_network_model("maxmin"));
  }

  Capture capture;
  Cluster cluster;
};

/// Loads the capture `name`. If it is not there, ends the benchmark and returns null.
std::unique_ptr<Job> load(benchmark::State& state, const char* name) {
  const std::filesystem::path folder = stepsim::source_folder() / name;
  if (std::filesystem::exists(folder)) return std::make_unique<Job>(folder);
  state.SkipWithError("the capture is absent");
  return nullptr;
}

std::vector<Duration> one_by_one(Predictor& predictor, const Scenario& scenario) {
  const Points points = points_of(scenario);
  const PointChanges changes(scenario);
  std::vector<Duration> times;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Plan plan = predictor.plan();
    apply_all(changes.of(points, i), plan);
    times.push_back(predictor.predict(plan).iteration);
  }
  return times;
}

std::vector<std::size_t> all_of(const Sweep& sweep) {
  std::vector<std::size_t> all(sweep.points().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

void sweep(benchmark::State& state, const char* folder) {
  const std::unique_ptr<Job> job = load(state, folder);
  if (job == nullptr) return;
  const Scenario scenario = parse_scenario(kGrid, "grid");
  const std::vector<Duration> expected = one_by_one(*job->predictor(), scenario);
  for ([[maybe_unused]] auto _ : state) {
    const std::unique_ptr<Predictor> predictor = job->predictor();
    Sweep sweep(*predictor, scenario);
    std::size_t right = 0;
    const auto check = [&](std::size_t point, const Outcome& one) {
      right += one.iteration && one.iteration->mid == expected[point] ? 1U : 0U;
    };
    sweep.run(all_of(sweep), {.threads = static_cast<int>(state.range(0)), .done = check});
    if (right != expected.size()) state.SkipWithError("a point is not what it is alone");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(expected.size()));
}
BENCHMARK_CAPTURE(sweep, even, kEven)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(sweep, vgg, kVgg)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

std::atomic<std::size_t> replays{0};

/// Returns the network model maxmin, which counts its replays.
const NetworkModel& counting_maxmin() {
  static const NetworkModel counting = [] {
    NetworkModel model = *find_network_model("maxmin");
    model.make = [](const Cluster& cluster) {
      ++replays;
      return find_network_model("maxmin")->make(cluster);
    };
    return model;
  }();
  return counting;
}

/// The captured job is replayed once, and again for each of its variants in ranges; each change for itself and for each
/// variant in its range.
constexpr std::size_t kReplaysOfAdvice = 110;

void advice(benchmark::State& state) {
  const std::unique_ptr<Job> job = load(state, kEven);
  if (job == nullptr) return;
  for ([[maybe_unused]] auto _ : state) {
    Predictor predictor(job->capture, job->cluster, counting_maxmin());
    replays = 0;
    benchmark::DoNotOptimize(advise(predictor, nullptr, {.threads = static_cast<int>(state.range(0))}));
    if (replays != kReplaysOfAdvice) state.SkipWithError(("replays: " + std::to_string(replays)).c_str());
  }
  state.counters["replays"] = static_cast<double>(replays);
}
BENCHMARK(advice)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Measures the memory that the prediction of one point takes, without its graph. One thread predicts one point at a
/// time. All points of the sweep share one graph, which is made before the measurement.
void memory_of_a_point(benchmark::State& state, const char* folder, const char* points) {
  const std::unique_ptr<Job> job = load(state, folder);
  if (job == nullptr) return;
  const std::unique_ptr<Predictor> predictor = job->predictor();
  const Scenario scenario = parse_scenario(points, "points");
  Plan plan = predictor->plan();
  for (const Change& change : scenario.changes) change.apply(plan);
  std::size_t tasks = 0;
  std::size_t most = 0;
  for ([[maybe_unused]] auto _ : state) {
    tasks = predictor->predict(plan).graph->dag.task_count();
    Sweep sweep(*predictor, scenario);
    const std::vector<std::size_t> all = all_of(sweep);
    const std::size_t before = bench::live_bytes();
    bench::mark();
    sweep.run(all, {.threads = 1, .done = [](std::size_t, const Outcome&) {}});
    most = bench::most_live_bytes() - before;
  }
  state.counters["tasks"] = static_cast<double>(tasks);
  state.counters["bytes_per_task"] = static_cast<double>(most) / static_cast<double>(tasks);
}

constexpr const char* kBandwidths = "sweep: {network.bandwidth: [0.25x, 1x, 4x]}";
constexpr const char* kCompute = "sweep: {compute.scale: [0.5, 1.5, 2]}";
constexpr const char* kStragglers = "sweep: {straggler.factor: [1.5, 2]}";
constexpr const char* kPartitions =
    "changes: [{comm: {partition_bytes: 256KiB}}]\n"
    "sweep: {network.bandwidth: [0.25x, 1x, 4x]}";
BENCHMARK_CAPTURE(memory_of_a_point, even_bandwidths, kEven, kBandwidths)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(memory_of_a_point, even_compute, kEven, kCompute)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(memory_of_a_point, vgg_bandwidths, kVgg, kBandwidths)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(memory_of_a_point, vgg_compute, kVgg, kCompute)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(memory_of_a_point, vgg_stragglers, kVgg, kStragglers)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(memory_of_a_point, vgg_partitions, kVgg, kPartitions)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepsim::scenarios
