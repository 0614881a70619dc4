#include "sim/report/staged_task.h"

#include <algorithm>

#include "model/base/text.h"

namespace stepsim::sim {

StagedTask staged_task(std::string_view name) noexcept {
  constexpr std::string_view kComm = "Comm.";
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
