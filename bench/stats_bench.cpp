#include <benchmark/benchmark.h>

#include <algorithm>

#include "model/job/dag_builder.h"
#include "sim/stats/statistics.h"

/// Measures statistics of a loaded capture. It has 2.4 M kernels of 100 names on 4 streams of one device; every eighth
/// is a collective. With details, each kernel is launched by a call, and every four of these calls belong to one
/// operator. Items are kernels. Sums are compared with closed forms; a wrong one ends the benchmark with an error.
namespace stepsim::sim {
namespace {

constexpr std::int64_t kStreams = 4;
constexpr std::int64_t kNames = 100;
constexpr std::int64_t kLength = 3000;
constexpr std::int64_t kPace = 1000;  ///< a kernel begins every microsecond and takes three

Capture capture_of(std::int64_t kernels) {
  DagBuilder builder;
  std::vector<LaneId> lanes;
  lanes.reserve(kStreams);
  for (std::int64_t stream = 0; stream < kStreams; ++stream) {
    lanes.push_back(builder.add_lane(
        {.name = "stream " + std::to_string(stream), .rank = 0, .kind = LaneKind::kStream, .device = 0}));
  }
  std::vector<NameId> names;
  for (std::int64_t name = 0; name < kNames; ++name) names.push_back(builder.intern("kernel_" + std::to_string(name)));
  Capture capture;
  for (std::int64_t i = 0; i < kernels; ++i) {
    const Time begin{Duration{i * kPace}};
    const TaskKind kind = i % (2 * kStreams) == 0 ? TaskKind::kCollective : TaskKind::kKernel;
    (void)builder.add_task({kind,
                            names[static_cast<std::size_t>(i % kNames)],
                            lanes[static_cast<std::size_t>(i % kStreams)],
                            Duration{kLength},
                            {},
                            begin});
    capture.recording.start.push_back(begin);
    capture.recording.finish.push_back(begin + Duration{kLength});
    capture.recording.step.push_back(-1);
  }
  capture.recording.ranks = {0};
  capture.dag = std::move(builder).build().dag;  // ids are unchanged, because the dag has no edges
  return capture;
}

/// Returns details in which operator i / kStreams launches kernel i, kPace / 2 before the kernel begins.
TraceDetails details_of(std::int64_t kernels) {
  TraceDetails details;
  details.names = {"aten::linear", "cudaLaunchKernel"};
  details.threads = {{0, "thread 1"}};
  std::uint32_t caller = TraceDetails::kNone;
  for (std::int64_t i = 0; i < kernels; ++i) {
    const Time at{Duration{i * kPace - kPace / 2}};
    if (i % kStreams == 0) {
      caller = static_cast<std::uint32_t>(details.calls.size());
      details.calls.push_back({.start = at, .duration = Duration{kStreams * kPace - 1}, .kind = CallKind::kOperator});
    }
    details.launches.push_back({TaskId{static_cast<std::size_t>(i)}, static_cast<std::uint32_t>(details.calls.size())});
    details.calls.push_back(
        {.start = at, .duration = Duration{kPace / 4}, .name = 1, .caller = caller, .kind = CallKind::kRuntime});
  }
  return details;
}

/// Measures statistics with launches. Each launching call begins kPace / 2 before its kernel. When the call begins, the
/// kernel's stream has been idle for kPace / 2.
void BM_LaunchedStats(benchmark::State& state) {
  const std::int64_t kernels = state.range(0);
  const Capture capture = capture_of(kernels);
  const TraceDetails details = details_of(kernels);
  for ([[maybe_unused]] auto _ : state) {
    const Statistics statistics =
        statistics_of(capture, details, "bench", {.key = StatsKey::kName, .order = StatsOrder::kSelf});
    std::size_t launched = 0;
    std::size_t calls = 0;
    for (const LaunchUse& use : statistics.launches)
      launched += use.delay.median == Duration{kPace / 4} ? use.work.count : 0;
    for (const KernelSequence& sequence : statistics.sequences) calls += sequence.calls;
    const StreamUse& stream = statistics.streams.front();
    if (launched != static_cast<std::size_t>(kernels) || calls != launched / kStreams || stream.longest.length != 1 ||
        stream.host_wait != Duration{(kernels / kStreams - 1) * (kStreams * kPace - kLength)}) {
      state.SkipWithError("a sum is wrong");
      return;
    }
  }
  state.SetItemsProcessed(state.iterations() * kernels);
}
BENCHMARK(BM_LaunchedStats)->ArgName("kernels")->Arg(240'000)->Arg(2'400'000)->Unit(benchmark::kMillisecond);

void BM_Stats(benchmark::State& state) {
  const std::int64_t kernels = state.range(0);
  const Capture capture = capture_of(kernels);
  const auto key = static_cast<StatsKey>(state.range(1));
  for ([[maybe_unused]] auto _ : state) {
    const Statistics statistics = statistics_of(capture, {}, "bench", {.key = key, .order = StatsOrder::kSelf});
    std::size_t counted = 0;
    for (const StatsRow& row : statistics.rows) counted += row.times.count;
    const TimeUse& use = statistics.devices.front().use;
    const Duration span{(kernels - 1) * kPace + kLength};
    if (counted != static_cast<std::size_t>(kernels) || use.span != span || use.idle != Duration{} ||
        use.compute + use.exposed_communication != span) {
      state.SkipWithError("a sum is wrong");
      return;
    }
  }
  state.SetItemsProcessed(state.iterations() * kernels);
}
BENCHMARK(BM_Stats)
    ->ArgNames({"kernels", "key"})
    ->Args({240'000, static_cast<int>(StatsKey::kName)})
    ->Args({2'400'000, static_cast<int>(StatsKey::kName)})
    ->Args({2'400'000, static_cast<int>(StatsKey::kClass)})
    ->Args({2'400'000, static_cast<int>(StatsKey::kLane)})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepsim::sim
