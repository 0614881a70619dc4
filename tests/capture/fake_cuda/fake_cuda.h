#ifndef STEPSIM_TESTS_CAPTURE_FAKE_CUDA_FAKE_CUDA_H
#define STEPSIM_TESTS_CAPTURE_FAKE_CUDA_FAKE_CUDA_H

#include <cstdint>
#include <vector>

/// A fake CUDA with one device, a CUPTI that records it and an NVTX, in one shared library: all that a program needs
/// to be captured without a GPU. Time is simulated: a call takes the time in its comment, and otherwise only work()
/// takes time. So a program with one thread is the same to the nanosecond in every run.
///
/// Environment variables make it misbehave in the ways that CUDA may; fake_cupti.cpp lists them.
namespace fake_cuda {

constexpr std::uint32_t kStream = 7;  ///< the stream of most work, as in PyTorch

/// Like a program's first call of CUDA: loads the library named by CUDA_INJECTION64_PATH. Later calls do nothing.
void initialise();

/// The host computes for this many nanoseconds.
void work(std::int64_t nanoseconds);
[[nodiscard]] std::int64_t now();

/// A kernel for launch() and launch_graph().
struct Kernel {
  const char* mangled_name = "";
  std::int64_t duration = 0;
  std::int32_t blocks = 1;
  std::int32_t threads = 128;
};

/// Takes 3 us. The kernel begins at least 4 us after the call, after earlier work on its stream.
void launch(const Kernel& kernel, std::uint32_t stream = kStream);
/// Takes 5 us. The kernels run one after the other.
void launch_graph(std::uint32_t graph, const std::vector<Kernel>& kernels, std::uint32_t stream = kStream);
/// Takes 2 us. The copy moves 10 bytes per nanosecond. `kind` is a CUpti_ActivityMemcpyKind.
void copy_async(std::uint8_t kind, std::uint64_t bytes, std::uint32_t stream = kStream);
/// Copies to another device of the host.
void copy_to_peer(std::uint64_t bytes, std::uint32_t stream = kStream);
/// Takes 2 us. Sets 100 bytes per nanosecond.
void set_async(std::uint64_t bytes, std::uint32_t stream = kStream);

/// Takes 1 us. Waits for the event wait for the work that is now on the stream.
void record_event(std::uint32_t event, std::uint32_t stream = kStream);
/// Takes 1 us. Later work on the stream waits for the latest record of the event.
void wait_event(std::uint32_t event, std::uint32_t stream);
/// Takes 2 us, counted from the end of the work.
void synchronize_event(std::uint32_t event);
void synchronize_stream(std::uint32_t stream = kStream);
void synchronize_device();

/// CUPTI works for itself, with this CUpti_ActivityOverheadKind, while the host waits for it.
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
