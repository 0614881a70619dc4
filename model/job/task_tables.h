#ifndef STEPSIM_MODEL_JOB_TASK_TABLES_H
#define STEPSIM_MODEL_JOB_TASK_TABLES_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/id.h"

namespace stepsim {

/// Replaces the task ids of a table (OperatorTable::uses, LaunchTable::uses). `new_id` maps old ids to new ones,
/// invalid for removed tasks. Afterwards, the uses are ordered by task again, and those of a task as they were. O(uses
/// log uses).
template <class Use>
void renumber(std::vector<Use>& uses, const std::vector<TaskId>& new_id) {
  for (Use& use : uses) use.task = new_id[use.task.index()];
  std::erase_if(uses, [](const Use& use) { return !use.task.valid(); });
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.task < b.task; });
}

/// The launch parameters of a kernel as recorded by CUPTI. They determine how much of a device the kernel fills.
struct KernelLaunch {
  std::uint64_t blocks = 0;         ///< number of blocks in the grid
  std::uint32_t threads = 0;        ///< threads per block
  std::uint32_t registers = 0;      ///< registers per thread
  std::uint32_t shared_memory = 0;  ///< bytes of shared memory per block, static and dynamic

  [[nodiscard]] auto operator<=>(const KernelLaunch& other) const = default;
};

/// The launch parameters of kernels. Stored separately from the Dag, only if the trace records them; otherwise empty
/// and without cost.
struct LaunchTable {
  struct Use {
    TaskId task;
    std::uint32_t which = 0;  ///< index into launches
  };
  std::vector<KernelLaunch> launches;  ///< distinct within each trace, because steps and layers repeat them
  std::vector<Use> uses;               ///< ordered by task
};

/// Prefix of the name of a module's forward pass: "nn.Module: Conv2d_3" (PyTorch, with_stack=True).
inline constexpr std::string_view kModulePrefix = "nn.Module: ";

/// The annotations (torch.profiler.record_function) and modules in which device work was launched. Step markers are not
/// included. Stored separately from the Dag; empty and without cost if nothing was annotated.
struct AnnotationTable {
  struct Use {
    TaskId task;
    std::uint32_t which = 0;  ///< index into names
  };
  std::vector<std::string> names;  ///< distinct within each rank; names of modules begin with kModulePrefix
  std::vector<Use> uses;           ///< ordered by task; one for each annotation around its launch
};

}  // namespace stepsim

#endif
