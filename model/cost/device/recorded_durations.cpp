#include "model/cost/device/device_model.h"

namespace stepsim {

extern const DeviceModel recorded_durations_device;
const DeviceModel recorded_durations_device{
    .name = "recorded",
    .summary = "every kernel takes as long as it was recorded",
    .formula = "t = recorded duration",
    .source = "the capture",
    .ignores = "whatever another device would do",
    .otherwise = "roofline for another device, fitted where two captures tell the two apart",
    .scale =
        [](const DeviceWork& work, const DeviceChange&) {
          return Scaled{static_cast<double>(work.recorded.count()), ScaledBy::kUnchanged};
        },
};

}  // namespace stepsim
