#ifndef STEPSIM_MODEL_COST_DEVICE_ROOFLINE_H
#define STEPSIM_MODEL_COST_DEVICE_ROOFLINE_H

#include "model/cost/device/accelerator.h"
#include "model/cost/device/device_work.h"
#include "model/cost/device/rescale.h"

namespace stepsim {

/// How long `work`, recorded on `from`, takes on `to`: each kernel scales by what bounds it, the rate of
/// products (by tiles, where its shape is known), the memory's bandwidth or the time to start (Williams, Waterman
/// and Patterson 2009; Lee et al. 2025; roofline.cpp has the formulas). The result says how far off it may be.
/// Leaves out another library's kernels, fusion, and what products find in caches. Collectives stay as recorded. O(1).
[[nodiscard]] Scaled roofline_scaled(const DeviceWork& work, const Accelerator& from, const Accelerator& to);

/// Nanoseconds that `work` takes on `device` at best: what a kernel takes of which nothing was recorded. What is
/// recorded of `work` is not looked at. Precondition: work.work is there.
[[nodiscard]] double roofline_time(const DeviceWork& work, const Accelerator& device);

/// The same where the work changes too: another precision, more samples. `before` took its recorded
/// time on `from`; `after` is done on `to`.
[[nodiscard]] Scaled roofline_scaled(const DeviceWork& before, const Accelerator& from, const DeviceWork& after,
                                     const Accelerator& to);

}  // namespace stepsim

#endif
