#ifndef STEPSIM_MODEL_JOB_ANNOTATION_TABLE_H
#define STEPSIM_MODEL_JOB_ANNOTATION_TABLE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/id.h"

namespace stepsim {

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
