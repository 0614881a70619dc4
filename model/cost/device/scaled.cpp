#include "model/cost/device/device_model.h"

namespace stepsim {

extern const DeviceModel scaled_device;
const DeviceModel scaled_device{
    .name = "scaled",
    .summary = "a factor on the durations of the kernels that are meant",
    .formula = "t = factor * recorded duration",
    .source = "whoever gives the factor",
    .ignores = "why a kernel would be faster: all that are meant change alike",
    .otherwise = "roofline for another device, whose kernels change by what each is bound by",
    .scale =
        [](const DeviceWork& work, const DeviceChange& change) {
          return Scaled{static_cast<double>(work.recorded.count()) * change.factor, ScaledBy::kFactor};
        },
};

}  // namespace stepsim
