#ifndef STEPSIM_SIM_STATS_OCCUPANCY_USE_H
#define STEPSIM_SIM_STATS_OCCUPANCY_USE_H

#include <cstdint>
#include <string>
#include <vector>

#include "sim/stats/device_use.h"

namespace stepsim::sim {

/// How much of a device its kernels fill, computed from their launches and the known limits of the device. Means are
/// weighted by the kernels' times. These are the values that Kineto writes as "blocks per SM", "warps per SM" and "est.
/// achieved occupancy %" and that TensorBoard's PyTorch plugin summarizes; here only grid, block, registers and shared
/// memory are needed.
struct KernelOccupancy {
  std::string name;
  std::size_t count = 0;
  Duration time{};
  double blocks = 0;  ///< blocks of the grid per multiprocessor of the device
  double warps = 0;   ///< warps of the grid per multiprocessor; a warp has 32 threads
  /// The share of a multiprocessor's thread slots that the kernel's blocks fill, limited by the number of blocks and by
  /// how many fit at a time (model/cost/device/accelerator.h).
  double occupancy = 0;
};

struct DeviceOccupancy {
  Rank rank = 0;
  std::int32_t device = 0;
  std::string name;      ///< for example "A100 SXM"
  Duration time{};       ///< total time of kernels with a known launch
  double occupancy = 0;  ///< mean occupancy over the kernels
  /// TensorBoard's "Est. SM efficiency": the share of the multiprocessors that have a block, over the device's span.
  double efficiency = 0;
  /// The share of compute time in kernels for matrix products, convolutions and attention whose name states a precision
  /// for which the device has matrix units.
  double matrix_share = 0;
};

struct OccupancyUse {
  std::vector<DeviceOccupancy> devices;  ///< sorted by rank and device
  std::vector<KernelOccupancy> kernels;  ///< kernels, those with the most time first
};

/// Returns the occupancy of devices and kernels; nothing if launches were not recorded, or if the devices are unknown.
/// O(pieces + names log names).
[[nodiscard]] OccupancyUse occupancy_use(const MeasuredWork& work, const std::vector<DeviceUse>& devices);

}  // namespace stepsim::sim

#endif
