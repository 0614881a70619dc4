#ifndef STEPSIM_TESTS_CAPTURE_FAKE_CUDA_FAKE_CUDA_H
#define STEPSIM_TESTS_CAPTURE_FAKE_CUDA_FAKE_CUDA_H

#include <cstdint>
#include <vector>

/// A CUDA with a device of its own, a CUPTI that records it and an NVTX, in one shared library: what a program needs to
/// be captured where there is no GPU. Time is simulated: a call takes what its comment says, and nothing else passes
/// but by work(). So a program on one thread is the same to the nanosecond in every run.
///
/// Variables of the environment make it behave as CUDA does on bad days; fake_cupti.cpp lists them.
namespace fake_cuda {

constexpr std::uint32_t kStream = 7;  ///< of most work, as PyTorch's

/// As a program's first call of CUDA: loads the library that CUDA_INJECTION64_PATH names. Further calls do nothing.
void initialise();

/// The host computes for so many nanoseconds.
void work(std::int64_t nanoseconds);
[[nodiscard]] std::int64_t now();

/// What a graph launches, and what launch() does.
struct Kernel {
  const char* mangled_name = "";
  std::int64_t duration = 0;
  std::int32_t blocks = 1;
  std::int32_t threads = 128;
};

/// 3 us. The kernel begins 4 us after the call at the earliest, behind what is on its stream.
void launch(const Kernel& kernel, std::uint32_t stream = kStream);
/// 5 us; each kernel behind the one before.
void launch_graph(std::uint32_t graph, const std::vector<Kernel>& kernels, std::uint32_t stream = kStream);
/// 2 us; 10 bytes a nanosecond. `kind`: CUpti_ActivityMemcpyKind.
void copy_async(std::uint8_t kind, std::uint64_t bytes, std::uint32_t stream = kStream);
/// To another device of the host.
void copy_to_peer(std::uint64_t bytes, std::uint32_t stream = kStream);
/// 2 us; 100 bytes a nanosecond.
void set_async(std::uint64_t bytes, std::uint32_t stream = kStream);

/// 1 us: what is on the stream by now is what waits for the event wait for.
void record_event(std::uint32_t event, std::uint32_t stream = kStream);
/// 1 us: what comes on the stream waits for the event as it was recorded last.
void wait_event(std::uint32_t event, std::uint32_t stream);
/// 2 us, from when the work is done.
void synchronize_event(std::uint32_t event);
void synchronize_stream(std::uint32_t stream = kStream);
void synchronize_device();

/// CUPTI does something for itself, of this CUpti_ActivityOverheadKind, while the host waits for it.
void overhead(std::uint32_t kind, std::int64_t nanoseconds);

// NVTX.

/// The message of event attributes.
struct Message {
  std::int32_t type = 0;  ///< 1: char, 2: wchar_t, 3: a registered string
  const void* text = nullptr;
};
void push_range(const char* name);
void push_range(const wchar_t* name);
void push_range(Message message);
void push_range_of_domain(Message message);
void pop_range();
void pop_range_of_domain();
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
