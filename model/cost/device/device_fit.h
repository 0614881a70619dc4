#ifndef STEPSIM_MODEL_COST_DEVICE_DEVICE_FIT_H
#define STEPSIM_MODEL_COST_DEVICE_DEVICE_FIT_H

#include <array>
#include <cstddef>

#include "model/cost/device/accelerator.h"
#include "model/cost/device/device_work.h"
#include "model/cost/device/roofline.h"
#include "model/job/kernel_class.h"
#include "model/job/recording.h"

namespace stepsim {

/// How the time of device work changes from one device to another, from two captures of one model.
struct DeviceFit {
  const Accelerator* from = nullptr;  ///< both null if the library does not know one of the two
  const Accelerator* to = nullptr;
  /// On top of what roofline says (of the recorded time, if the library lacks a device), by KernelClass.
  std::array<double, kKernelClassCount> factor{};
  std::array<std::size_t, kKernelClassCount> calls{};  ///< matched, by class
  std::size_t matched = 0;                             ///< calls of operators found in both
  std::size_t unmatched = 0;                           ///< in one of them only
  double matched_from = 0;                             ///< share of `from`'s time in calls that is matched
  double matched_to = 0;                               ///< of `to`'s
  /// Mean of |fitted - measured| over the mean of measured, of the matched calls: on the fit's own
  /// captures their total cannot be wrong by more.
  double residual = 0;
};

/// Matches the k-th call of an operator with given shapes in `from` with the k-th in `to`, since
/// kernels' names differ between vendors, and fits log(measured / roofline) by class: a common
/// part and one a class, by ridge regression (Hoerl and Kennard 1970) that draws a class with few
/// calls to the common part, weighted by time, with Huber's weights (1964) against outliers.
/// Throws InputError if the captures share no call: without record_shapes=True there is none.
[[nodiscard]] DeviceFit fit_devices(const Capture& from, const Capture& to);

/// How long `work` takes on the fit's other device: what roofline says, times the factor of its class.
/// Leaves out that a class's kernels of other sizes may differ by another factor. Collectives stay as
/// recorded.
[[nodiscard]] Scaled scaled_by_fit(const DeviceWork& work, const DeviceFit& fit);

}  // namespace stepsim

#endif
