// A training loop on a real GPU, to be captured: kernels of known lengths on two streams with events between them, copies,
// a memset, a CUDA graph, and a value that is read back each step. gpu.py compiles it.
//
//   gpu_program STEPS [many]
//
// With `many`, each step begins with 57 kernels from each of 32 threads, on a stream for each. Prints the median of a
// step in nanoseconds, by the host's clock.

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#define CHECKED(call)                                                                  \
  if (const cudaError_t error = (call); error != cudaSuccess) {                        \
    std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                \
    std::exit(1);                                                                      \
  }

/// Runs for about `rounds` times the latency of a multiplication.
__global__ void forward_layer(float* values, int rounds) {
  float value = values[threadIdx.x];
  for (int i = 0; i < rounds; ++i) value = value * 1.0001F + 0.1F;
  values[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void backward_layer(float* values, int rounds) {
  float value = values[threadIdx.x];
  for (int i = 0; i < rounds; ++i) value = value * 0.9999F - 0.1F;
  values[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void reduce_bucket(float* values, int rounds) {
  float value = values[threadIdx.x];
  for (int i = 0; i < rounds; ++i) value = value * 0.5F + 1.0F;
  values[threadIdx.x] = value;
}
__global__ void optimizer_step(float* values) { values[blockIdx.x * blockDim.x + threadIdx.x] *= 0.999F; }
__global__ void small_kernel(float* values) { values[threadIdx.x] += 1.0F; }

/// Launches on a stream of its own in each of 32 threads, and waits for the device.
static void launch_from_threads(float* values) {
  constexpr size_t kThreads = 32;
  constexpr int kLaunches = 57;
  static const std::vector<cudaStream_t> streams = [] {
    std::vector<cudaStream_t> made(kThreads);
    for (cudaStream_t& stream : made) CHECKED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return made;
  }();
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([=] {
      for (int i = 0; i < kLaunches; ++i) small_kernel<<<1, 32, 0, streams[t]>>>(values + 32 * t);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECKED(cudaDeviceSynchronize());
}

static void mark_step() {
  static const auto mark = []() -> void (*)() {
    const char* const path = std::getenv("CUDA_INJECTION64_PATH");
    void* const library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW);
    return library == nullptr ? nullptr : reinterpret_cast<void (*)()>(dlsym(library, "stepsim_mark_step"));
  }();
  if (mark != nullptr) mark();
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 20;
  const bool many = argc > 2 && std::string(argv[2]) == "many";
  constexpr int kBlocks = 64;
  constexpr int kThreads = 256;
  constexpr size_t kBytes = size_t{kBlocks} * kThreads * sizeof(float);
  float* values = nullptr;
  float* gradients = nullptr;
  float* host = nullptr;
  CHECKED(cudaMalloc(&values, kBytes));
  CHECKED(cudaMalloc(&gradients, kBytes));
  CHECKED(cudaMallocHost(&host, kBytes));
  cudaStream_t compute;
  cudaStream_t communication;
  CHECKED(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECKED(cudaStreamCreateWithFlags(&communication, cudaStreamNonBlocking));
  cudaEvent_t ready;
  cudaEvent_t reduced;
  CHECKED(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CHECKED(cudaEventCreateWithFlags(&reduced, cudaEventDisableTiming));
  cudaGraph_t graph;
  cudaGraphExec_t optimizer;
  CHECKED(cudaStreamBeginCapture(compute, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < 3; ++i) optimizer_step<<<kBlocks, kThreads, 0, compute>>>(values);
  CHECKED(cudaStreamEndCapture(compute, &graph));
  CHECKED(cudaGraphInstantiate(&optimizer, graph, 0));

  std::vector<long long> lengths;
  for (int step = 0; step < steps; ++step) {
    const auto begin = std::chrono::steady_clock::now();
    mark_step();
    if (many) launch_from_threads(values);
    CHECKED(cudaMemcpyAsync(values, host, kBytes, cudaMemcpyHostToDevice, compute));
    CHECKED(cudaMemsetAsync(gradients, 0, kBytes, compute));
    for (int layer = 0; layer < 8; ++layer) forward_layer<<<kBlocks, kThreads, 0, compute>>>(values, 20'000);
    for (int layer = 0; layer < 8; ++layer) {
      backward_layer<<<kBlocks, kThreads, 0, compute>>>(gradients, 40'000);
      if (layer % 2 == 0) continue;
      CHECKED(cudaEventRecord(ready, compute));
      CHECKED(cudaStreamWaitEvent(communication, ready, 0));
      reduce_bucket<<<8, kThreads, 0, communication>>>(gradients, 60'000);
    }
    CHECKED(cudaEventRecord(reduced, communication));
    CHECKED(cudaStreamWaitEvent(compute, reduced, 0));
    CHECKED(cudaGraphLaunch(optimizer, compute));
    CHECKED(cudaMemcpyAsync(host, values, sizeof(float), cudaMemcpyDeviceToHost, compute));
    CHECKED(cudaStreamSynchronize(compute));
    lengths.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
  }
  mark_step();
  std::sort(lengths.begin(), lengths.end());
  std::printf("%lld\n", lengths[lengths.size() / 2]);
  return 0;
}
