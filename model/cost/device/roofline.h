#ifndef STEPSIM_MODEL_COST_DEVICE_ROOFLINE_H
#define STEPSIM_MODEL_COST_DEVICE_ROOFLINE_H

#include "model/cost/device/device_model.h"

namespace stepsim {

/// The roofline model itself (roofline.cpp has the formula), for models that build on it.
[[nodiscard]] Scaled roofline_scaled(const DeviceWork& work, const Accelerator& from, const Accelerator& to);

/// The same of work that is other work there: in another precision, on more samples. `before` is
/// what took its recorded time on `from`.
[[nodiscard]] Scaled roofline_scaled(const DeviceWork& before, const Accelerator& from, const DeviceWork& after,
                                     const Accelerator& to);

}  // namespace stepsim

#endif
