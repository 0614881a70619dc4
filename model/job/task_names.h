#ifndef STEPSIM_MODEL_JOB_TASK_NAMES_H
#define STEPSIM_MODEL_JOB_TASK_NAMES_H

#include <array>
#include <cstdint>
#include <string_view>

/// Texts with a meaning in the names of events, tasks and lanes. Frameworks write them, and so does stepsim.
namespace stepsim {

// Prefixes of names.
inline constexpr std::string_view kForward = "FW.";             ///< forward pass of an operator
inline constexpr std::string_view kBackward = "BW.";            ///< backward pass of an operator
inline constexpr std::string_view kComm = "Comm.";              ///< communication of a tensor
inline constexpr std::string_view kStepMark = "ProfilerStep#";  ///< PyTorch's step marker

/// Stages in which a partition crosses the network.
inline constexpr std::string_view kPush = "PUSH";
inline constexpr std::string_view kPull = "PULL";

/// The stages of a partition's communication, in pipeline order: QueueType in BytePS's byteps/common/common.h.
inline constexpr std::array<std::string_view, 12> kPipeline{"COORDINATE_REDUCE",
                                                            "REDUCE",
                                                            "COPYD2H",
                                                            "PCIE_REDUCE",
                                                            "COORDINATE_PUSH",
                                                            "COMPRESS",
                                                            kPush,
                                                            kPull,
                                                            "DECOMPRESS",
                                                            "COPYH2D",
                                                            "COORDINATE_BROADCAST",
                                                            "BROADCAST"};

/// The direction of a copy between host and device, according to its name from CUDA, HIP or nsys: "Memcpy HtoD (Pinned
/// -> Device)", "CopyHostToDevice".
enum class CopyDirection : std::uint8_t { kNone, kToDevice, kToHost };
[[nodiscard]] constexpr CopyDirection copy_direction(std::string_view name) noexcept {
  const auto says = [name](std::string_view word) { return name.find(word) != std::string_view::npos; };
  if (says("HtoD") || says("HostToDevice")) return CopyDirection::kToDevice;
  return says("DtoH") || says("DeviceToHost") ? CopyDirection::kToHost : CopyDirection::kNone;
}

/// True for a copy from one device to another, according to its name from CUDA or nsys: "Memcpy PtoP (Device ->
/// Device)".
[[nodiscard]] constexpr bool copies_between_devices(std::string_view name) noexcept {
  return name.find("PtoP") != std::string_view::npos || name.find("P2P") != std::string_view::npos;
}

/// True for a call that launches one kernel: cudaLaunchKernel, cudaLaunchKernelExC, cuLaunchKernel, hipLaunchKernel,
/// hipExtModuleLaunchKernel. A graph launch starts many kernels and is not included.
[[nodiscard]] constexpr bool launches_kernel(std::string_view call) noexcept {
  return call.find("LaunchKernel") != std::string_view::npos;
}

/// True for a call that launches a graph of kernels: cudaGraphLaunch, cuGraphLaunch, hipGraphLaunch.
[[nodiscard]] constexpr bool launches_graph(std::string_view call) noexcept {
  return call.find("GraphLaunch") != std::string_view::npos;
}

/// True for an annotation of a data loader that uses worker processes: PyTorch's
/// "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__". A _SingleProcessDataLoaderIter loads data in the
/// thread that calls it.
[[nodiscard]] constexpr bool awaits_loader(std::string_view name) noexcept {
  return name.find("_MultiProcessingDataLoaderIter.__next__") != std::string_view::npos;
}

/// Name of the lane of zero-length tasks that mark when a tensor is complete: each waits for all of the tensor's last
/// tasks. No event recorded them.
inline constexpr std::string_view kGatheredLane = "gathered";
/// Suffix of a task's name for the acknowledgement of a push on its way back to the sender.
inline constexpr std::string_view kAcknowledgementSuffix = ".ack";

}  // namespace stepsim

#endif
