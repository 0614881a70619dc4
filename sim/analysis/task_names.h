#ifndef STEPSIM_SIM_ANALYSIS_TASK_NAMES_H
#define STEPSIM_SIM_ANALYSIS_TASK_NAMES_H

#include <array>
#include <string_view>

#include "model/job/task.h"

/// What names of tasks say. Views that are returned point into the argument, or are literals.
namespace stepsim::sim {

// Beginnings of names.
inline constexpr std::string_view kForward = "FW.";             ///< an operator's forward pass
inline constexpr std::string_view kBackward = "BW.";            ///< its backward pass
inline constexpr std::string_view kComm = "Comm.";              ///< the communication of a tensor
inline constexpr std::string_view kStepMark = "ProfilerStep#";  ///< PyTorch's mark of a step

/// The name of which marks of steps are one: "ProfilerStep#" for "ProfilerStep#12"; other names as they are.
[[nodiscard]] std::string_view without_step_number(std::string_view name) noexcept;

/// NAME of FW.NAME, BW.NAME and UPDATE.NAME; empty for other names.
[[nodiscard]] std::string_view layer_of(std::string_view name) noexcept;

/// Work of a device, not of a host or a link.
[[nodiscard]] bool is_device_work(TaskKind kind) noexcept;

/// Of device work its class ("gemm"), of other work its kind ("host").
[[nodiscard]] std::string_view class_name(TaskKind kind, std::string_view name) noexcept;

/// Stages in which a partition crosses the network.
inline constexpr std::string_view kPush = "PUSH";
inline constexpr std::string_view kPull = "PULL";

/// The stages of a partition's communication as BytePS names them, in the order of its pipeline.
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

/// "Comm.NAME.STAGE.PARTITION" divided, the name of a stage of a partition of a parameter-server job; the partition
/// may be missing. All empty for other names.
struct StagedTask {
  std::string_view tensor;
  std::string_view stage;
  std::string_view partition;
};
[[nodiscard]] StagedTask staged_task(std::string_view name) noexcept;

}  // namespace stepsim::sim

#endif
