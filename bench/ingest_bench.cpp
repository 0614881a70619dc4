// Measures how fast files are read into trace columns, on one thread. The large file is made from the capture
// v100-rank1of2-5steps (docs/internals/test-data.md). It is kept in $STEPSIM_BENCH_DIR, or else made in a temporary
// folder and removed. bench/large_trace.py --peers compares with other readers.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <optional>
#include <string>
#include <variant>

#include <unistd.h>

#include "bench/kineto_file.h"
#include "ingest/chrome/chrome_events.h"
#include "ingest/formats/format.h"
#include "tests/source_folder.h"

namespace stepsim {

namespace ingest {
extern const Format kineto_format;
extern const Format task_graph_format;
}  // namespace ingest

namespace {

constexpr int kCopies = 11;  // 2.4 million records, 500 MB

/// The large file and its folder, created on first use.
class Workspace {
 public:
  Workspace() {
    const char* const kept = std::getenv("STEPSIM_BENCH_DIR");
    keep_ = kept != nullptr;
    folder_ = keep_ ? std::filesystem::path{kept}
                    : std::filesystem::temp_directory_path() / ("stepsim-ingest-bench-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Workspace() {
    std::error_code ignored;
    if (!keep_) std::filesystem::remove_all(folder_, ignored);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const bench::KinetoFile& file() {
    if (!file_) {
      file_ = bench::make_kineto_file(source(), (folder_ / "kineto.json").string(), kCopies);
      bench::gzip_file(file_->path);
      damaged_ = bench::damage_file(file_->path, file_->path + ".damaged");
    }
    return *file_;
  }
  /// Number of damaged records in file().path + ".damaged".
  [[nodiscard]] std::uint64_t damaged() const noexcept { return damaged_; }
  static std::string source() {
    return (stepsim::source_folder() / "../shared/traces/kineto/v100-rank1of2-5steps.json.gz").string();
  }

 private:
  bool keep_ = false;
  std::filesystem::path folder_;
  std::optional<bench::KinetoFile> file_;
  std::uint64_t damaged_ = 0;
};

Workspace& workspace() {
  static Workspace the_workspace;
  return the_workspace;
}

/// Resets the peak memory of the process (Linux), so that it can be read after a run.
void reset_peak_memory() {
  if (std::FILE* const file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file);
    std::fclose(file);
  }
}

double peak_memory_bytes() {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  double kib = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::string_view{line}.starts_with("VmHWM:")) kib = std::strtod(line + 6, nullptr);
  }
  std::fclose(file);
  return kib * 1024;
}

bool answer_is_right(const ingest::HostDeviceTrace& trace, const ingest::PartSink& sink,
                     const bench::KinetoFile& file) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    sum += (trace.start[i].time_since_epoch() + trace.duration[i]).count() / 1000;
  }
  return sink.events == file.records && sink.skipped == 0 && trace.size() == file.events && sum == file.checksum;
}

void read_kineto(benchmark::State& state, const std::string& suffix) {
  if (!std::filesystem::exists(Workspace::source()))
    return state.SkipWithError("the capture beside the checkout is not there");
  const bench::KinetoFile& file = workspace().file();
  double peak = 0;
  for ([[maybe_unused]] auto _ : state) {
    reset_peak_memory();
    ingest::Input input = ingest::Input::open(file.path + suffix);
    ingest::PartSink sink;
    ingest::kineto_format.read(input, sink);
    state.PauseTiming();
    peak = std::max(peak, peak_memory_bytes());
    if (!answer_is_right(std::get<ingest::HostDeviceTrace>(sink.parts.at(0).part), sink, file))
      state.SkipWithError("wrong answer");
    state.ResumeTiming();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.bytes));
  state.counters["records_per_second"] = benchmark::Counter(
      static_cast<double>(file.records) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["peak_memory_share"] = peak / static_cast<double>(file.bytes);
}

/// Measures the minimum cost of reading: the file is only decompressed or copied.
void read_bytes(benchmark::State& state, const std::string& suffix) {
  if (!std::filesystem::exists(Workspace::source()))
    return state.SkipWithError("the capture beside the checkout is not there");
  const bench::KinetoFile& file = workspace().file();
  std::string buffer(std::size_t{256} << 10, '\0');
  for ([[maybe_unused]] auto _ : state) {
    ingest::Input input = ingest::Input::open(file.path + suffix);
    std::uint64_t bytes = 0;
    while (const std::size_t got = input.stream().read(buffer)) bytes += got;
    if (bytes != file.bytes) state.SkipWithError("wrong answer");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.bytes));
}

/// Measures the reading of records without making columns.
void read_records(benchmark::State& state, const std::string& suffix) {
  if (!std::filesystem::exists(Workspace::source()))
    return state.SkipWithError("the capture beside the checkout is not there");
  const bench::KinetoFile& file = workspace().file();
  const std::uint64_t damaged = suffix.empty() ? 0 : workspace().damaged();
  for ([[maybe_unused]] auto _ : state) {
    ingest::Input input = ingest::Input::open(file.path + suffix);
    Diagnostics diagnostics;
    ingest::ChromeEventReader reader{input.stream(), diagnostics};
    ingest::ChromeEvent event;
    while (reader.next(event)) benchmark::DoNotOptimize(event);
    if (reader.records() != file.records || reader.skipped() != damaged) state.SkipWithError("wrong answer");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.bytes));
}

/// Returns the JSON text of a task graph. Its tasks form one chain in which computes and transfers alternate.
std::string chain_of_tasks(int tasks) {
  std::string text = R"({"hosts": 2, "links": [{"bandwidth_Bps": 1e9}], "routes": {"0-1": [0]}, "tasks": [)";
  for (int i = 0; i < tasks; ++i) {
    const std::string id = std::to_string(i);
    text += (i == 0 ? "" : ", ") + (R"({"id": )" + id);
    text += i % 2 == 0 ? R"(, "kind": "compute", "host": 0, "ns": 1000)"
                       : R"(, "kind": "transfer", "src": 0, "dst": 1, "bytes": 4096)";
    text += R"(, "after": [)" + (i == 0 ? "" : std::to_string(i - 1)) + "]}";
  }
  return text + "]}";
}

void read_task_graph(benchmark::State& state) {
  constexpr int kTasks = 500'000;
  const std::string text = chain_of_tasks(kTasks);
  for ([[maybe_unused]] auto _ : state) {
    ingest::Input input = ingest::Input::from_memory(text, "chain.json");
    ingest::PartSink sink;
    ingest::task_graph_format.read(input, sink);
    if (std::get<ingest::TaskGraph>(sink.parts.at(0).part).tasks.size() != kTasks) state.SkipWithError("wrong answer");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

BENCHMARK_CAPTURE(read_kineto, plain, "")->Name("BM_Ingest/format:kineto")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_kineto, gzip, ".gz")->Name("BM_Ingest/format:kineto_gz")->Unit(benchmark::kMillisecond);
BENCHMARK(read_task_graph)->Name("BM_Ingest/format:task_graph")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_records, whole, "")->Name("BM_ChromeRecords/whole")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_records, damaged, ".damaged")->Name("BM_ChromeRecords/damaged")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_bytes, plain, "")->Name("BM_Bytes/plain")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_bytes, gzip, ".gz")->Name("BM_Bytes/gz")->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace stepsim
