#ifndef STEPSIM_TESTS_CAPTURE_INLINE_FAKE_CUDA_CUDA_RUNTIME_API_H
#define STEPSIM_TESTS_CAPTURE_INLINE_FAKE_CUDA_CUDA_RUNTIME_API_H

#include <cstdint>

/// What capture/inline.h uses of the CUDA runtime, over devices whose clocks stand still until a test lets work run:
/// fake_cuda::run(stream, 5000) moves the stream's clock on by 5 us. Thread-safe.

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorInvalidResourceHandle = 400 };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive = 1 };
inline constexpr unsigned cudaEventBlockingSync = 1;

struct CUstream_st;
struct CUevent_st;
using cudaStream_t = CUstream_st*;
using cudaEvent_t = CUevent_st*;

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaPeekAtLastError();
cudaError_t cudaGetLastError();

namespace fake_cuda {

/// The stream of that number on a device.
[[nodiscard]] cudaStream_t stream(int device, int number);
void run(cudaStream_t stream, std::int64_t nanoseconds);
void capture(cudaStream_t stream, bool active);
/// From now on every call that records or makes an event fails.
void fail_events(bool fail);
/// As a call of the program's own would leave it.
void set_last_error(cudaError_t error);
/// Calls that recorded an event.
[[nodiscard]] std::int64_t records();
/// Events that were recorded on a stream of another device than theirs, as CUDA forbids.
[[nodiscard]] std::int64_t misplaced();

}  // namespace fake_cuda

#endif
