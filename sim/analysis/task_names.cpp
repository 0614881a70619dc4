#include "sim/analysis/task_names.h"

#include <algorithm>

#include "model/base/text.h"
#include "model/job/kernel_class.h"

namespace stepsim::sim {

std::string_view without_step_number(std::string_view name) noexcept {
  return name.starts_with(kStepMark) ? kStepMark : name;
}

std::string_view layer_of(std::string_view name) noexcept {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view kind = name.substr(0, dot);
  return kind == "FW" || kind == "BW" || kind.starts_with("UPDATE") ? name.substr(dot + 1) : std::string_view{};
}

bool is_device_work(TaskKind kind) noexcept {
  return kind == TaskKind::kKernel || kind == TaskKind::kCopy || kind == TaskKind::kMemset ||
         kind == TaskKind::kCollective;
}

std::string_view class_name(TaskKind kind, std::string_view name) noexcept {
  return is_device_work(kind) ? stepsim::to_text(classify_kernel(kind, name)) : stepsim::to_text(kind);
}

StagedTask staged_task(std::string_view name) noexcept {
  if (!name.starts_with(kComm)) return {};
  name.remove_prefix(kComm.size());
  StagedTask task;
  std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  if (std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot) + 1, name.end(), is_digit)) {
    task.partition = name.substr(dot + 1);
    name = name.substr(0, dot);
    dot = name.rfind('.');
    if (dot == std::string_view::npos) return {};
  }
  task.stage = name.substr(dot + 1);
  task.tensor = name.substr(0, dot);
  return std::find(kPipeline.begin(), kPipeline.end(), task.stage) == kPipeline.end() ? StagedTask{} : task;
}

}  // namespace stepsim::sim
