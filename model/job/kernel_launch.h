#ifndef STEPSIM_MODEL_JOB_KERNEL_LAUNCH_H
#define STEPSIM_MODEL_JOB_KERNEL_LAUNCH_H

#include <cstdint>
#include <vector>

#include "model/base/id.h"

namespace stepsim {

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

}  // namespace stepsim

#endif
