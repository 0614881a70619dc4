// One of the two ranks of a data-parallel job on the fake CUDA and the fake NCCL, to be captured. A step computes,
// reduces two gradients in one kernel, gathers on a second communicator with the opposite order of ranks, and sends a
// message from rank 0 to rank 1. Rank 1 arrives later at each collective than rank 0, whose kernels wait for it.
//
//     sample_ranks STEPS [whole|open|flood|pxn|callback|graph|brief|fork|forknew|kill FILE|until FILE|exit]
//
// The environment variable RANK is 0 or 1. The second argument selects how the program ends, or what it does in
// addition: callback reduces on both communicators in one group, which NCCL reports on a thread of CUDA, graph reduces
// in a CUDA graph, brief first uses a communicator that then ends, forknew starts a child with communicators of its
// own, kill waits until FILE exists, until takes 10 ms in each step and further steps until FILE exists. If it ends
// normally, its exit code is 7.

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "tests/capture/fake_cuda/fake_cuda.h"
#include "tests/capture/fake_nccl/fake_nccl.h"

namespace {

constexpr std::uint32_t kComputeStream = fake_cuda::kStream;
constexpr std::uint32_t kCommunicationStream = 20;
constexpr std::int64_t kLate = 50'000;

struct Rank {
  explicit Rank(int number) : rank(number) {}

  int rank;
  fake_nccl::Communicator world{0x1111, "world", 2, rank};
  fake_nccl::Communicator reversed{0x2222, "reversed", 2, 1 - rank};

  void step() {
    fake_cuda::work(10'000);
    fake_cuda::launch({.mangled_name = "_Z4gemmPf", .duration = 200'000, .blocks = 256}, kComputeStream);
    communicate(1, world, {{.elements = 1000}, {.elements = 500}}, 100'000);
    communicate(2, reversed, {{.function = "AllGather", .elements = 4096, .element_type = "ncclInt8"}}, 60'000);
    const bool sends = rank == 0;
    communicate(3, world, {{.function = sends ? "Send" : "Recv", .elements = 250, .peer = 1 - rank}}, 30'000);
    fake_cuda::record_event(100, kCommunicationStream);
    fake_cuda::wait_event(100, kComputeStream);
    fake_cuda::launch({.mangled_name = "_Z4adamPf", .duration = 15'000, .blocks = 128}, kComputeStream);
    fake_cuda::synchronize_stream(kComputeStream);
  }

  /// Runs a kernel that computes, and then a group of operations that takes `duration` nanoseconds once both ranks have
  /// arrived. Rank 1 computes for kLate longer, so the group takes kLate longer on rank 0.
  void communicate(std::uint32_t event, fake_nccl::Communicator& communicator,
                   const std::vector<fake_nccl::Operation>& group, std::int64_t duration) const {
    const std::int64_t late = rank == 1 ? kLate : 0;
    fake_cuda::launch({.mangled_name = "_Z8backwardPf", .duration = 80'000 + late, .blocks = 256}, kComputeStream);
    fake_cuda::record_event(event, kComputeStream);
    fake_cuda::wait_event(event, kCommunicationStream);
    communicator.run(group, duration + kLate - late, kCommunicationStream);
    fake_cuda::record_event(50 + event, kCommunicationStream);
    fake_cuda::wait_event(50 + event, kComputeStream);
  }
};

/// Reduces on both communicators in one group. The kernels have the same name, and the one launched first is longer.
void reduce_on_both(Rank& rank) {
  fake_nccl::Communicator::run({{&rank.world, {{.elements = 3000}}, 90'000, kCommunicationStream},
                                {&rank.reversed, {{.elements = 7000}}, 40'000, kCommunicationStream + 1}},
                               fake_nccl::ReportedBy::kCallback);
}

void mark_step() {
  const char* const path = std::getenv("CUDA_INJECTION64_PATH");
  void* const library = path == nullptr ? nullptr : ::dlopen(path, RTLD_NOW);
  if (library == nullptr) return;
  reinterpret_cast<void (*)()>(::dlsym(library, "stepsim_mark_step"))();
}

/// Starts a child that runs a step with its own communicators, or with its parent's, which is not allowed.
void fork_child(Rank& rank, bool own) {
  std::fflush(stdout);
  const ::pid_t child = ::fork();
  if (child == 0) {
    own ? Rank(rank.rank).step() : rank.step();
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 4;
  const std::string way = argc > 2 ? argv[2] : "whole";
  const char* const number = std::getenv("RANK");
  fake_cuda::initialise();
  auto rank = std::make_unique<Rank>(number == nullptr ? 0 : std::atoi(number));
  rank->world.mischief = {
      .leave_open = way == "open", .flood = way == "flood" ? 200'000U : 0U, .of_other_process = way == "pxn"};
  fake_nccl::Graph graph;
  if (way == "graph")
    graph = fake_nccl::Communicator::capture({{&rank->world, {{.elements = 2000}}, 20'000, kCommunicationStream}});
  if (way == "brief") {
    fake_nccl::Communicator brief{0x3333, "brief", 2, rank->rank};
    brief.run({{.elements = 100}}, 1'000, kCommunicationStream);
  }
  for (int i = 0; i < steps || (way == "until" && ::access(argv[3], F_OK) != 0); ++i) {
    if (way == "until") std::this_thread::sleep_for(std::chrono::milliseconds(10));
    mark_step();
    rank->step();
    if (way == "callback") reduce_on_both(*rank);
    if (way == "graph") fake_nccl::Communicator::replay(graph, 1, kCommunicationStream);
    if ((way == "fork" || way == "forknew") && i == steps / 2) fork_child(*rank, way == "forknew");
  }
  mark_step();
  std::printf("trained %d steps\n", steps);
  std::fflush(stdout);
  if (way == "kill") {
    while (::access(argv[3], F_OK) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(::getpid(), SIGKILL);
  }
  if (way == "exit") std::exit(7);  // without destroying the communicators
  rank.reset();
  return 7;
}
