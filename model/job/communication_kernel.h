#ifndef STEPSIM_MODEL_JOB_COMMUNICATION_KERNEL_H
#define STEPSIM_MODEL_JOB_COMMUNICATION_KERNEL_H

#include <optional>
#include <string_view>

namespace stepsim {

/// A kernel that moves data between devices.
struct CommunicationKernel {
  std::string_view library;    ///< whose it is, as people call it: "NCCL", "DeepEP"
  std::string_view operation;  ///< a part of the name: "AllReduce", "combine"; may be empty
};

/// What the kernel called `name` moves between devices, and by which library; nothing for kernels that compute.
/// The one table of these names is in the source. O(entries * length), whatever the name holds.
[[nodiscard]] std::optional<CommunicationKernel> communication_kernel(std::string_view name) noexcept;

}  // namespace stepsim

#endif
