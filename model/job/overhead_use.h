#ifndef STEPSIM_MODEL_JOB_OVERHEAD_USE_H
#define STEPSIM_MODEL_JOB_OVERHEAD_USE_H

#include <cstdint>
#include <string>

#include "model/base/units.h"

namespace stepsim {

/// What a profiler tells of time that passed beside the program's own work, of one kind. Source:
/// CUpti_ActivityOverheadKind, which PyTorch's profiler and Nsight Systems pass on.
struct OverheadUse {
  std::string kind;         ///< in the profiler's words: "Buffer Flush"
  bool of_profiler = true;  ///< it did this for itself; else CUDA did it, which it does without a profiler, too
  std::uint64_t count = 0;
  Duration total{};
  Duration longest{};
  Duration by_clock{};  ///< what ran at once on several threads counts once
};

}  // namespace stepsim

#endif
