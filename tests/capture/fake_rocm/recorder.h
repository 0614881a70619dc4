#ifndef STEPSIM_TESTS_CAPTURE_FAKE_ROCM_RECORDER_H
#define STEPSIM_TESTS_CAPTURE_FAKE_ROCM_RECORDER_H

#include <cstdint>
#include <vector>

#include "capture/rocprofiler/abi.h"

/// The interface between the fake HIP and the fake rocprofiler-sdk.
namespace fake_rocm {

namespace abi = stepsim::capture::rocprofiler;

/// Handles of the agents: a CPU and a GPU.
constexpr std::uint64_t kCpu = 0xC0;
constexpr std::uint64_t kGpu = 0xC1;

/// HIP calls, with the numbers of rocprofiler_hip_runtime_api_id_t.
enum class Call : std::int32_t {
  kEventRecord = 81,
  kGetLastError = 109,
  kLaunchKernel = 214,
  kMemcpyAsync = 268,
  kProfilerStart = 324,
  kProfilerStop = 325,
  kStreamCreate = 334,
  kStreamSynchronize = 346,
  kStreamWaitEvent = 348,
};

[[nodiscard]] std::int64_t now();

/// Loads and configures the tools. Called once.
void load_tools();

/// Returns a new correlation id.
[[nodiscard]] std::uint64_t next_correlation();
/// True if a context that records this operation is active.
[[nodiscard]] bool is_active(abi::BufferKind kind, std::int32_t operation);
/// The external correlation id of the calling thread; 0 if there is none.
[[nodiscard]] std::uint64_t external();
/// Adds a record of the size that this version has to the tool's buffer.
void add(abi::BufferKind kind, const void* record, std::size_t bytes);

/// An event whose phases kEnter and kExit a tool receives, if its context was active at kEnter.
class Notice {
 public:
  Notice(abi::CallbackKind kind, std::int32_t operation, const void* payload, abi::Phase phase = abi::Phase::kEnter);
  void exit();
  [[nodiscard]] bool is_followed() const { return followed_; }

 private:
  abi::Event event_;
  std::uint64_t kept_ = 0;
  bool followed_ = false;
};

}  // namespace fake_rocm

#endif
