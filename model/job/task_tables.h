#ifndef STEPSIM_MODEL_JOB_TASK_TABLES_H
#define STEPSIM_MODEL_JOB_TASK_TABLES_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/id.h"

namespace stepsim {

/// Carries what a table says of tasks (OperatorTable::uses, LaunchTable::uses) over to their new ids: `new_id` is by
/// old id, and invalid for tasks that are gone. The uses are by task again. O(uses * log of them).
template <class Use>
void renumber(std::vector<Use>& uses, const std::vector<TaskId>& new_id) {
  for (Use& use : uses) use.task = new_id[use.task.index()];
  std::erase_if(uses, [](const Use& use) { return !use.task.valid(); });
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.task < b.task; });
}

/// How a kernel was launched, as CUPTI records it: what decides how much of a device it fills.
struct KernelLaunch {
  std::uint64_t blocks = 0;         ///< of the grid
  std::uint32_t threads = 0;        ///< a block
  std::uint32_t registers = 0;      ///< a thread
  std::uint32_t shared_memory = 0;  ///< bytes a block, static and dynamic

  [[nodiscard]] auto operator<=>(const KernelLaunch& other) const = default;
};

/// How kernels were launched, beside the Dag: only where the trace records it. Empty otherwise, at no cost.
struct LaunchTable {
  struct Use {
    TaskId task;
    std::uint32_t which = 0;  ///< index into launches
  };
  std::vector<KernelLaunch> launches;  ///< distinct in each trace; steps and layers repeat them
  std::vector<Use> uses;               ///< by task
};

/// What the framework calls a module's forward pass: "nn.Module: Conv2d_3" (PyTorch, with_stack=True).
inline constexpr std::string_view kModulePrefix = "nn.Module: ";

/// Inside which annotations (torch.profiler.record_function) and modules device work was launched, beside the Dag.
/// Marks of steps are none. Empty where nothing was annotated, at no cost.
struct AnnotationTable {
  struct Use {
    TaskId task;
    std::uint32_t which = 0;  ///< index into names
  };
  std::vector<std::string> names;  ///< distinct in each rank; those of modules begin with kModulePrefix
  std::vector<Use> uses;           ///< by task; one for each annotation around its launch
};

}  // namespace stepsim

#endif
