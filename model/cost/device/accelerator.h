#ifndef STEPSIM_MODEL_COST_DEVICE_ACCELERATOR_H
#define STEPSIM_MODEL_COST_DEVICE_ACCELERATOR_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "model/job/kernel_class.h"
#include "model/job/task_tables.h"

namespace stepsim {

enum class Vendor : std::uint8_t { kNvidia, kAmd };

/// The maximum resources of one multiprocessor. All members are 0 if they are not known.
struct Residency {
  std::uint32_t threads = 0;
  std::uint32_t blocks = 0;
  std::uint32_t registers = 0;
  std::uint32_t shared_memory = 0;           ///< shared memory in bytes
  std::uint32_t reserved_shared_memory = 0;  ///< additional bytes reserved for each block
};

/// An accelerator as its vendor describes it, for device models. A card with two dies that software sees as two devices
/// (MI250) is described by one die.
struct Accelerator {
  std::string_view name;   ///< display name: "H100 SXM"
  std::string_view model;  ///< words that a name must contain to match: "H100"
  std::string_view also;   ///< further words that it may contain: "SXM5 80GB HBM3"
  /// Peak rate of a dense matrix product in floating-point operations per second, indexed by Precision, on the fastest
  /// unit for it. If the device lacks a precision, this is the rate of the next wider one.
  std::array<double, kPrecisionCount> peak_flops{};
  /// Share of the half-precision peak that large matrix products reach. It is below 1 where power and clocks keep a
  /// device below its peak. Also used for tf32 and, reduced by what was measured, for fp8.
  double matrix_share = 0;
  /// Share of the rate of large matrix products that batched products reach.
  double batched_share = 1;
  /// Share of the rate of large products on matrix units that products reach in a training step, where power, clocks
  /// and what runs between them keep them below those of a loop. Used where nothing was recorded.
  double step_share = 1;
  double early_step_share = 1;  ///< `step_share` with the libraries of 2022 and 2023 (StepRate::kEarly)
  /// Share of the peak that large products reach in fp64, fp32 and other precisions without matrix units.
  double simple_share = 0;
  Bandwidth memory;         ///< data-sheet rate, reads and writes together
  double memory_share = 0;  ///< share of `memory` that a large pass over memory reaches
  double cache = 0;         ///< size in bytes of the last cache before memory
  Bandwidth cache_rate;     ///< rate of a pass over data in the last cache
  Bandwidth host_link;      ///< rate of PCIe in one direction
  Bandwidth nvlink;  ///< rate of all NVLinks in one direction; 0 if the devices of a host are not connected by it
  Duration floor{};  ///< duration of a kernel with almost no work
  std::string_view source;
  bool has_bfloat16 = true;      ///< true if the device has bf16 in addition to fp16, at the same rate
  std::uint32_t processors = 0;  ///< multiprocessors or compute units; each works on one tile at a time
  Residency resident;
  std::size_t matrix_from = kPrecisionCount;  ///< widest Precision with matrix units; kPrecisionCount if there are none
  /// True if the shares above were fitted to measurements of this device. Otherwise they are those of similar devices,
  /// and answers about it have a wider range.
  bool is_measured = false;
  /// True if frameworks compute fp32 convolutions in tf32 by default: PyTorch does since 1.7, on CUDA devices with
  /// tf32.
  bool convolves_in_tf32 = false;
  Vendor vendor = Vendor::kNvidia;  ///< vendor whose libraries do the work

  /// True if the device has units for a precision that are faster than those for the next wider one.
  [[nodiscard]] bool computes_in(Precision precision) const noexcept;
  /// True if products of a precision run on separate units (tensor cores, matrix cores). Consumer cards compute tf32 at
  /// the rate of fp32. P100 and MI50 compute fp16 at twice that rate without such units.
  [[nodiscard]] bool has_matrix_units(Precision precision) const noexcept;
  /// Returns the rate in operations per second that a large matrix product reaches: the peak times matrix_share, or
  /// times simple_share if the device has no matrix units for the precision.
  [[nodiscard]] double flops(Precision precision) const noexcept;
  /// Returns the bandwidth in bytes per second that a large pass over memory reaches.
  [[nodiscard]] double bytes_per_second() const noexcept { return memory.bytes_per_second() * memory_share; }
  /// True if the devices of a host cannot read each other's memory over PCIe, so that what they exchange goes through
  /// the host's memory: GeForce cards from Turing on, and T4s. (L4 cards have a rule of their own, has_peer_access().)
  [[nodiscard]] bool exchanges_through_host() const noexcept;
  /// Returns the rate in one direction at which the devices of a host are connected: that of all NVLinks, or else of
  /// PCIe, of which exchanges_through_host() leaves a part.
  [[nodiscard]] Bandwidth inside_link() const noexcept;
  /// Returns the kind of inside_link(): "NVLink", "PCIe" or "PCIe through the host's memory".
  [[nodiscard]] std::string_view inside_kind() const noexcept;
  /// Returns the share of `bytes` still in the cache if they were just used: 1 up to the size of the cache, 0 from 4/3
  /// of its size, linear in between.
  [[nodiscard]] double cached_share(double bytes) const noexcept;
  /// Returns the seconds for a pass over `bytes` if the share `cached` of them is read from the cache.
  [[nodiscard]] double pass_seconds(double bytes, double cached) const noexcept;
};

/// Returns the device with this name, as given by a trace ("NVIDIA H100 80GB HBM3", "AMD Instinct MI300X VF") or a
/// person ("a100", "H100 PCIe"), or null. The name must contain all words of the device's model and no others than
/// those in `also`. If several devices match, returns the most common data-centre form. Case, separators and vendor
/// names are ignored.
[[nodiscard]] const Accelerator* find_accelerator(std::string_view name);

/// Returns the memory of the known device with this name: the size in the name ("NVIDIA A100-SXM4-80GB") if it is sold
/// with this size, or else the only one with which it is sold. Nothing if the device is not known or is sold with
/// several sizes. A number in a name may be that of another memory ("NVIDIA GH200 480GB").
[[nodiscard]] std::optional<Bytes> capacity_of(std::string_view name);

/// Returns the names of a device that is sold with several sizes of memory, one for each size: "V100 SXM2 16GB",
/// "V100 SXM2 32GB". Empty for other devices.
[[nodiscard]] std::vector<std::string> names_with_size(std::string_view name);

/// Like find_accelerator(), but throws UsageError: "no device 'H1000' is known; did you mean 'H100'? ...".
[[nodiscard]] const Accelerator& accelerator_named(std::string_view name);

/// Returns how many blocks of `launch` one multiprocessor can run at the same time, given its threads, blocks,
/// registers and shared memory (NVIDIA's occupancy calculator; Kineto derives "est. achieved occupancy %" from it). At
/// least 1, because the kernel ran. Precondition: launch.threads > 0 and room.threads > 0.
[[nodiscard]] std::uint32_t resident_blocks(const KernelLaunch& launch, const Residency& room) noexcept;

/// Returns the share of `device` that `launch` fills, at most 1: its number of blocks divided by the number that the
/// device can run at the same time, called a wave (Yu et al., Habitat, ATC 2021). 1 if the device's limits are not
/// known.
[[nodiscard]] double filled_share(const KernelLaunch& launch, const Accelerator& device) noexcept;

/// Returns all known accelerators, grouped by vendor and generation, oldest first.
[[nodiscard]] std::span<const Accelerator> accelerators() noexcept;

}  // namespace stepsim

#endif
