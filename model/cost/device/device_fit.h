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

/// How the time of device work differs between two devices, fitted to two captures of one model.
struct DeviceFit {
  const Accelerator* from = nullptr;  ///< both null if one of the two devices is unknown
  const Accelerator* to = nullptr;
  /// Factor for each KernelClass on roofline's prediction, or on the recorded time if a device is unknown.
  std::array<double, kKernelClassCount> factor{};
  std::array<std::size_t, kKernelClassCount> calls{};  ///< number of matched calls by class
  std::size_t matched = 0;                             ///< calls of operators found in both captures
  std::size_t unmatched = 0;                           ///< calls found in only one of the captures
  double matched_from = 0;  ///< share of the time of `from`'s calls that the matched calls take
  double matched_to = 0;    ///< share of the time of `to`'s calls that the matched calls take
  /// Mean of |fitted - measured| over the matched calls, divided by their mean measured time. The relative error of the
  /// total time of the fitted captures is at most this.
  double residual = 0;
};

/// Fits factors to two captures. Matches the k-th call of an operator with given shapes in `from` with the k-th in
/// `to`, because kernel names differ between vendors. Fits log(measured / roofline) as a common part plus a part for
/// each class. Ridge regression (Hoerl and Kennard 1970) keeps a class with few calls close to the common part. Calls
/// are weighted by time, with Huber's weights (1964) against outliers. Throws InputError if the captures have no call
/// in common, for example without record_shapes=True.
[[nodiscard]] DeviceFit fit_devices(const Capture& from, const Capture& to);

/// Returns the duration of `work` on the other device: roofline's prediction times the factor of its class. Kernels of
/// other sizes may have a different factor; this is ignored. Collectives keep their recorded duration.
[[nodiscard]] Scaled scaled_by_fit(const DeviceWork& work, const DeviceFit& fit);

}  // namespace stepsim

#endif
