#ifndef STEPSIM_SIM_STATS_COMPUTE_USE_H
#define STEPSIM_SIM_STATS_COMPUTE_USE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/stats/device_use.h"
#include "sim/stats/measured_work.h"

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

/// How much an operator computes, and how fast. A multiplication and an addition count as two operations.
struct FlopsUse {
  std::string name;  ///< name of the operator
  /// True if `time` is that of the device work it launched, false if that of its calls on the host.
  bool on_device = false;
  std::size_t calls = 0;
  double flops = 0;  ///< total operations of all calls
  Duration time{};
  Duration at_peak{};       ///< the time of its operations at the peak rates of the devices and precisions used
  bool knows_peak = false;  ///< true if the device and the precision of all its operations are known
  [[nodiscard]] double per_second() const noexcept;  ///< operations per second; 0 if the operator took no time
  /// Returns the share of the peak rate that it reached; nothing if the peak is not known.
  [[nodiscard]] std::optional<double> of_peak() const noexcept;
};

/// Returns the operators whose operations are known, from the profiler (with_flops) or else from the recorded shapes of
/// matrix products, convolutions and attention. They are sorted by flops, the most first. Their time is that of the
/// operators' device work for ranks where this work is known. For other ranks it is the time of the calls on the host;
/// of nested calls, only the outermost count. O(pieces + uses).
[[nodiscard]] std::vector<FlopsUse> flops_use(const MeasuredWork& work);

/// Returns the share of the devices' time that the operations in `flops` would take at the peak rate. It is the MFU
/// (Chowdhery et al., PaLM, 2022), if the operations of all products are known and none is a recomputation. Nothing if
/// no operator has a known peak.
[[nodiscard]] std::optional<double> flops_utilisation(const std::vector<FlopsUse>& flops,
                                                      const std::vector<DeviceUse>& devices);

}  // namespace stepsim::sim

#endif
