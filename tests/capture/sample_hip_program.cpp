// A training loop on the fake HIP, to be captured. It computes nothing, but launches the work of a data-parallel step
// on two streams, with events between them, copies and a loss that is read.
//
//     sample_hip_program STEPS [mark|range|none] [exit|_exit|ranges|pause|profiler|openmp|fork|until]
//
// The second argument selects how steps are marked. The third selects how the program ends, or what it does in
// addition: ranges makes roctx ranges and marks, pause calls roctxProfilerResume() before the third step and
// roctxProfilerPause() before the sixth, profiler the same with hipProfilerStart() and hipProfilerStop(), openmp
// launches a kernel without a HIP stream in each step, fork makes a child that ends normally, until takes 10 ms of real
// time in each step and further steps until the file named by the fourth argument exists. After the last step it prints
// "trained STEPS steps". Its exit code is 7. Time is simulated, except for until.

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/capture/fake_rocm/fake_rocm.h"

namespace {

constexpr int kLayers = 4;

void mark_step() {
  static const auto mark = []() -> void (*)() {
    const char* const path = std::getenv("CUDA_INJECTION64_PATH");
    void* const library = path == nullptr ? nullptr : ::dlopen(path, RTLD_NOW);
    return library == nullptr ? nullptr : reinterpret_cast<void (*)()>(::dlsym(library, "stepsim_mark_step"));
  }();
  if (mark != nullptr) mark();
}

void step(std::uint64_t compute, std::uint64_t communication) {
  using fake_rocm::Direction;
  fake_rocm::copy_async(Direction::kHostToDevice, 200'000, compute);
  for (int layer = 0; layer < kLayers; ++layer) {
    fake_rocm::work(8'000);
    fake_rocm::launch({.mangled_name = "_Z4gemmILi0EEvPf", .duration = 40'000, .blocks = 304}, compute);
  }
  for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
    fake_rocm::work(10'000);
    fake_rocm::launch({.mangled_name = "_Z13gemm_backwardPfPKf", .duration = 80'000, .blocks = 608}, compute);
    if (layer % 2 == 0) continue;
    fake_rocm::record_event(layer, compute);
    fake_rocm::wait_event(layer, communication);
    fake_rocm::launch({.mangled_name = "ncclDevKernel_Generic", .duration = 120'000, .blocks = 56}, communication);
  }
  fake_rocm::record_event(100, communication);
  fake_rocm::wait_event(100, compute);
  fake_rocm::launch({.mangled_name = "_Z4adamPf", .duration = 15'000, .blocks = 128}, compute);
  fake_rocm::copy_async(Direction::kDeviceToDevice, 40'000, compute);
  fake_rocm::copy_async(Direction::kDeviceToHost, 40, compute);
  fake_rocm::synchronize_stream(compute);
  fake_rocm::get_last_error();
  fake_rocm::work(30'000);
}

void make_ranges() {
  fake_rocm::push_range("outer");
  fake_rocm::work(1'000);
  fake_rocm::push_range("inner");
  fake_rocm::work(2'000);
  fake_rocm::pop_range();
  const std::uint64_t started = fake_rocm::start_range("started");
  fake_rocm::work(3'000);
  fake_rocm::stop_range(started);
  fake_rocm::pop_range();
  fake_rocm::mark("instant");
}

void fork_child() {
  std::fflush(stdout);
  const ::pid_t child = ::fork();
  if (child == 0) {
    mark_step();
    make_ranges();
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 8;
  const std::string marks = argc > 2 ? argv[2] : "mark";
  const std::string end = argc > 3 ? argv[3] : "exit";
  fake_rocm::initialise();
  const std::uint64_t compute = fake_rocm::create_stream();
  const std::uint64_t communication = fake_rocm::create_stream();
  const auto goes_on = [&](int i) { return i < steps || (end == "until" && ::access(argv[4], F_OK) != 0); };
  for (int i = 0; goes_on(i); ++i) {
    if (end == "profiler" && (i == 2 || i == 5)) fake_rocm::profiler_call(i == 2);
    if (end == "pause" && i == 2) fake_rocm::resume_profiler();
    if (end == "pause" && i == 5) fake_rocm::pause_profiler();
    if (marks == "mark") mark_step();
    if (marks == "range") fake_rocm::push_range("train_step");
    if (end == "ranges") make_ranges();
    if (end == "openmp") fake_rocm::launch_without_hip({.mangled_name = "__omp_offloading_main", .duration = 5'000});
    step(compute, communication);
    if (marks == "range") fake_rocm::pop_range();
    if (end == "until") std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (end == "fork" && i == steps / 2) fork_child();
  }
  if (marks == "mark") mark_step();
  std::printf("trained %d steps\n", steps);
  std::fflush(stdout);
  if (end == "_exit") ::_exit(7);
  return 7;
}
