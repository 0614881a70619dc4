// How many launches a stream's queue holds: a kernel keeps the device busy for 0.4 s while operations are put behind
// it, until one takes longer than 20 ms. Prints a line for each kind of operation.
// ingest/stitch/host_device/host_waits.cpp has the results of an H100.
//
//   nvcc -O2 -arch=native -o launch_queue launch_queue.cu && ./launch_queue

#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

struct Arguments {
  char bytes[3900];
};
__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) __nanosleep(1000);
}
__global__ void small(int) {}
__global__ void with_arguments(Arguments) {}

int main() {
  constexpr int kMost = 20'000;
  constexpr std::chrono::milliseconds kBusy{400};
  constexpr std::chrono::milliseconds kBlocked{20};
  int* flag = nullptr;
  char* memory = nullptr;
  char* pinned = nullptr;
  cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped);
  cudaMalloc(&memory, 4096);
  cudaMallocHost(&pinned, 4096);
  std::vector<cudaStream_t> streams(16);
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaGraph_t graph;
  cudaGraphExec_t graph_of_ten;
  cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < 10; ++i) small<<<1, 32, 0, streams[0]>>>(i);
  cudaStreamEndCapture(streams[0], &graph);
  cudaGraphInstantiate(&graph_of_ten, graph, 0);

  const auto on = [&](int i, int count) { return streams[static_cast<std::size_t>(i % count)]; };
  const std::map<std::string, std::pair<int, std::function<void(int)>>> operations{
      {"kernel", {1, [&](int i) { small<<<1, 32, 0, streams[0]>>>(i); }}},
      {"kernel with 3900 bytes of arguments", {1, [&](int) { with_arguments<<<1, 32, 0, streams[0]>>>({}); }}},
      {"memset", {1, [&](int) { cudaMemsetAsync(memory, 0, 4096, streams[0]); }}},
      {"copy", {1, [&](int) { cudaMemcpyAsync(memory, pinned, 4096, cudaMemcpyHostToDevice, streams[0]); }}},
      {"event", {1, [&](int) { cudaEventRecord(event, streams[0]); }}},
      {"graph of 10 kernels", {1, [&](int) { cudaGraphLaunch(graph_of_ten, streams[0]); }}},
      {"kernel, 4 streams", {4, [&](int i) { small<<<1, 32, 0, on(i, 4)>>>(i); }}},
      {"kernel, 16 streams", {16, [&](int i) { small<<<1, 32, 0, on(i, 16)>>>(i); }}},
  };
  for (const auto& [name, operation] : operations) {
    *flag = 0;
    for (int i = 0; i < operation.first; ++i) wait_for<<<1, 1, 0, on(i, operation.first)>>>(flag);
    std::atomic<bool> released{false};
    std::thread release([&] {
      std::this_thread::sleep_for(kBusy);
      released = true;
      *static_cast<volatile int*>(flag) = 1;
    });
    int put = 0;
    bool blocked = false;
    for (; put < kMost && !released && !blocked; ++put) {
      const auto begin = std::chrono::steady_clock::now();
      operation.second(put);
      blocked = std::chrono::steady_clock::now() - begin > kBlocked;
    }
    release.join();
    cudaDeviceSynchronize();
    std::printf("%-36s %s%d\n", name.c_str(), blocked ? "" : "more than ", blocked ? put - 1 : put);
  }
  return 0;
}
