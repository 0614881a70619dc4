#ifndef STEPSIM_SIM_REPORT_STAGED_TASK_H
#define STEPSIM_SIM_REPORT_STAGED_TASK_H

#include <array>
#include <string_view>

namespace stepsim::sim {

/// The stages of a partition's communication as BytePS names them, in the order of its pipeline.
inline constexpr std::array<std::string_view, 12> kPipeline{"COORDINATE_REDUCE",
                                                            "REDUCE",
                                                            "COPYD2H",
                                                            "PCIE_REDUCE",
                                                            "COORDINATE_PUSH",
                                                            "COMPRESS",
                                                            "PUSH",
                                                            "PULL",
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
