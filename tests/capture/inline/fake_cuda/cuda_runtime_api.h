#ifndef STEPSIM_TESTS_CAPTURE_INLINE_FAKE_CUDA_CUDA_RUNTIME_API_H
#define STEPSIM_TESTS_CAPTURE_INLINE_FAKE_CUDA_CUDA_RUNTIME_API_H

#include <cstdint>

/// A fake of the part of the CUDA runtime that capture/inline.h uses. Each stream has a clock, which advances only when
/// a test runs work on the stream: fake_cuda::run(stream, 5000) advances it by 5 us. Thread-safe.

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

/// Returns the stream with this number on a device.
[[nodiscard]] cudaStream_t stream(int device, int number);
void run(cudaStream_t stream, std::int64_t nanoseconds);
void capture(cudaStream_t stream, bool active);
/// If `fail` is true, later calls that create or record an event fail.
void fail_events(bool fail);
/// Sets the last error, as a call by the program itself would.
void set_last_error(cudaError_t error);
/// Returns the number of calls that recorded an event.
[[nodiscard]] std::int64_t records();
/// Returns how many times an event of one device was recorded on a stream of another device, which CUDA forbids.
[[nodiscard]] std::int64_t misplaced();

}  // namespace fake_cuda

#endif
