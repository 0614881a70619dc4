#ifndef STEPSIM_SIM_STATS_OCCUPANCY_USE_H
#define STEPSIM_SIM_STATS_OCCUPANCY_USE_H

#include <cstdint>
#include <string>
#include <vector>

#include "sim/stats/device_use.h"

namespace stepsim::sim {

/// How much of a device kernels fill, from their launches and what the device is known to hold. Means are weighted by
/// the kernels' times. What Kineto writes as "blocks per SM", "warps per SM" and "est. achieved occupancy %", and
/// TensorBoard's PyTorch plugin sums up; here it needs nothing but grid, block, registers and shared memory.
struct KernelOccupancy {
  std::string name;
  std::size_t count = 0;
  Duration time{};
  double blocks = 0;  ///< of the grid, over the device's multiprocessors
  double warps = 0;   ///< the same of its warps, which are a thirty-second of its threads
  /// Of the threads that a multiprocessor holds, those that the kernel's blocks fill: no more blocks than there are,
  /// and than fit at a time (model/cost/device/accelerator.h).
  double occupancy = 0;
};

struct DeviceOccupancy {
  Rank rank = 0;
  std::int32_t device = 0;
  std::string name;      ///< "A100 SXM"
  Duration time{};       ///< of kernels whose launch is known
  double occupancy = 0;  ///< their mean
  /// TensorBoard's "Est. SM efficiency": the share of the multiprocessors that have a block, over the device's span.
  double efficiency = 0;
  /// Of the time of compute kernels, that of products whose name states an arithmetic that the device has matrix units
  /// for.
  double matrix_share = 0;
};

struct OccupancyUse {
  std::vector<DeviceOccupancy> devices;  ///< by rank and device
  std::vector<KernelOccupancy> kernels;  ///< the most time first
};

/// Empty where launches were not recorded, or nothing is known of the devices. O(pieces + names log names).
[[nodiscard]] OccupancyUse occupancy_use(const MeasuredWork& work, const std::vector<DeviceUse>& devices);

}  // namespace stepsim::sim

#endif
