#ifndef STEPSIM_MODEL_JOB_TASK_NAMES_H
#define STEPSIM_MODEL_JOB_TASK_NAMES_H

#include <array>
#include <cstdint>
#include <string_view>

/// The texts in names of events, tasks and lanes that mean something, as frameworks write them, and so does stepsim.
namespace stepsim {

// Beginnings of names.
inline constexpr std::string_view kForward = "FW.";             ///< an operator's forward pass
inline constexpr std::string_view kBackward = "BW.";            ///< its backward pass
inline constexpr std::string_view kComm = "Comm.";              ///< the communication of a tensor
inline constexpr std::string_view kStepMark = "ProfilerStep#";  ///< PyTorch's mark of a step

/// Stages in which a partition crosses the network.
inline constexpr std::string_view kPush = "PUSH";
inline constexpr std::string_view kPull = "PULL";

/// The stages of a partition's communication, in the order of the pipeline: QueueType in BytePS's
/// byteps/common/common.h.
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

/// Which way a copy between host and device goes, by the name that CUDA, HIP or nsys gives it: "Memcpy HtoD (Pinned ->
/// Device)", "CopyHostToDevice".
enum class CopyDirection : std::uint8_t { kNone, kToDevice, kToHost };
[[nodiscard]] constexpr CopyDirection copy_direction(std::string_view name) noexcept {
  const auto says = [name](std::string_view word) { return name.find(word) != std::string_view::npos; };
  if (says("HtoD") || says("HostToDevice")) return CopyDirection::kToDevice;
  return says("DtoH") || says("DeviceToHost") ? CopyDirection::kToHost : CopyDirection::kNone;
}

/// Whether an annotation is that of a data loader whose batches other processes make: PyTorch's
/// "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__". The loader of _SingleProcessDataLoaderIter works in
/// the thread that asks it.
[[nodiscard]] constexpr bool awaits_loader(std::string_view name) noexcept {
  return name.find("_MultiProcessingDataLoaderIter.__next__") != std::string_view::npos;
}

/// The lane of the instants at which all that is last of a tensor has ended. No event recorded them.
inline constexpr std::string_view kGatheredLane = "gathered";
/// Ends the name of the part of a push that follows its arrival: the way back of the acknowledgement.
inline constexpr std::string_view kAcknowledgementSuffix = ".ack";

}  // namespace stepsim

#endif
