// Measures how fast CUPTI records are converted to records of a capture file, and how many bytes they take there. The
// records describe kernels with the names and launches of a training step. They are read from a buffer like those that
// CUPTI fills, and are written to a file in $STEPSIM_BENCH_DIR or a temporary folder. The file is removed at the end.
//
// Also measures what a launch of a kernel and an NVTX range cost a program on the fake CUDA: alone, recorded by the
// fake CUPTI for a client that ignores the records, and captured. What a capture adds is the difference of the last
// two.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "capture/cupti/translator.h"
#include "capture/writer/writer.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/formats/capture/records.h"
#include "model/wire/environment.h"
#include "tests/capture/fake_cuda/fake_cuda.h"

// Of the fake CUPTI.
extern "C" {
int cuptiActivityRegisterCallbacks(void (*requested)(std::uint8_t**, std::size_t*, std::size_t*),
                                   void (*completed)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t));
int cuptiActivityEnable(stepsim::capture::cupti::Activity kind);
}

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
  std::map<wire::Kind, std::uint64_t> records;
  std::uint64_t kernel_durations = 0;
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
      ++content.records[record->kind];
      if (record->kind == wire::Kind::kKernel) content.kernel_durations += record->duration;
    }
  });
  content.complaints = sink.diagnostics.entries().size();
  return content;
}

std::filesystem::path bench_folder() {
  const char* const kept = std::getenv("STEPSIM_BENCH_DIR");
  const std::filesystem::path folder = kept != nullptr ? kept : std::filesystem::temp_directory_path();
  return folder / ("stepsim-capture-bench-" + std::to_string(::getpid()));
}

/// Converts ten million kernels, divided among the threads. Measures the time of the recording threads;
/// "closed_per_second" also includes the time until the file is closed.
void BM_CaptureKernels(benchmark::State& state) {
  const auto threads = static_cast<std::uint64_t>(state.range(0));
  const std::string path = bench_folder().string();
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
    const auto writer = capture::Writer::create(path, std::size_t{600} << 20U);
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
    Content content = content_of(path);
    bytes_a_record = static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(kRecords);
    if (writer->lost() > 0) state.SkipWithError("records were lost: the disk is too slow for the benchmark");
    if (content.records[wire::Kind::kKernel] != kRecords || content.kernel_durations != expected ||
        content.complaints != 0)
      state.SkipWithError("wrong answer");
    std::filesystem::remove(path);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRecords));
  state.counters["closed_per_second"] =
      static_cast<double>(kRecords) * static_cast<double>(state.iterations()) / closed_seconds;
  state.counters["bytes_per_record"] = bytes_a_record;
}
BENCHMARK(BM_CaptureKernels)->ArgName("threads")->Arg(1)->Arg(2)->UseManualTime()->Unit(benchmark::kMillisecond);

constexpr std::uint64_t kCalls = 1'000'000;

void launch_kernels() {
  for (std::uint64_t i = 0; i < kCalls; ++i) fake_cuda::launch({.mangled_name = "_Z4gemmPf", .duration = 1'000});
}

void nest_ranges() {
  for (std::uint64_t i = 0; i < kCalls; ++i) {
    fake_cuda::push_range("train_step");
    fake_cuda::pop_range();
  }
}

enum Recorder : std::int64_t { kNone, kCuptiAlone, kCapture };

/// Makes CUPTI record what a capture needs of a launch, for a client that ignores it.
void record_for_nobody() {
  cuptiActivityRegisterCallbacks(
      [](std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
        *size = std::size_t{256} << 10U;
        *buffer = new std::uint8_t[*size];
        *most = 0;
      },
      [](void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t) {
        const std::unique_ptr<std::uint8_t[]> deleted(buffer);
      });
  for (const cupti::Activity kind : {cupti::Activity::kConcurrentKernel, cupti::Activity::kRuntime})
    cuptiActivityEnable(kind);
}

double processor_seconds() {
  ::timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

int to_parent = -1;
double began = 0;

/// Called at the end of the child, after the capture has written its file.
void tell_parent() {
  const double took = processor_seconds() - began;
  if (::write(to_parent, &took, sizeof took) != sizeof took) std::abort();
}

/// Runs `program` in a child process, which is captured in `folder` if `recorder` is kCapture. Returns the processor
/// time of all its threads after the recording has begun; 0 if it failed.
double seconds_in_child(void (*program)(), Recorder recorder, const std::string& folder) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return 0;
  const ::pid_t child = ::fork();
  if (child == 0) {
    to_parent = pipe[1];
    if (recorder == kCapture) {
      for (const char* const name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
        ::setenv(name, STEPSIM_CAPTURE_MODULE, 1);
      ::setenv(wire::kCuptiVariable, STEPSIM_FAKE_CUDA, 1);
      ::setenv(wire::kDirectoryVariable, folder.c_str(), 1);
      ::setenv(wire::kBufferVariable, "1024", 1);
      ::setenv(wire::kDurationVariable, "0", 1);
    }
    std::atexit(tell_parent);
    fake_cuda::initialise();
    if (recorder == kCuptiAlone) record_for_nobody();
    began = processor_seconds();
    program();
    std::exit(0);
  }
  ::close(pipe[1]);
  double took = 0;
  const bool told = ::read(pipe[0], &took, sizeof took) == sizeof took;
  ::close(pipe[0]);
  int status = 0;
  const bool ended = ::waitpid(child, &status, 0) == child && status == 0;
  return told && ended ? took : 0;
}

/// A million launches of kernels, or NVTX ranges, of a program on the fake CUDA. Measures the processor time of the
/// program, of the fake, and of the capture with its file.
void measure_calls(benchmark::State& state, void (*program)(), const std::vector<wire::Kind>& expected) {
  const auto recorder = static_cast<Recorder>(state.range(0));
  const std::filesystem::path folder = bench_folder();
  double seconds = 0;
  for ([[maybe_unused]] auto _ : state) {
    if (recorder == kCapture) std::filesystem::create_directory(folder);
    const double took = seconds_in_child(program, recorder, folder.string());
    if (took == 0) state.SkipWithError("the program failed");
    state.SetIterationTime(took);
    seconds += took;
    if (recorder != kCapture) continue;
    Content content;
    for (const auto& file : std::filesystem::directory_iterator(folder)) content = content_of(file.path().string());
    const bool right =
        std::all_of(expected.begin(), expected.end(), [&](wire::Kind kind) { return content.records[kind] == kCalls; });
    if (!right || content.complaints != 0) state.SkipWithError("wrong answer");
    std::filesystem::remove_all(folder);
  }
  const double calls = static_cast<double>(kCalls) * static_cast<double>(state.iterations());
  state.counters["nanoseconds_each"] = seconds * 1e9 / calls;
}

void BM_Launch(benchmark::State& state) {
  measure_calls(state, launch_kernels, {wire::Kind::kCall, wire::Kind::kKernel});
}
BENCHMARK(BM_Launch)
    ->ArgName("recorder")
    ->Arg(kNone)
    ->Arg(kCuptiAlone)
    ->Arg(kCapture)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void BM_Range(benchmark::State& state) {
  measure_calls(state, nest_ranges, {wire::Kind::kRangeBegin, wire::Kind::kRangeEnd});
}
BENCHMARK(BM_Range)->ArgName("recorder")->Arg(kNone)->Arg(kCapture)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepsim
