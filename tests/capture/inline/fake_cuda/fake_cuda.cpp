#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/capture/inline/fake_cuda/cuda_runtime_api.h"

struct CUstream_st {
  int device = 0;
  std::int64_t now = 0;
  bool capturing = false;
};

struct CUevent_st {
  int device = 0;
  std::int64_t time = -1;  ///< -1: not recorded
};

namespace {

struct State {
  std::mutex mutex;
  std::map<std::pair<int, int>, std::unique_ptr<CUstream_st>> streams;
  std::vector<std::unique_ptr<CUevent_st>> events;
  bool failing = false;
  cudaError_t last = cudaSuccess;
  std::int64_t records = 0;
  std::int64_t misplaced = 0;
};

State& state() {
  static State only;
  return only;
}

thread_local int current_device = 0;

cudaError_t failed(cudaError_t error) {
  state().last = error;
  return error;
}

}  // namespace

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  const std::lock_guard lock(state().mutex);
  if (state().failing) return failed(cudaErrorInvalidValue);
  state().events.push_back(std::make_unique<CUevent_st>(CUevent_st{current_device, -1}));
  *event = state().events.back().get();
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard lock(state().mutex);
  if (state().failing) return failed(cudaErrorInvalidResourceHandle);
  ++state().records;
  if (event->device != stream->device) {
    ++state().misplaced;
    return failed(cudaErrorInvalidResourceHandle);
  }
  event->time = stream->now;
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const std::lock_guard lock(state().mutex);
  return event != nullptr && event->time >= 0 ? cudaSuccess : failed(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const std::lock_guard lock(state().mutex);
  constexpr double kMillisecond = 1e6;
  *milliseconds = static_cast<float>(static_cast<double>(end->time - begin->time) / kMillisecond);
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const std::lock_guard lock(state().mutex);
  *status = stream->capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = current_device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  current_device = device;
  return cudaSuccess;
}

cudaError_t cudaPeekAtLastError() {
  const std::lock_guard lock(state().mutex);
  return state().last;
}

cudaError_t cudaGetLastError() {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().last, cudaSuccess);
}

namespace fake_cuda {

cudaStream_t stream(int device, int number) {
  const std::lock_guard lock(state().mutex);
  std::unique_ptr<CUstream_st>& made = state().streams[{device, number}];
  if (made == nullptr) made = std::make_unique<CUstream_st>(CUstream_st{device, 0, false});
  return made.get();
}

void run(cudaStream_t stream, std::int64_t nanoseconds) {
  const std::lock_guard lock(state().mutex);
  stream->now += nanoseconds;
}

void capture(cudaStream_t stream, bool active) {
  const std::lock_guard lock(state().mutex);
  stream->capturing = active;
}

void fail_events(bool fail) {
  const std::lock_guard lock(state().mutex);
  state().failing = fail;
}

void set_last_error(cudaError_t error) {
  const std::lock_guard lock(state().mutex);
  state().last = error;
}

std::int64_t records() {
  const std::lock_guard lock(state().mutex);
  return state().records;
}

std::int64_t misplaced() {
  const std::lock_guard lock(state().mutex);
  return state().misplaced;
}

}  // namespace fake_cuda
