#ifndef STEPSIM_MODEL_JOB_KERNEL_CLASS_H
#define STEPSIM_MODEL_JOB_KERNEL_CLASS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/job/task.h"

namespace stepsim {

/// In which arithmetic a matrix product is done: what decides a device's peak.
enum class Precision : std::uint8_t {
  kFloat64,
  kFloat32,
  kTensor32,  ///< TF32, XF32: fp32 operands rounded for the matrix units
  kFloat16,   ///< fp16 and bf16, which run at one rate
  kFloat8,
};
inline constexpr std::size_t kPrecisionCount = 5;

/// What a piece of device work does, as far as that decides how it scales with the device.
enum class KernelClass : std::uint8_t {
  kGemm,
  kConvolution,
  kAttention,
  kElementwise,
  kReduction,
  kNormalisation,
  kSoftmax,
  kGather,      ///< embedding lookups, indexing
  kScatter,     ///< their gradients, index_put
  kCopy,        ///< within the device: copies, casts, concatenations, transpositions
  kHostCopy,    ///< between host and device, over the link
  kStagedCopy,  ///< the same from or to pageable memory: the host copies it first, and that takes longer
  kMemset,
  kCollective,
  kOptimizer,  ///< multi_tensor_apply, fused Adam
  kUnknown,
};
inline constexpr std::size_t kKernelClassCount = static_cast<std::size_t>(KernelClass::kUnknown) + 1;

/// What limits kernels of a class, where nothing better is known of a kernel.
enum class Limit : std::uint8_t {
  kFlops,     ///< the matrix units' rate
  kMemory,    ///< the memory's bandwidth
  kHostLink,  ///< PCIe, NVLink to the host
  kNone,      ///< the device does not decide: a collective is the network's, staging the host's
};

[[nodiscard]] std::string_view to_text(KernelClass kernel_class) noexcept;
[[nodiscard]] Limit limit_of(KernelClass kernel_class) noexcept;

/// The class of device work called `name`. Knows what CUDA, cuBLAS, cuDNN, CUTLASS, ROCm,
/// rocBLAS, Tensile, MIOpen, PyTorch, Triton, FBGEMM and NCCL call theirs. The first word of
/// a fixed list that occurs in the name decides: O(words * length), whatever the name holds.
[[nodiscard]] KernelClass classify_kernel(std::string_view name) noexcept;

/// The same for a task: its kind decides first.
[[nodiscard]] KernelClass classify_kernel(TaskKind kind, std::string_view name) noexcept;

/// The arithmetic that a matrix kernel's name states; nothing if it states none.
[[nodiscard]] std::optional<Precision> precision_in(std::string_view name) noexcept;

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
