// Measures how fast CUPTI records are converted to records of a capture file, and how many bytes they take there. The
// records describe kernels with the names and launches of a training step. They are read from a buffer like those that
// CUPTI fills, and are written to a file in $STEPSIM_BENCH_DIR or a temporary folder. The file is removed at the end.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "capture/cupti/translator.h"
#include "capture/writer/writer.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/formats/capture/records.h"

namespace stepsim {
namespace {

namespace cupti = capture::cupti;

constexpr std::size_t kRecordBytes = 216;  // size of CUpti_ActivityKernel10
constexpr std::size_t kInBuffer = 9'000;   // records in a buffer of 2 MB
constexpr std::uint64_t kRecords = 10'000'000;
constexpr std::uint64_t kBegin = 1'700'000'000'000'000'000;

/// A buffer of kernel records. They have 120 different names of 20 to 200 letters, like names of C++ templates, and 40
/// different launch configurations.
class KernelBuffer {
 public:
  KernelBuffer() : bytes_(kInBuffer * kRecordBytes) {
    for (std::size_t i = 0; i < 120; ++i)
      names_.push_back("kernel_" + std::to_string(i) + std::string(20 + 180 * i / 120, 'x'));
    namespace at = cupti::offset::kernel;
    for (std::size_t i = 0; i < kInBuffer; ++i) {
      set(i, 0, cupti::Activity::kConcurrentKernel);
      set(i, at::kStart, kBegin + i);
      set(i, at::kEnd, kBegin + i + duration_of(i));
      set(i, at::kGrid, static_cast<std::int32_t>(1 + i % 40));
      for (const std::size_t other : {at::kGrid + 4, at::kGrid + 8, at::kBlock, at::kBlock + 4, at::kBlock + 8})
        set(i, other, std::int32_t{1});
      set(i, at::kName, names_[i * 7 % names_.size()].c_str());
    }
  }
  [[nodiscard]] const std::uint8_t* record(std::uint64_t i) const { return &bytes_[i % kInBuffer * kRecordBytes]; }
  [[nodiscard]] static std::uint64_t duration_of(std::uint64_t i) { return 1 + i % kInBuffer; }

 private:
  template <class Value>
  void set(std::size_t record, std::size_t offset, Value value) {
    std::memcpy(&bytes_[record * kRecordBytes + offset], &value, sizeof value);
  }
  std::vector<std::uint8_t> bytes_;
  std::vector<std::string> names_;
};

struct Content {
  std::uint64_t kernels = 0;
  std::uint64_t durations = 0;
  std::size_t complaints = 0;
};

Content content_of(const std::string& path) {
  Content content;
  ingest::PartSink sink;
  const auto source = ingest::open_file(path);
  ingest::for_each_capture_block(*source, sink, [&](const ingest::CaptureBlock& block) {
    wire::RecordCursor cursor(block.records);
    while (const std::optional<wire::Record> record = cursor.next()) {
      if (record->kind == wire::Kind::kText) static_cast<void>(cursor.text(*record));
      if (record->kind != wire::Kind::kKernel) continue;
      ++content.kernels;
      content.durations += record->duration;
    }
  });
  content.complaints = sink.diagnostics.entries().size();
  return content;
}

/// Converts ten million kernels, divided among the threads. Measures the time of the recording threads;
/// "closed_per_second" also includes the time until the file is closed.
void BM_CaptureKernels(benchmark::State& state) {
  const auto threads = static_cast<std::uint64_t>(state.range(0));
  const char* const kept = std::getenv("STEPSIM_BENCH_DIR");
  const std::filesystem::path folder = kept != nullptr ? kept : std::filesystem::temp_directory_path();
  const std::string path = (folder / ("stepsim-capture-bench-" + std::to_string(::getpid()))).string();
  const KernelBuffer buffer;
  cupti::Library library;
  library.version = 130'001;
  std::uint64_t expected = 0;
  for (std::uint64_t t = 0; t < threads; ++t) {
    for (std::uint64_t i = 0; i < kRecords / threads; ++i) expected += KernelBuffer::duration_of(i);
  }
  double closed_seconds = 0;
  double bytes_a_record = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const auto writer = capture::Writer::create(path.c_str(), std::size_t{600} << 20U);
    if (writer == nullptr) return state.SkipWithError("no file can be made");
    cupti::Translator translator(library);
    std::vector<std::thread> recording;
    for (std::uint64_t t = 0; t < threads; ++t) {
      recording.emplace_back([&] {
        for (std::uint64_t i = 0; i < kRecords / threads;) {
          writer->with_producer([&](capture::Producer& producer) {
            const std::uint64_t end = std::min(kRecords / threads, i + kInBuffer);
            for (; i < end; ++i) translator.add(buffer.record(i), producer);
            producer.submit();
          });
        }
      });
    }
    for (std::thread& thread : recording) thread.join();
    const std::chrono::duration<double> recorded = std::chrono::steady_clock::now() - begin;
    writer->close();
    const std::chrono::duration<double> closed = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(recorded.count());
    closed_seconds += closed.count();
    const Content content = content_of(path);
    bytes_a_record = static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(kRecords);
    if (writer->lost() > 0) state.SkipWithError("records were lost: the disk is too slow for the benchmark");
    if (content.kernels != kRecords || content.durations != expected || content.complaints != 0)
      state.SkipWithError("wrong answer");
    std::filesystem::remove(path);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRecords));
  state.counters["closed_per_second"] =
      static_cast<double>(kRecords) * static_cast<double>(state.iterations()) / closed_seconds;
  state.counters["bytes_per_record"] = bytes_a_record;
}
BENCHMARK(BM_CaptureKernels)->ArgName("threads")->Arg(1)->Arg(2)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepsim
