#ifndef STEPSIM_SIM_ANALYSIS_TASK_NAMES_H
#define STEPSIM_SIM_ANALYSIS_TASK_NAMES_H

#include <string_view>

#include "model/job/task.h"
#include "model/job/task_names.h"

/// What names of tasks say. Views that are returned point into the argument, or are literals.
namespace stepsim::sim {

/// The name of which marks of steps are one: "ProfilerStep#" for "ProfilerStep#12"; other names as they are.
[[nodiscard]] std::string_view without_step_number(std::string_view name) noexcept;

/// NAME of FW.NAME, BW.NAME and UPDATE.NAME; empty for other names.
[[nodiscard]] std::string_view layer_of(std::string_view name) noexcept;

/// Work of a device, not of a host or a link.
[[nodiscard]] bool is_device_work(TaskKind kind) noexcept;

/// Of device work its class ("gemm"), of other work its kind ("host").
[[nodiscard]] std::string_view class_name(TaskKind kind, std::string_view name) noexcept;

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
