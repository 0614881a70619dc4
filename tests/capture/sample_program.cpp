// A training loop on the fake CUDA, to be captured. It computes nothing, but launches the work of a data-parallel step,
// with events between its streams, a CUDA graph, copies and a loss that is read.
//
//     sample_program STEPS [mark|range|wide|instant|none]
//     [exit|_exit|kill|segv|fork|throw|threads|overhead|names|domains|slow|tenth|busy|profiler|late|daemon|until|
//      handler|default|many|spin]
//
// The second argument selects how steps are marked. The third selects how the program ends, or what it does in
// addition: slow and tenth take 10 ms and 100 ms of real time in each step, busy also repeats its work 50 times,
// profiler calls cudaProfilerStart() after the third step and cudaProfilerStop() after the sixth, late is tenth and
// calls only the former, daemon closes all descriptors and opens a file named by the fourth argument, kill waits until
// the file named by the fourth argument exists, until is slow and takes further steps until that file exists, handler
// is until with a handler for SIGUSR2, default begins each step with short kernels on two streams, of which one is
// ordered with the default stream, many launches 57 kernels from each of 32 threads in each step, spin is until without
// taking real time. After the last step it prints "trained STEPS steps". If it ends normally, its exit code is 7. Time
// is simulated, except for slow, tenth, busy, late and until.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/capture/fake_cuda/fake_cuda.h"

namespace {

constexpr std::uint32_t kComputeStream = fake_cuda::kStream;
constexpr std::uint32_t kCommunicationStream = 20;
constexpr int kLayers = 6;

const std::array<const char*, kLayers> kForward{"_Z4gemmILi0EEvPf", "_Z4gemmILi1EEvPf", "_Z4gemmILi2EEvPf",
                                                "_Z4gemmILi3EEvPf", "_Z4gemmILi4EEvPf", "_Z4gemmILi5EEvPf"};
const char* const kBackward = "_Z13gemm_backwardPfPKf";
const char* const kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

void mark_step() {
  static const auto mark = []() -> void (*)() {
    const char* const path = std::getenv("CUDA_INJECTION64_PATH");
    void* const library = path == nullptr ? nullptr : ::dlopen(path, RTLD_NOW);
    return library == nullptr ? nullptr : reinterpret_cast<void (*)()>(::dlsym(library, "stepsim_mark_step"));
  }();
  if (mark != nullptr) mark();
}

/// Returns a pseudo-random number from 0 to `amount` - 1.
std::int64_t jitter(std::int64_t amount) {
  static std::uint32_t state = 1;
  state = state * 1'664'525U + 1'013'904'223U;
  return static_cast<std::int64_t>(state >> 8U) % amount;
}

void forward() {
  for (const char* const name : kForward) {
    fake_cuda::work(8'000 + jitter(2'000));
    fake_cuda::launch({.mangled_name = name, .duration = 40'000 + jitter(4'000), .blocks = 256}, kComputeStream);
  }
}

void backward() {
  for (int layer = 0; layer < kLayers; ++layer) {
    fake_cuda::work(10'000 + jitter(2'000));
    fake_cuda::launch({.mangled_name = kBackward, .duration = 80'000 + jitter(4'000), .blocks = 512}, kComputeStream);
    if (layer % 2 == 0) continue;
    const auto event = static_cast<std::uint32_t>(layer);
    fake_cuda::record_event(event, kComputeStream);
    fake_cuda::wait_event(event, kCommunicationStream);
    fake_cuda::launch({.mangled_name = kAllReduce, .duration = 120'000 + jitter(9'000), .blocks = 24},
                      kCommunicationStream);
  }
  fake_cuda::record_event(100, kCommunicationStream);
  fake_cuda::wait_event(100, kComputeStream);
}

void step() {
  fake_cuda::copy_async(1, 200'000, kComputeStream);
  fake_cuda::set_async(1'000'000, kComputeStream);
  forward();
  backward();
  const fake_cuda::Kernel adam{.mangled_name = "_Z4adamPf", .duration = 15'000, .blocks = 128};
  fake_cuda::launch_graph(3, {adam, adam, adam}, kComputeStream);
  fake_cuda::copy_async(2, 4, kComputeStream);
  fake_cuda::synchronize_stream(kComputeStream);
  fake_cuda::get_last_error();
  fake_cuda::work(30'000 + jitter(5'000));
}

/// Closes all descriptors except the standard streams, as a daemon does, and fills the free ones with a file of its
/// own.
void become_daemon(const char* path) {
  const int most = static_cast<int>(::sysconf(_SC_OPEN_MAX));
  for (int descriptor = 3; descriptor < most; ++descriptor) ::close(descriptor);
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  if (::write(file, "mine\n", 5) != 5) std::abort();
}

/// Makes CUPTI report its own work in a step: it flushes a buffer once, and waits twice for room in the command buffer.
void take_overhead() {
  constexpr std::uint32_t kBufferFlush = 1U << 16U;
  constexpr std::uint32_t kCommandBufferFull = 6U << 16U;
  fake_cuda::overhead(kBufferFlush, 1'500);
  fake_cuda::overhead(kCommandBufferFull, 700);
  fake_cuda::overhead(kCommandBufferFull, 300);
}

/// Makes ranges and marks with all forms of names that NVTX accepts.
void name_things() {
  using fake_cuda::Message;
  const auto in_range = [] { fake_cuda::work(1'000); };
  const auto wide = [&](const wchar_t* name) {
    fake_cuda::push_range(name);
    in_range();
    fake_cuda::pop_range();
  };
  wide(L"wide");
  wide(L"gr\u00f6\u00dfe \u4e16\u754c \U0001F680");
  const wchar_t lone_surrogate[] = {L'<', static_cast<wchar_t>(0xD800), L'>', L'\0'};
  wide(lone_surrogate);
  const std::uint64_t id = fake_cuda::start_range(L"started \u00e9");
  in_range();
  fake_cuda::end_range(id);

  const std::array messages{
      Message{1, "attributes"}, Message{2, L"attributes \u00fc"}, Message{3, fake_cuda::register_string("registered")},
      Message{3, fake_cuda::register_string(L"registered \u0416")}, Message{3, "no handle of a string"}};
  for (const Message message : messages) {
    fake_cuda::push_range(message);
    in_range();
    fake_cuda::pop_range();
    fake_cuda::push_range_of_domain(message);
    in_range();
    fake_cuda::pop_range_of_domain();
  }
  fake_cuda::mark("mark");
  fake_cuda::mark(L"mark \u00e4");
  fake_cuda::mark(Message{3, fake_cuda::register_string("registered mark")});
  fake_cuda::mark_of_domain(Message{2, L"mark of a domain"});
}

/// Two libraries, each with an NVTX domain, have ranges that overlap: each lasts 2 us, and they share 1 us.
void overlap_domains() {
  int one = 0;
  int other = 0;
  fake_cuda::push_range_of_domain({1, "of one domain"}, &one);
  fake_cuda::work(1'000);
  fake_cuda::push_range_of_domain({1, "of another domain"}, &other);
  fake_cuda::work(1'000);
  fake_cuda::pop_range_of_domain(&one);
  fake_cuda::work(1'000);
  fake_cuda::pop_range_of_domain(&other);
}

/// Launches work on a stream that is ordered with the default one, and on one that is not. It ends before the other
/// work of the step begins.
void launch_aside() {
  constexpr std::uint32_t kBlocking = 30;
  constexpr std::uint32_t kNonBlocking = 31;
  static std::once_flag created;
  std::call_once(created, [] {
    fake_cuda::create_stream(kBlocking, true, 0);
    fake_cuda::create_stream(kNonBlocking, false, -1);
  });
  fake_cuda::launch({.mangled_name = "_Z7orderedPf", .duration = 1'000}, kBlocking);
  fake_cuda::launch({.mangled_name = "_Z4freePf", .duration = 1'000}, kNonBlocking);
  fake_cuda::work(20'000);
}

/// Starts a child that keeps using CUDA's state, which is not allowed, and that ends normally.
void fork_child() {
  std::fflush(stdout);
  const ::pid_t child = ::fork();
  if (child == 0) {
    mark_step();
    step();
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
}

/// Starts threads, each of which launches kernels on a separate stream.
void launch_from_threads(std::uint32_t count, int launches, const char* kernel) {
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < count; ++t) {
    threads.emplace_back([=] {
      for (int i = 0; i < launches; ++i) fake_cuda::launch({.mangled_name = kernel, .duration = 1'000}, 100 + t);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): a program may end so, and with `throw` this one does
int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 8;
  const std::string marks = argc > 2 ? argv[2] : "mark";
  const std::string end = argc > 3 ? argv[3] : "exit";
  if (end == "handler") std::signal(SIGUSR2, [](int) {});
  fake_cuda::initialise();
  fake_cuda::copy_async(1, 5'000'000, kComputeStream);
  fake_cuda::synchronize_device();
  const bool until = end == "until" || end == "handler" || end == "spin";
  const auto goes_on = [&](int i) { return i < steps || (until && ::access(argv[4], F_OK) != 0); };
  for (int i = 0; goes_on(i); ++i) {
    if (marks == "mark") mark_step();
    if (marks == "range") fake_cuda::push_range("train_step");
    if (marks == "wide") fake_cuda::push_range(L"train_step");
    if (marks == "instant") fake_cuda::mark("train_step");
    if (end == "overhead") take_overhead();
    if (end == "names") name_things();
    if (end == "domains") overlap_domains();
    if (end == "default") launch_aside();
    if (end == "driver") fake_cuda::launch_by_driver({.mangled_name = kBackward, .duration = 9'000}, kComputeStream);
    if (end == "many") {
      launch_from_threads(32, 57, "_Z12small_kernelPf");
      fake_cuda::synchronize_device();
    }
    step();
    if (marks == "range" || marks == "wide") fake_cuda::pop_range();
    if (end == "fork" && i == steps / 2) fork_child();
    for (int again = 0; end == "busy" && again < 49; ++again) step();
    if (end == "late" && i == 2) fake_cuda::profiler_call(true);
    if (end == "profiler" && (i == 2 || i == 5)) fake_cuda::profiler_call(i == 2);
    if (end == "slow" || end == "busy" || end == "until" || end == "handler")
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (end == "tenth" || end == "late") std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (end == "daemon" && i == 0) become_daemon(argv[4]);
  }
  if (marks == "mark") mark_step();
  std::printf("trained %d steps\n", steps);
  std::fflush(stdout);
  if (end == "_exit") ::_exit(7);
  if (end == "threads") launch_from_threads(64, 200, kBackward);  // more threads than a data loader has
  if (end == "kill") {
    while (::access(argv[4], F_OK) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    step();
    ::kill(::getpid(), SIGKILL);
  }
  if (end == "segv") std::raise(SIGSEGV);
  if (end == "throw") throw std::runtime_error("the sample was told to");
  return 7;
}
