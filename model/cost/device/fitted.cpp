#include "model/cost/device/device_fit.h"
#include "model/cost/device/device_model.h"
#include "model/cost/device/roofline.h"

namespace stepsim {
namespace {

Scaled scaled_by_fit(const DeviceWork& work, const DeviceChange& change) {
  const DeviceFit& fit = *change.fit;
  const double recorded = static_cast<double>(work.recorded.count());
  if (limit_of(work.kind) == Limit::kNone) return {recorded, ScaledBy::kUnchanged};
  Scaled scaled = fit.from == nullptr ? Scaled{recorded, ScaledBy::kClass} : roofline_scaled(work, *fit.from, *fit.to);
  scaled.nanoseconds *= fit.factor[static_cast<std::size_t>(work.kind)];
  return scaled;
}

}  // namespace

extern const DeviceModel fitted_device;
const DeviceModel fitted_device{
    .name = "fitted",
    .summary = "roofline, corrected by class of kernel with two captures of one model on the two devices",
    .formula = "t = roofline * factor(class)",
    .source = "Huber 1964, Hoerl and Kennard 1970; the two captures",
    .ignores = "that a class's kernels of other sizes may differ by another factor; collectives and host stay",
    .otherwise = "roofline, where the two captures hold little of what the step is made of",
    .needs_fit = true,
    .scale = scaled_by_fit,
};

}  // namespace stepsim
