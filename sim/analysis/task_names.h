#ifndef STEPSIM_SIM_ANALYSIS_TASK_NAMES_H
#define STEPSIM_SIM_ANALYSIS_TASK_NAMES_H

#include <string_view>

#include "model/job/task.h"
#include "model/job/task_names.h"

/// Parses the names of tasks. Returned views point into the argument or to literals.
namespace stepsim::sim {

/// Returns the common name of numbered step marks: "ProfilerStep#" for "ProfilerStep#12"; other names unchanged.
[[nodiscard]] std::string_view without_step_number(std::string_view name) noexcept;

/// Returns NAME for FW.NAME, BW.NAME and UPDATE.NAME; empty for other names.
[[nodiscard]] std::string_view layer_of(std::string_view name) noexcept;

/// True for work of a device; false for that of a host or a link.
[[nodiscard]] bool is_device_work(TaskKind kind) noexcept;

/// Returns the kernel class of device work ("gemm"), the kind of other work ("host").
[[nodiscard]] std::string_view class_name(TaskKind kind, std::string_view name) noexcept;

/// The parts of "Comm.NAME.STAGE.PARTITION", the name of a stage of a partition in a parameter-server job; the
/// partition may be missing. All parts are empty for other names.
struct StagedTask {
  std::string_view tensor;
  std::string_view stage;
  std::string_view partition;
};
[[nodiscard]] StagedTask staged_task(std::string_view name) noexcept;

}  // namespace stepsim::sim

#endif
