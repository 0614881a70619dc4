#ifndef STEPSIM_TESTS_CAPTURE_FAKE_CUDA_FAKE_CUDA_H
#define STEPSIM_TESTS_CAPTURE_FAKE_CUDA_FAKE_CUDA_H

#include <cstdint>
#include <vector>

/// A fake CUDA with one device, a fake CUPTI that records it and a fake NVTX, in one shared library: all that a program
/// needs to be captured without a GPU. Time is simulated: a call takes the time in its comment. A program with one
/// thread therefore has the same times, to the nanosecond, in every run.
///
/// Environment variables make the library misbehave in the ways that CUDA may; fake_cupti.cpp lists them.
namespace fake_cuda {

constexpr std::uint32_t kStream = 7;  ///< the stream of most work, as in PyTorch

/// Loads the library named by CUDA_INJECTION64_PATH, as a program's first CUDA call does. Later calls do nothing.
void initialise();

/// Simulates work of the host that takes this many nanoseconds.
void work(std::int64_t nanoseconds);
[[nodiscard]] std::int64_t now();

/// A kernel for launch() and launch_graph().
struct Kernel {
  const char* mangled_name = "";
  std::int64_t duration = 0;
  std::int32_t blocks = 1;
  std::int32_t threads = 128;
};

/// Creates a stream; the call takes no time. Work on a blocking stream and work on kStream, the default one, wait for
/// each other in the order of their launches. Streams that are not created have no kind, and wait for no other.
void create_stream(std::uint32_t stream, bool blocking, std::int32_t priority);

/// The call takes 3 us. The kernel begins at least 4 us after the start of the call, and after earlier work on its
/// stream.
void launch(const Kernel& kernel, std::uint32_t stream = kStream);
/// The same by the driver's cuLaunchKernel(), as cuBLAS launches.
void launch_by_driver(const Kernel& kernel, std::uint32_t stream = kStream);
/// The call takes 5 us. The kernels run one after the other. All graphs are as old as the program; if CUPTI began later
/// to record whole graphs, the program crashes, as it does with CUPTI 13.0.
void launch_graph(std::uint32_t graph, const std::vector<Kernel>& kernels, std::uint32_t stream = kStream);
/// The call takes 2 us. The copy moves 10 bytes per nanosecond. `kind` is a CUpti_ActivityMemcpyKind.
void copy_async(std::uint8_t kind, std::uint64_t bytes, std::uint32_t stream = kStream);
/// Copies to another device of the host. The call takes 2 us. The copy moves 10 bytes per nanosecond.
void copy_to_peer(std::uint64_t bytes, std::uint32_t stream = kStream);
/// The call takes 2 us. The device sets 100 bytes per nanosecond.
void set_async(std::uint64_t bytes, std::uint32_t stream = kStream);

/// The call takes 1 us. The event completes at the end of all work that was put on the stream before this call.
void record_event(std::uint32_t event, std::uint32_t stream = kStream);
/// The call takes 1 us. Later work on the stream waits for the latest record of the event.
void wait_event(std::uint32_t event, std::uint32_t stream);
/// Each of these three calls waits for work on the device, and returns 2 us after the work has ended.
void synchronize_event(std::uint32_t event);
void synchronize_stream(std::uint32_t stream = kStream);
void synchronize_device();

/// Calls cudaGetLastError(), which takes 100 ns.
void get_last_error();

/// Calls cudaProfilerStart() or cudaProfilerStop().
void profiler_call(bool start);

/// Simulates overhead of CUPTI: the host waits for this many nanoseconds, and CUPTI reports the wait as an overhead of
/// this CUpti_ActivityOverheadKind.
void overhead(std::uint32_t kind, std::int64_t nanoseconds);

// Functions of NVTX.

/// A message in the attributes of an NVTX event.
struct Message {
  std::int32_t type = 0;  ///< 1: char, 2: wchar_t, 3: a registered string
  const void* text = nullptr;
};
void push_range(const char* name);
void push_range(const wchar_t* name);
void push_range(Message message);
void push_range_of_domain(Message message, void* domain = nullptr);
void pop_range();
void pop_range_of_domain(void* domain = nullptr);
[[nodiscard]] std::uint64_t start_range(const wchar_t* name);
void end_range(std::uint64_t id);
void mark(const char* name);
void mark(const wchar_t* name);
void mark(Message message);
void mark_of_domain(Message message);
[[nodiscard]] const void* register_string(const char* text);
[[nodiscard]] const void* register_string(const wchar_t* text);

}  // namespace fake_cuda

#endif
