#ifndef STEPSIM_MODEL_COST_DEVICE_LIBRARY_H
#define STEPSIM_MODEL_COST_DEVICE_LIBRARY_H

#include <span>

#include "model/cost/device/accelerator.h"

namespace stepsim {

/// The accelerators that stepsim knows: vendors and generations together, oldest first.
[[nodiscard]] std::span<const Accelerator> accelerators() noexcept;

}  // namespace stepsim

#endif
