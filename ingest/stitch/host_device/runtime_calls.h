#ifndef STEPSIM_INGEST_STITCH_HOST_DEVICE_RUNTIME_CALLS_H
#define STEPSIM_INGEST_STITCH_HOST_DEVICE_RUNTIME_CALLS_H

#include <cstdint>
#include <string_view>

#include "model/base/units.h"

namespace stepsim::ingest {

/// What a runtime or driver call may wait for, besides doing its own work.
enum class CallWait : std::uint8_t {
  kNothing,
  kDevice,      ///< all work of the device: cudaDeviceSynchronize
  kStream,      ///< work of a stream, up to an event: cudaStreamSynchronize, cudaEventSynchronize
  kOwnWork,     ///< the copy that it starts: cudaMemcpy
  kAllocation,  ///< whatever the allocator must let finish: cudaMalloc, cudaFree
  kLaunch,      ///< room in the launch queue: cudaLaunchKernel
};

/// A call that can wait is taken to spend at most this on its own part before it waits.
inline constexpr Duration kCallOverhead{2'000};

/// By the call's name. CUDA's runtime and driver and HIP use the same words behind their prefixes, Ascend's runtime
/// similar ones.
[[nodiscard]] CallWait wait_of_call(std::string_view name) noexcept;

}  // namespace stepsim::ingest

#endif
