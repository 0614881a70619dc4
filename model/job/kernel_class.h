#ifndef STEPSIM_MODEL_JOB_KERNEL_CLASS_H
#define STEPSIM_MODEL_JOB_KERNEL_CLASS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/job/task.h"

namespace stepsim {

/// The arithmetic of a matrix product, which determines a device's peak rate.
enum class Precision : std::uint8_t {
  kFloat64,
  kFloat32,
  kTensor32,  ///< TF32, XF32: fp32 operands rounded for the matrix units
  kFloat16,   ///< fp16 and bf16, which have the same rate
  kFloat8,
};
inline constexpr std::size_t kPrecisionCount = 5;

/// Classes of device work. Work of one class scales alike between devices.
enum class KernelClass : std::uint8_t {
  kGemm,
  kConvolution,
  kAttention,
  kElementwise,
  kReduction,
  kNormalisation,
  kSoftmax,
  kGather,      ///< embedding lookups, indexing
  kScatter,     ///< gradients of kGather's operations, index_put
  kCopy,        ///< within the device: copies, casts, concatenations, transpositions
  kHostCopy,    ///< between host and device, over the link between them
  kStagedCopy,  ///< between the device and pageable host memory: slower, because the host copies the data first
  kMemset,
  kCollective,
  kOptimizer,  ///< multi_tensor_apply, fused Adam
  kUnknown,
};
inline constexpr std::size_t kKernelClassCount = static_cast<std::size_t>(KernelClass::kUnknown) + 1;

/// The limiting resource of kernels of a class, used if nothing more specific is known about a kernel.
enum class Limit : std::uint8_t {
  kFlops,     ///< the rate of the matrix units
  kMemory,    ///< the memory bandwidth
  kHostLink,  ///< PCIe, NVLink to the host
  kNone,      ///< not the device: collectives are limited by the network, staged copies by the host
};

[[nodiscard]] std::string_view to_text(KernelClass kernel_class) noexcept;
[[nodiscard]] Limit limit_of(KernelClass kernel_class) noexcept;

/// Returns the class of device work with this name. Knows the names in CUDA, cuBLAS, cuDNN, CUTLASS, ROCm, rocBLAS,
/// Tensile, MIOpen, PyTorch, Triton, FBGEMM and NCCL. The first word of a fixed list that occurs in the name decides.
/// O(words * length) for any name.
[[nodiscard]] KernelClass classify_kernel(std::string_view name) noexcept;

/// Returns the class of a task with this kind and name. The kind takes precedence over the name.
[[nodiscard]] KernelClass classify_kernel(TaskKind kind, std::string_view name) noexcept;

/// Returns the precision stated in a matrix kernel's name, or nothing.
[[nodiscard]] std::optional<Precision> precision_in(std::string_view name) noexcept;

/// A kernel that moves data between devices.
struct CommunicationKernel {
  std::string_view library;    ///< library it belongs to, by its usual name: "NCCL", "DeepEP"
  std::string_view operation;  ///< part of the kernel's name: "AllReduce", "combine"; may be empty
};

/// Returns the operation and library of a kernel that moves data between devices, or nothing for kernels that compute.
/// The source file has the only table of these names. O(entries * length) for any name.
[[nodiscard]] std::optional<CommunicationKernel> communication_kernel(std::string_view name) noexcept;

}  // namespace stepsim

#endif
