#ifndef STEPSIM_TESTS_CAPTURE_FAKE_ROCM_FAKE_ROCM_H
#define STEPSIM_TESTS_CAPTURE_FAKE_ROCM_FAKE_ROCM_H

#include <cstdint>

/// A fake HIP with one GPU, a fake roctx, and a fake rocprofiler-sdk that records both, in one shared library: all that
/// a program needs to be captured without an AMD GPU. It was written after AMD's public headers and sources of
/// rocprofiler-sdk 1.0.0 (ROCm 7.0) and has never been compared with a GPU. Time is simulated, on a clock that begins
/// at the boot of the fake machine: a call takes the time in its comment.
///
/// Environment variables make the library misbehave; fake_rocprofiler.cpp lists them.
namespace fake_rocm {

/// Loads the tools named by ROCP_TOOL_LIBRARIES, as the HIP library does when it is loaded. Later calls do nothing.
void initialise();

/// Simulates work of the host that takes this many nanoseconds.
void work(std::int64_t nanoseconds);

/// hipStreamCreate(): returns a new stream. The default stream is 0.
[[nodiscard]] std::uint64_t create_stream();

struct Kernel {
  const char* mangled_name = "";
  std::int64_t duration = 0;
  std::uint32_t blocks = 1;
  std::uint32_t threads = 256;
};
/// hipLaunchKernel(): takes 3 us. The kernel begins at least 5 us after the start of the call, and after earlier work
/// on its stream.
void launch(const Kernel& kernel, std::uint64_t stream);
/// A kernel that OpenMP launches without HIP, on a queue of its own.
void launch_without_hip(const Kernel& kernel);

enum class Direction { kHostToDevice, kDeviceToHost, kDeviceToDevice };
/// hipMemcpyAsync(): takes 2 us; 10 bytes per ns.
void copy_async(Direction direction, std::uint64_t bytes, std::uint64_t stream);

/// hipEventRecord() and hipStreamWaitEvent(): 1 us.
void record_event(std::uint32_t event, std::uint64_t stream);
void wait_event(std::uint32_t event, std::uint64_t stream);
/// hipStreamSynchronize(): returns 2 us after the last work of the stream.
void synchronize_stream(std::uint64_t stream);
/// hipGetLastError(): 100 ns.
void get_last_error();

/// hipProfilerStart() and hipProfilerStop(): 100 ns.
void profiler_call(bool start);

/// roctxRangePushA(), roctxRangePop(), roctxRangeStartA(), roctxRangeStop(), roctxMarkA(), roctxProfilerPause() and
/// roctxProfilerResume().
void push_range(const char* name);
void pop_range();
[[nodiscard]] std::uint64_t start_range(const char* name);
void stop_range(std::uint64_t range);
void mark(const char* name);
void pause_profiler();
void resume_profiler();

}  // namespace fake_rocm

#endif
